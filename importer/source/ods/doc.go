// Package ods reads OpenDocument spreadsheets (.ods, OpenDocument 1.3 part 3, 9).
//
// A cell says what it holds by its type and shows it as text: the type decides, and the text gives the zeros and signs that a
// number format adds. An element may stand for many equal cells or rows, and a cell says itself how far it is merged. Nothing
// that a merged range covers is read. Encrypted files are refused.
package ods
