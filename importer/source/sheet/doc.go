// Package sheet turns the stored cells of a sheet into rows, the same way for .xlsx, .xls and .ods: what a reader of one of
// these formats has to do is put cells into Cells row by row (Body). Placing them, filling merged ranges or looking beneath
// them, holding blank rows back until one with content follows, taking note of what is odd, and refusing sheets that make
// very many cells of few stored ones is done here, once.
//
// Memory holds one row, the runs of blank rows, the merged ranges, and the shared texts while they are few (Strings).
package sheet
