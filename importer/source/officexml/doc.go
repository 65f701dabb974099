// Package officexml reads trademark files of the offices, in the two forms that WIPO has standardized: ST.96 (one
// element Trademark per mark) and ST.66 (TradeMark). It ignores prefixes and namespaces, in which offices differ.
//
// A mark is a row. The table has a header, row 1, that the file does not have; so the first mark is row 2, while line
// numbers are those of the file. The columns are what the marks have, in the order in which the file first has them.
// Columns that docketsync can send have familiar names (names.go); all others are named by their path, such as
// ApplicantBag/Applicant/PartyIdentifier. If a mark has an element several times, its cell has one line for each, which
// split: can separate. The classes are such lines too, each with its goods after a colon. If the goods are there in
// several languages, each language has its own column.
//
// The file is read as a stream, twice, because the columns are known only when all marks have been read. Only one mark
// is in memory at a time.
//
// Such files come from outside, so anything that no office writes is refused with its line: a document type, which
// could define entities that expand without end or fetch other files; elements nested deeper than in any form; and a
// mark, text or tag that is too large.
package officexml
