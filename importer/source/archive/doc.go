// Package archive opens what is packed: the zip archive of a workbook by its parts (Archive), and a single table that was
// packed for sending (Gunzip, Unzip).
//
// A hostile archive is refused before it takes memory or time: by the number of its parts before the directory is loaded, by
// what a part declares, and, as an archive may lie, by what comes out in proportion to what went in. A part is read to its
// end by whoever wants to be sure of its checksum. It knows nothing of what is in the parts.
package archive
