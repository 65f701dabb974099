package sandbox

import (
	"bytes"
	_ "embed"
)

//go:embed small.json
var smallDirectory []byte

// SmallDirectory is a directory for tests and first steps: two templates (the second, the default, with five
// components, one of them required), two statuses (new cases get the second), three users (the first two can sign in),
// three companies (the third is no Agent), and a few of everything else. All of it is fictional.
func SmallDirectory() Directory {
	d, err := ReadDirectory(bytes.NewReader(smallDirectory))
	if err != nil {
		panic(err) // the file is part of the package
	}
	return d
}
