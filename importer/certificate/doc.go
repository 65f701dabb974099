// Package certificate creates the sign-off certificate of a migration: what was read, what of it the service accepted, what
// it did not, and a sample to compare by hand. It covers several runs, since a migration is made in several nights: cases, folders,
// updates, and the rejects that were corrected and imported again.
//
// It is a fold over the ledger, which it does not change, and it asks neither the service nor the clock. So it can be made again
// a year later, and gives the same bytes for the same ledger, runs, seed and size of sample. What has been decided about a doubt
// or pruned since changes it, and so does an update since of what these runs found unchanged; what they sent stays as it is.
//
// # What counts
//
// A record is one operation, scope and key. It counts once, by its last outcome over the given runs: a record that was rejected
// on Monday and went in on Tuesday is in. Unchanged says that the service held it already, so what an earlier of the given runs
// did to it stands. A row that was corrected in a workbook of rejects takes the place of the record it was rejected in, also when
// its key was what had to be corrected: the workbook says which record that was.
//
// Of every run: records = those that count + those that a later run took up + those that were corrected under another key +
// those that pruning removed. The last are never counted as in, nor as nothing: they are named, and the certificate is then
// incomplete. What adds up is counted from both ends (the records that went by, the ledger's own tally), and a difference is at
// the top of the page.
//
// # Source and service
//
// What was in the source is taken from the cells that the ledger keeps with a record, and which cells a field was read from
// from the origins that a run keeps of its mapping. What the service holds is the payload that it accepted: of a record that was
// unchanged all along, the one that the ledger knows, if its digest is that of the row. Cells of unchanged rows, and cells and
// payloads of pruned runs, are no longer there; how many records a figure is about is therefore always said.
//
// # Hash totals
//
// Keys are sorted by their bytes. The total of keys is the SHA-256 of all keys, each followed by a line feed; that of payloads
// the SHA-256 of a line for each record that is in: its key, a tab, the digest of its payload, a line feed. The digest is the
// first 32 hexadecimal digits of the SHA-256 of the payload as mapped (payload as 'docketsync report RUN --json --all' prints it, without
// white space).
//
// # The sample
//
// Of each operation: the first and the last record of the source, those with the nearest dates at or after the end of the last
// run, one for each of the rarest clients, offices, states and classes, and others in the order of the SHA-256 of seed, operation
// and key, with a zero byte between them. Whoever has the list of keys can therefore check that nobody picked the sample.
//
// # Memory
//
// Some hundred bytes are held for each record (its key, digest and outcome), and what is shown; payloads and cells go by. 100,000
// marks take 5 to 7 seconds and at most 95 MB of heap, garbage included (BenchmarkCertificate); ten times as many, ten times that.
package certificate
