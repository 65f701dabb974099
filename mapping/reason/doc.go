// Package reason says why a row or record is rejected, or what is odd about it, as a code with arguments. Whoever reads
// a value makes a Problem; the mapper adds the field, the row and the cell and makes a Reason; later steps of a run
// make Reasons of their own. None of them writes sentences: sentences.go has the message and the hint of every code.
// The ledger stores and compares the code with its arguments, so a sentence can be improved without touching a ledger.
//
// All codes are in this package, because they are promises: reports group by them, and the tests of a firm's mapping
// name them. A code is never renamed, but its sentence may change. A code with several sentences has a form for each,
// after a slash. The arguments of a sentence are in the order in which it first names them, in the message and then in
// the hint. That order never changes either, because ledgers store the arguments. The package imports nothing of ours.
package reason
