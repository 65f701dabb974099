package upload

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"docketsync/importer/source"
	"docketsync/mapping/infer"
)

// JobText is a job as people read it in the configuration.
type JobText struct {
	Name    string
	Source  string // the file
	Mapping string // the mapping; both are paths from RelativeTo
	Options source.Options
	// Inbox is the folder that files arrive in, "" for a job that reads Source. When is the job's setting when, "" for
	// none.
	Inbox, When string
	// PasswordEnv is the environment variable with the password of the file, "" for none.
	PasswordEnv string
}

// Lines returns the job as it is written under jobs:.
func (j JobText) Lines() string {
	o, settings := j.Options, ""
	for _, s := range []struct {
		key   string
		value any
	}{
		{"format", o.Format}, {"encoding", o.Encoding}, {"delimiter", o.Delimiter}, {"quote", o.Quote}, {"escape", o.Escape}, {"sheet", o.Sheet},
		{"header", o.Header}, {"header_rows", o.HeaderRows}, {"no_header", o.NoHeader}, {"footer_rows", o.FooterRows}, {"footer", o.Footer},
		{"hidden", o.Hidden}, {"lenient", o.Lenient}, {"ragged", o.Ragged}, {"cut", o.Cut}, {"totals", o.Totals}, {"covered", o.Covered}, {"merged", o.Merged},
	} {
		switch text, isText := s.value.(string); {
		case s.value == "", s.value == 0, s.value == false:
		case isText:
			settings += ", " + s.key + ": " + infer.Scalar(text)
		default:
			settings += ", " + s.key + ": " + fmt.Sprint(s.value)
		}
	}
	if j.PasswordEnv != "" {
		settings += ", password: {env: " + infer.Scalar(j.PasswordEnv) + "}"
	}
	from, when := infer.Scalar(j.Source), ""
	switch {
	case j.Inbox != "":
		from = "{inbox: " + infer.Scalar(j.Inbox) + settings + "}"
	case settings != "":
		from = "{file: " + from + settings + "}"
	}
	if j.When != "" {
		when = "    when: " + j.When + "\n"
	}
	return fmt.Sprintf("  - name: %s\n    source: %s\n    mapping: %s\n%s", infer.Scalar(j.Name), from, infer.Scalar(j.Mapping), when)
}

// File returns the job as a file in the folder of jobs has it.
func (j JobText) File() string {
	return strings.NewReplacer("\n    ", "\n", "\n  - ", "").Replace("\n" + j.Lines())
}

// RelativeTo returns a path as the configuration writes it: relative to the configuration's folder if possible. An
// absolute path stays.
func RelativeTo(configFile, path string) string {
	from, err1 := filepath.Abs(filepath.Dir(configFile))
	to, err2 := filepath.Abs(path)
	if err := errors.Join(err1, err2); err != nil || filepath.IsAbs(path) {
		return path
	}
	if short, err := filepath.Rel(from, to); err == nil {
		return filepath.ToSlash(short)
	}
	return to
}
