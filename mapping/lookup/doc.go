// Package lookup turns the names that a firm uses into the GUIDs of the service. A Table has its names from a file, a list of the
// service, the mapping itself, or asks the ledger for each (OfLedger).
//
// A name is found as it is written, else by its folded form; never by likeness. What is like an unknown name is only told, in the hint
// (near.go), for a bounded number of names. A text that could be several names which have not one id is ambiguous and rejects the rows that
// use it. A name whose id nobody has filled in yet is a name too: it is told with the line that waits for its id (blank.go), and takes none
// from a name that is spelled like it. The package imports reason, table and value.
package lookup
