// Package sheetxml reads the XML of workbooks as a stream of tokens, several times as fast as encoding/xml and in
// bounded memory: it holds one token at a time and allocates nothing per token.
//
// Elements are identified by their local names. XML namespaces are ignored, so that strict workbooks and any prefix are
// accepted. The whole document is checked to be well-formed. Document types are refused, and with them entity bombs; so
// are tokens and nesting beyond what any table has. The package knows no element of any format.
package sheetxml
