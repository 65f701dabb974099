// Package push is the second pass of a run: it sends what is planned and settles every record.
//
// Workers take planned records from a queue that is read one page ahead (pending.go). Before a record that is not safe to repeat is
// sent, its intent is committed, together with the outcome of the record before: one flush to disk for each, and at most as many
// records in doubt after a crash as there are workers. A record that is safe to repeat is sent at once, and its outcome is
// committed with those of others in groups that no worker waits for (recorder.go). Package apiclient decides what may be repeated; settleResult turns its verdict into the
// outcome of the record. Limits say when answers stop a run: the first records all refused alike, too many in doubt.
//
// Workers take records in the order of the feed and none takes the next before it has the outcome of its own, so wherever a push is cut
// off, what was sent is the front part of that order but for as many records as there are workers. What stands behind it for a reason has
// a state that says so: failed, in doubt, held because it was set aside. The order is in the ledger (Record.Rank), so a resumed run keeps it.
//
// The decision that is not obvious is about 403: it may mean that the user may not touch this record, or that the sign-in has
// expired. Such a record is set aside and sent once more behind all others (setaside.go); what came in between tells the two apart.
package push
