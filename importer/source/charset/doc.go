// Package charset determines the encoding of a text file and converts its content to UTF-8.
//
// A byte order mark decides; then the positions of zero bytes (UTF-16 and UTF-32); then the whole file, which is read
// once to its end. Nothing less proves UTF-8, because a file whose first accent is in its last row could be in any
// encoding up to there. A file that is not UTF-8 is taken for Windows-1252 only if its words look like words of the
// languages written in it. In any other case a person must choose, and the error shows the possible readings. A wrong
// guess here would be a wrong name in a service that cannot be read back. Text that was damaged before it was written
// is read as it is, and package mapping refuses it.
package charset
