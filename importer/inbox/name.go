package inbox

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// scratch are the endings of files that somebody is still at work on: browsers, transfer programs, editors.
var scratch = []string{".part", ".partial", ".filepart", ".tmp", ".temp", ".crdownload", ".download", ".swp", ".lock", "~"}

// wanted tells whether a name of the folder is one to be taken: it fits a pattern, ignoring case as the people who name
// files do, and is neither scratch nor a marker.
func (f *Folder) wanted(name string) bool {
	low := strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") || f.isMarker(name) {
		return false
	}
	if slices.ContainsFunc(scratch, func(ending string) bool { return strings.HasSuffix(low, ending) }) {
		return false
	}
	return slices.ContainsFunc(f.Patterns, func(pattern string) bool {
		fits, err := filepath.Match(strings.ToLower(pattern), low)
		return err == nil && fits
	})
}

func (f *Folder) isMarker(name string) bool {
	return f.Marker != "" && strings.HasSuffix(strings.ToLower(name), strings.ToLower(f.Marker))
}

// compareNames orders names, ignoring case unless nothing else tells them apart.
func compareNames(a, b string) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
}
