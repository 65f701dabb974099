// Package officexml reads trademark files of the offices, in the two forms that WIPO has made standards of: ST.96 (an element Trademark
// for each mark) and ST.66 (TradeMark). Prefixes and namespaces are not looked at, as offices differ in them.
//
// A mark is a row, and the table has a header, row 1, that the file does not have: so the mark that stands first is row 2, and lines are
// those of the file. Columns are what the marks have, in the order in which the file first has them. What docketsync can send has the name
// that people know it by (names.go); all else is called by its path, such as ApplicantBag/Applicant/PartyIdentifier. An element that a mark
// has several times is a line for each in its cell, which split: takes apart. The classes are such lines too, each with its goods behind
// a colon; where the goods are there in several languages, each language has a column.
//
// The file is read as a stream, twice: the columns are known only when all marks have gone by. One mark is in memory at a time.
//
// Such files come from outside, so what no office writes is refused with its line: a document type, which could define entities that
// expand without end or fetch other files; elements nested deeper than any form has them; a mark, a text or a tag that is too large.
package officexml
