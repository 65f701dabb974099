// Package record splits UTF-8 text into records and cells as a Dialect says (delimiter, quote, escape). It differs from
// encoding/csv where a firm's files need it: a blank line is a record (a spreadsheet counts it), CR alone ends one, a line
// break inside a cell stays as it is, the text around a fault is known, and no cell and no record may grow without bound.
// Whatever encoding/csv accepts is accepted, with the same cells.
//
// A stray quote ends the reading with an Error, unless Reader.Lenient says to take it for a character; it then costs one
// record and never swallows the ones below. So does a quote whose cell has lines that look like rows, unless
// Reader.QuoteKnown. What was overlooked in a record is in Reader.Repairs.
//
// It does not find the dialect (package text does), and knows neither headers nor rows that are no data.
package record
