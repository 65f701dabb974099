// Package decide says what is to be done with one record: whether it is sent at all, as what, and whether it may be repeated.
//
// Decide is a pure function of what the mapping made (Mapped), what the ledger knows under the record's key, and what the firm
// said of its service (Policy). It reads no clock, file or ledger, so that a table test shows every rule. What may be sent
// again after a failed request is decided elsewhere, by apiclient.Judge.
//
// The decision that is not obvious is about goods and services: an entry without an id makes a new one each time it is sent
// (interface.md part 4.3), so entries that were accepted before are left out of the body, and one whose text changed is
// withheld with a note. Entries of the ledger are known by language, class and text, since nobody names their ids.
package decide
