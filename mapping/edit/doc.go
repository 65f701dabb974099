// Package edit changes a mapping file by choices: this field from that column, that one through a lookup. It does no input and
// output.
//
// The text of the file is all there is; nothing is kept beside it. Read takes a text apart, Fields and the like say what a form
// would show of it, and Choose and its like give the text that a person would have ended with who had changed that
// place alone: a field is written where the operation has it, an option where the reference has it, and every other character
// stays, comments and all. So a form and a text editor can take turns on one file, and a file that was written by hand can be
// changed by choosing.
//
// The decision that is not obvious is that a text is changed by lines and columns, and then proven. What was changed is read
// again, and has to be what was there before but for the one place: otherwise the change is refused, with the advice to make
// it in the text. A way of writing YAML that nobody thought of can make a choice impossible, and never a wrong one.
//
// A comment that the proposal wrote beside a field says why its column was chosen. It goes with that column; a comment that
// somebody else wrote stays.
package edit
