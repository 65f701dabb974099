package upload

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"docketsync/importer/source"
	"docketsync/mapping/infer"
)

// JobText is a job as people read it in the configuration.
type JobText struct {
	Name    string
	Source  string // the file, and
	Mapping string // the mapping, as RelativeTo has them
	Options source.Options
	// PasswordEnv is the variable that holds the password of the file, "" for none.
	PasswordEnv string
}

// Lines is the job as it stands under jobs:.
func (j JobText) Lines() string {
	o := j.Options
	settings := ""
	add := func(key, value string) {
		if value != "" {
			settings += ", " + key + ": " + infer.Scalar(value)
		}
	}
	add("format", o.Format)
	add("encoding", o.Encoding)
	add("delimiter", o.Delimiter)
	add("quote", o.Quote)
	add("escape", o.Escape)
	add("sheet", o.Sheet)
	if o.Header > 0 {
		settings += ", header: " + strconv.Itoa(o.Header)
	}
	if o.HeaderRows > 0 {
		settings += ", header_rows: " + strconv.Itoa(o.HeaderRows)
	}
	if o.NoHeader {
		settings += ", no_header: true"
	}
	if o.FooterRows > 0 {
		settings += ", footer_rows: " + strconv.Itoa(o.FooterRows)
	}
	add("footer", o.Footer)
	if o.IgnoreHidden {
		settings += ", ignore_hidden: true"
	}
	if o.Lenient {
		settings += ", lenient: true"
	}
	add("ragged", o.Ragged)
	add("cut", o.Cut)
	add("covered", o.Covered)
	add("merged", o.Merged)
	if j.PasswordEnv != "" {
		settings += ", password: {env: " + infer.Scalar(j.PasswordEnv) + "}"
	}
	from := infer.Scalar(j.Source)
	if settings != "" {
		from = "{file: " + from + settings + "}"
	}
	return fmt.Sprintf("  - name: %s\n    source: %s\n    mapping: %s\n", infer.Scalar(j.Name), from, infer.Scalar(j.Mapping))
}

// File is the job as a file of the folder of jobs holds it.
func (j JobText) File() string {
	return strings.NewReplacer("\n    ", "\n", "\n  - ", "").Replace("\n" + j.Lines())
}

// RelativeTo is a path as the configuration has it: from its folder, where there is a way.
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
