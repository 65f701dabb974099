// Package plan makes the plan of a run: it takes the records of a walk, looks up what the ledger knows of each, has it decided
// (package decide) and writes it into the ledger. It is all of the first pass between the rows and the guards.
//
// Order.Make runs four steps side by side, each in a goroutine: reading and mapping, looking up, deciding, and writing. When all
// is read it does what needs the whole of the export: rows of one key are merged to one record or one reject (merge.go),
// records that share what only one may have are compared (compare.go), keys that vanished are counted, and a
// record to be created that may be a vanished one under a new key, or one whose key is another's now, is held back until a person
// has decided (vanish.go).
//
// The decision that is not obvious is the duplicate index (index.go): records that share something are found by sums in
// temporary files, in memory that does not grow with the export, and only those are read back from the ledger.
//
// The plan stands in the ledger, so a run that is interrupted later is resumed from there; one that is interrupted while it
// plans leaves nothing behind that counts.
package plan
