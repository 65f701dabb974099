// Package ods reads OpenDocument spreadsheets (.ods, OpenDocument 1.3 part 3, 9).
//
// A cell has a typed value and the text that it shows. The type decides; the text provides the zeros and signs that a
// number format adds. An element may stand for many equal cells or rows, and a cell itself says how far it is merged.
// Nothing that a merged range covers is read. Encrypted files are refused.
package ods
