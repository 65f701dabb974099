// Package charset finds the encoding of a text file and turns its content into UTF-8.
//
// A byte order mark decides, then where zero bytes stand (UTF-16 and UTF-32), then the whole file, which is read once to its
// end: nothing less proves UTF-8, since a file whose first accent stands in its last row looks like anything until there.
// What is not UTF-8 is taken for Windows-1252 only when its words look like words of the languages written in it; in any
// other case a person has to choose, with the readings put in front of them. A wrong guess here would be a wrong name in a
// service that cannot be read back. Text that was spoiled before it was written is read as it stands, and package mapping refuses it.
package charset
