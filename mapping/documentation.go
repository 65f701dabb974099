package mapping

import _ "embed"

// Documentation is the source of the package comment, whose greater part is the reference of mapping files. The guide shows it from
// there, so that it is written once.
//
//go:embed doc.go
var Documentation string
