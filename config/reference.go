package config

import (
	_ "embed"
	"regexp"
	"strings"
)

// anyName stands in the reference for a name that whoever writes the file chooses.
const anyName = "NAME"

// Documentation is the source of the package comment, whose part "Reference" describes every setting. The schema for editors and the guide
// take their descriptions from there, so that they are written once.
//
//go:embed doc.go
var Documentation string

var (
	referenceKey = regexp.MustCompile(`^( *)(- )?([a-z0-9_]+|` + anyName + `):(?:\s+(.*))?$`)
	wideGap      = regexp.MustCompile(`\s{2,}`)
)

// referenceOf reads the descriptions of the settings, by their paths ("jobs.source.file").
func referenceOf(text string) map[string]string {
	_, text, _ = strings.Cut(text, "// # Reference")
	text, _, _ = strings.Cut(text, "// A small installation:")
	described := map[string]string{}
	var path []string // the keys above, by their indentation in steps of two
	list := 0         // the depth of the list that the lines stand in, 0 for none
	for line := range strings.SplitSeq(text, "\n") {
		line, isSetting := strings.CutPrefix(line, "//\t")
		if !isSetting || strings.HasPrefix(line, "{") {
			continue
		}
		match := referenceKey.FindStringSubmatch(line)
		if match == nil {
			if at := strings.Join(path, "."); at != "" {
				described[at] += " " + strings.TrimSpace(line)
			}
			continue
		}
		depth := (len(match[1]) + len(match[2])) / 2
		if match[2] != "" {
			list = depth
		} else if depth < list {
			list = 0
		}
		if list > 0 {
			depth-- // the list's dash has a step of its own
		}
		path = append(path[:min(depth, len(path))], match[3])
		described[strings.Join(path, ".")] = wideGap.ReplaceAllString(match[4], " – ")
	}
	return described
}
