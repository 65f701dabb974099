// Package archive opens compressed files: the zip archive of a workbook, by its parts (Archive), and a single table
// that was compressed for sending (Gunzip, Unzip).
//
// A hostile archive is refused before it takes memory or time: by the number of its parts before the directory is
// loaded, by the declared size of a part and, because an archive may lie, by the ratio of output to input. A caller
// that needs the checksum verified reads a part to its end. The package knows nothing of what the parts contain.
package archive
