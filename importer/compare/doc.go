// Package compare tells what changed between two plans, such as those of two rehearsals, and why.
//
// A Plan is a plan file (OfFile) or a run of the ledger (OfRun). Of each the key and the digest of every record are sorted outside of
// memory (index.go) and merged, so that neither memory nor time grows with more than the records themselves; only records that differ are
// read whole, in the order of the older plan. Compare yields them as Differences, and folds them into Groups by their causes.
//
// # A cause is proven or not given
//
// A plan says what it was made from: sources, mapping, lookups, settings, docketsync's version (About). What differs there, and can bear
// on a field by the columns, the lookup and the lines of the mapping that it comes from, may be the cause of a change in that field
// (suspects.go). One suspect alone is the cause. Where there are several, the record is mapped again with one of them exchanged at a
// time (trial.go): what by itself turns the old value into the new one is the cause. For that, names are not looked up, as no plan keeps
// whole lookups: each name gets an id of its own, and what remains when all names are equal is the lookup's doing or the version's.
// A trial counts only where it makes the values that the two plans have. Where it cannot decide, the Difference says which causes there
// may be, and that nobody knows.
//
// What would be sent of a record also depends on what the ledger knew, which is no property of a record: those that are the same, and are
// sent by one plan and not by the other, are counted and not listed.
package compare
