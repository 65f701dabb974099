// Package lookup turns the names that a firm uses into the GUIDs of the service. A Table gets its names from a file, a
// list of the service or the mapping itself, or asks the ledger for each (OfLedger).
//
// A name is looked up as written first, then by its folded form. A merely similar name is never accepted; similar names
// only appear in the hint (near.go), for a limited number of unknown names. A text that could be several names with
// different ids is ambiguous and rejects the rows that use it. A name whose id nobody has filled in yet counts as a
// name too: it is rejected with the line that waits for the id (blank.go), and does not receive the id of a name that
// is spelled similarly. The package imports diagnostic, reason, table and value.
package lookup
