// Package sheet turns the stored cells of a sheet into rows, in the same way for .xlsx, .xls and .ods. A reader of one
// of these formats only puts cells into Cells row by row (Body). Everything else is done here, once: placing the cells,
// filling merged ranges or looking beneath them, holding blank rows back until one with content follows, recording what
// is odd, and refusing sheets that make very many cells out of few stored ones.
//
// It holds in memory one row, the runs of blank rows, the merged ranges, and the shared texts if they are few
// (Strings).
package sheet
