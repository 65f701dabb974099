// Package value reads the texts of cells as what fields want, apart from dates and names: GUIDs, yes and no, numbers and how a file
// writes them, classes, a cell of classes and goods, web addresses, patterns, and texts that mean an empty cell.
//
// No digit changes here. A number is checked and passed on as the text that it is, and what a spreadsheet has rounded or put into
// scientific form is told (Rounded) and not repaired. A regular expression of a mapping is bounded when it is read (ParsePattern), so that
// no row takes long. All functions are pure; the package imports reason and table.
package value
