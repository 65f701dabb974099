// Package doubts is about records in doubt: those that may or may not have reached the service, and that docketsync never sends again
// by itself. It finds them, shows what was sent for each, asks the service where that can settle one for certain, and reads what
// people decide, one by one or in a worklist.
//
// Whether an answer of the service is certain is decided by the importer's inquiry; a decision is written into the ledger, which
// records who made it. The command resolve and the console work with it.
package doubts
