// Package rejects writes rejects.xlsx, the rows to correct and import again.
//
// The first sheet, Causes, is for the person who opens the workbook: what is wrong, grouped, and how to go on. The sheet
// Rejects has its header in row 1: docketsync's own columns, then those of the source, with their names, order and kinds of
// cells. A mapping takes columns by name, so that the same mapping imports the corrected sheet; package source knows the sheet
// by its first column, whatever sheet, header and footer the job's own source has. Sources with the
// same columns share a sheet, since the rows of one record may stand in several files and have to be imported together;
// others have sheets of their own. All rows of a rejected record are there, also those with nothing wrong in them. What
// failed or is held is not: the next run sends it. What is in doubt is not either: imported again, it might be made
// twice. A record that a worksheet cannot hold without changing it (a cell too long, a control character) is named on the
// sheet of causes instead.
//
// The cells that a reason points at are named, coloured and have a note. Of the service's words these are the cells from which
// the fields were read with whose names the words begin ("client_id: is not known"), as the run's origins have it.
//
// Cells come from anywhere. They are inline strings, never formulas, unless they were numbers, dates or booleans before.
package rejects
