// Package compound reads compound files ([MS-CFB]), small file systems of sectors and chains that contain .xls and
// encrypted workbooks. It finds the streams of the top folder. It also proves that a file is sound before it reaches
// the library that decrypts it, because that library allocates whatever the file's header declares.
//
// That library, mscfb, cannot replace this reader. For each read from another position it follows the stream's chain
// from the beginning, so that a workbook of 8 MiB takes more than a minute instead of four milliseconds. And it
// allocates as many small sectors as a header declares, whatever the size of the file.
package compound
