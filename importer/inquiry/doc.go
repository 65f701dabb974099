// Package inquiry decides what a list of the service proves about a record: whether one in doubt was created, and whether one
// that is about to be created is there already.
//
// It is pure. An Inquiry holds the record, the list in two readings to the end, and whose ids the ledger knows; Find is certain
// only where nothing else can be the case, since a wrong answer means a second case or a lost one. A Listing finds the items
// that are spelled like a record.
package inquiry
