// Package reason is what is wrong with a value and what to do about it. A Problem is a code, a sentence and a hint, said by whoever
// reads a value: a date, a number, a name in a lookup. The mapper puts the field, the row and the cell to it and makes a Reason, which
// the ledger keeps and reports show.
//
// The codes stand here and nowhere else, because they are promises: reports group by them, and the tests of a firm's mapping name them.
// A code is never renamed; its sentence may be. The package imports nothing of ours.
package reason
