// Package sharedstrings holds the texts that the cells of an .xlsx or .xls share: in memory while they are few, in temporary
// files when they are many, so that memory does not grow with a workbook. Programs number the texts in the order of their
// cells, so neighbours are asked for together, and a few pages of the files are enough to keep.
//
// Close removes the files.
package sharedstrings
