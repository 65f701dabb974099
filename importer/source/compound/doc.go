// Package compound reads compound files ([MS-CFB]), small file systems of sectors and chains that contain .xls and encrypted
// workbooks. It finds the streams of the top folder, and proves that a file is sound before the library that decrypts it is
// let at it: that allocates what its header declares.
package compound
