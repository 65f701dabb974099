package config

import _ "embed"

// Documentation is the source of the package comment, whose part "Reference" describes every setting. The schema for editors and the guide
// take their descriptions from there, so that they are written once.
//
//go:embed doc.go
var Documentation string
