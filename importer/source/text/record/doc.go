// Package record splits UTF-8 text into records and cells according to a Dialect (delimiter, quote, escape). It differs
// from encoding/csv where a firm's files require it: a blank line is a record (a spreadsheet counts it), a CR alone
// ends a record, a line break inside a cell stays as it is, the text around an error is known, and no cell or record
// may grow without limit. Whatever encoding/csv accepts is accepted, with the same cells.
//
// A stray quote ends the reading with an Error, unless Reader.Lenient says to take it for a character; then it costs
// one record and never swallows those below. A quoted cell with lines that look like rows also ends the reading, unless
// Reader.QuoteKnown is set. Reader.Repairs says what was tolerated in a record.
//
// The package does not determine the dialect (package text does), and knows nothing of headers or of rows that are not
// data.
package record
