// Package value reads the texts of cells as the values that fields want, apart from dates and names: GUIDs, yes and no,
// numbers and their formats, classes, a cell of classes and goods, web addresses, patterns, and texts that mean an
// empty cell.
//
// No digit ever changes here. A number is checked and passed on as text. A number that a spreadsheet has rounded or
// written in scientific notation is reported (Rounded), not repaired. A regular expression of a mapping is limited in
// size when it is read (ParsePattern), so that no row takes long. All functions are pure. The package imports reason
// and table.
package value
