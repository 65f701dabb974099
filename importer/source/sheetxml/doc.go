// Package sheetxml reads the XML of workbooks as a stream of tokens, several times as fast as encoding/xml and in bounded
// memory: it holds one token at a time, and allocates nothing for one.
//
// Elements are known by their local names: names of XML namespaces are ignored, which takes in strict workbooks and every
// prefix. Documents are checked to be well-formed to their end. Document types are refused, and with them entity bombs, as are
// tokens and nestings beyond what any table has. It knows no element of any format.
package sheetxml
