// Package plan makes the plan of a run. It takes the records of a walk, looks up what the ledger knows of each, has
// package decide decide it, and writes it to the ledger. It is everything in the first pass between the rows and the
// guards.
//
// Order.Make runs four steps at the same time, each in a goroutine: reading and mapping, looking up, deciding, and
// writing. When everything is read it does what needs the whole export. It merges rows of one key into one record or
// one reject (merge.go), compares records that share what only one may have (compare.go) and counts keys that vanished
// (vanish.go). A record to be created that may be a vanished one under a new key, or whose key was another record's
// before, is held back until a person has decided (renames.go, by what each key stood for: said.go).
//
// The decision that is not obvious is the duplicate index (index.go): it finds records that share something by hashes
// in temporary files, in memory that does not grow with the export. Only the records that it finds are read back from
// the ledger.
//
// The plan is in the ledger, so a run that is interrupted later is resumed from there. A run that is interrupted while
// it plans leaves nothing behind that counts.
package plan
