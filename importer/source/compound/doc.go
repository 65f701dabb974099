// Package compound reads compound files ([MS-CFB]), small file systems of sectors and chains that contain .xls and encrypted
// workbooks. It finds the streams of the top folder, and proves that a file is sound before the library that decrypts it is
// let at it: that allocates what its header declares.
//
// That library, mscfb, does not take the place of this reader. It follows a stream's chain from its beginning for each read
// from another place, so that the 8 MiB of a workbook take more than a minute instead of four milliseconds, and it allocates
// what a header promises of small sectors whatever the size of the file.
package compound
