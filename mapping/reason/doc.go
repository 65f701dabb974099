// Package reason says why a row or a record does not go in, or what is odd about it: as a code with arguments. Whoever reads a value
// makes a Problem, the mapper puts the field, the row and the cell to it and makes a Reason, and later steps of a run make Reasons of
// their own. Nobody writes sentences: sentences.go has the message and the hint of every code, and what is stored and compared is the
// code with its arguments, so that a sentence can be improved without touching a ledger.
//
// The codes stand here and nowhere else, because they are promises: reports group by them, and the tests of a firm's mapping name them.
// A code is never renamed; its sentence may be. A code that has several sentences has a form for each, behind a slash; the order of a
// sentence's arguments is that in which it names them, first in the message and then in the hint, and never changes either: ledgers have them.
// The package imports nothing of ours.
package reason
