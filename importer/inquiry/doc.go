// Package inquiry decides what a list of the service proves about a record: whether one in doubt was created, and
// whether one that is about to be created exists already.
//
// It is pure. An Inquiry has the record, the list read twice to the end, and the ids that the ledger knows. Find is
// certain only if nothing else can be the case, because a wrong answer means a second case or a lost one. A Listing
// finds the items that are spelled like a record.
package inquiry
