package support

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/mapping/table"
)

// run is a run as a bundle has it.
type run struct {
	Made        time.Time        `json:"bundle_made"`
	Program     any              `json:"program"`
	Ledger      Ledger           `json:"ledger"`
	ID          string           `json:"run"`
	Job         string           `json:"job"`
	Scope       string           `json:"scope"`
	Kind        string           `json:"kind"`
	Operation   string           `json:"operation"`
	Phase       string           `json:"phase"`
	StopCode    string           `json:"stop_code,omitempty"`
	Stop        []string         `json:"stop_phrases,omitempty"`
	Fingerprint string           `json:"fingerprint"`
	Started     time.Time        `json:"started"`
	Ended       time.Time        `json:"ended,omitzero"`
	Pruned      time.Time        `json:"pruned,omitzero"`
	Rows        rows             `json:"rows"`
	Outcomes    []ledger.Count   `json:"outcomes"`
	AddsUp      *bool            `json:"adds_up,omitempty"`
	Codes       map[string]int   `json:"codes"` // of reasons and notes, how many
	Unlisted    int              `json:"records_unlisted"`
	Requests    *report.Requests `json:"requests,omitempty"`
	Sources     []source         `json:"sources"`
	Detected    []detected       `json:"detected,omitempty"`
	Export      *ledger.Export   `json:"export,omitempty"`
	Guards      []guard          `json:"guards,omitempty"`
	PassedAt    time.Time        `json:"guards_passed,omitzero"`
}

type rows struct {
	Read      int            `json:"read"`
	InRecords int            `json:"in_records"`
	United    int            `json:"united,omitempty"`
	Skipped   map[string]int `json:"skipped,omitempty"`
}

// source is a file or sheet: how its columns, named by their letters, are used.
type source struct {
	Kind        string            `json:"kind"`
	File        string            `json:"file"`
	Sheet       string            `json:"sheet,omitempty"`
	Content     string            `json:"content,omitempty"`
	Ended       bool              `json:"ends_with_line_break,omitempty"`
	Columns     int               `json:"columns"`
	Named       map[string]string `json:"fields_in_header,omitempty"` // by letter, where the header is a field of the service
	Repeated    []string          `json:"repeated_headers,omitempty"` // letters
	Unnamed     []string          `json:"unnamed,omitempty"`
	DateFormats map[string]string `json:"date_formats,omitempty"`
	Origins     []origin          `json:"fields,omitempty"`
}

// origin is how one field is read.
type origin struct {
	Field   string   `json:"field"`
	From    string   `json:"from"`
	Type    string   `json:"type"`
	Columns []string `json:"columns,omitempty"`
	Lookup  string   `json:"lookup,omitempty"`
}

type guard struct {
	Name   string `json:"name"`
	Column string `json:"column,omitempty"`
}

// describe returns what the bundle says of the run.
func (w *writer) describe() run {
	r := w.run
	d := run{Made: w.now, ID: r.ID, Job: w.hide.hash(r.Job), Scope: w.scope(r.Scope), Kind: word(r.Kind), Operation: word(r.Operation), Phase: word(r.Phase),
		StopCode: word(r.StopCode), Stop: said(r.Stop), Fingerprint: w.hide.hash(r.Fingerprint), Started: r.Started, Ended: r.Ended, Pruned: r.Pruned,
		Rows: rows{r.Counts.Read, r.Counts.InRecords, r.Counts.United, w.skipped(r.Counts.Skipped)}, Detected: w.detected(r.Notes)}
	for _, s := range r.Sources {
		d.Sources = append(d.Sources, w.source(s))
	}
	if r.Export != nil {
		export := *r.Export
		export.Keys, export.Columns = w.hide.hash(export.Keys), slices.Clone(export.Columns)
		for n := range export.Columns {
			export.Columns[n].Name = w.column(0, export.Columns[n].Name)
		}
		d.Export = &export
	}
	for _, g := range r.Guards {
		d.Guards = append(d.Guards, guard{word(g.Name), w.column(0, g.Column)})
	}
	if r.Passed != nil {
		d.PassedAt = r.Passed.At
	}
	return d
}

// scope returns the scope that an operation has by default, or a hash of the firm's own.
func (w *writer) scope(scope string) string {
	if payload.Operation(scope).Known() {
		return scope
	}
	return w.hide.hash(scope)
}

// skips are the readers' own reasons for leaving rows out; other reasons are names that a mapping gives its filters.
var skips = []string{"blank", "repeated header", "footer", "hidden", "band", "forgotten"}

func (w *writer) skipped(counts map[string]int) map[string]int {
	own := map[string]int{}
	for reason, n := range counts {
		if !slices.Contains(skips, reason) {
			reason = "filter " + w.hide.hash(reason)
		}
		own[reason] += n
	}
	return own
}

// kinds are the file endings that say how a file is read.
var kinds = []string{"csv", "tsv", "txt", "tab", "xlsx", "xlsm", "xls", "ods", "xml", "zip", "gz"}

func (w *writer) source(s ledger.Source) source {
	kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(s.File)), ".")
	if !slices.Contains(kinds, kind) {
		kind = "other"
	}
	own := source{Kind: kind, File: w.hide.hash(s.File), Sheet: w.hide.hash(s.Sheet), Content: w.hide.hash(s.SHA256), Ended: s.Ended, Columns: len(s.Header),
		Named: map[string]string{}, DateFormats: map[string]string{}}
	for n, name := range s.Header {
		letter := table.ColumnLetter(n)
		switch {
		case name == "":
			own.Unnamed = append(own.Unnamed, letter)
		case slices.Contains(s.Header[:n], name):
			own.Repeated = append(own.Repeated, letter)
		case w.field(name) == name:
			own.Named[letter] = name
		}
	}
	for n, format := range s.DateFormats {
		if !dateCodes.MatchString(format) {
			format = "other"
		}
		own.DateFormats[table.ColumnLetter(n)] = format
	}
	for _, o := range s.Origins {
		read := origin{Field: w.field(o.Field), From: words(o.From), Type: words(o.Type), Lookup: w.hide.hash(o.Lookup)}
		for _, n := range o.Columns {
			read.Columns = append(read.Columns, table.ColumnLetter(n))
		}
		own.Origins = append(own.Origins, read)
	}
	return own
}

// plainWords matches how origins are spelled: "list of GUIDs".
var plainWords = regexp.MustCompile(`^[A-Za-z][A-Za-z ]{0,30}$`)

// words returns the words for a type or for where a value comes from.
func words(text string) string {
	if plainWords.MatchString(text) {
		return text
	}
	return ""
}

// dateCodes matches a number format that has only letters for parts of a date and what stands between them; others may
// hold words.
var dateCodes = regexp.MustCompile(`(?i)^[dmyhs/.:, \\;@0-]*(am/pm)?$`)

// field returns a field of the service, by the name that the operation gives it. Of a component, whose id is the
// service's, it only says that it is one.
func (w *writer) field(name string) string {
	if name == "key" || name == "rows" {
		return name
	}
	if before, _, ok := strings.Cut(name, "."); ok && before == "components" {
		return before
	}
	for _, f := range payload.Fields(payload.Operation(w.run.Operation), payload.Switches{}) {
		if f.Name == name {
			return name
		}
		for _, item := range f.Items {
			if f.Name+"."+item.Name == name {
				return name
			}
		}
	}
	return ""
}

// cellAddress matches the address of a cell, as spreadsheets spell it.
var cellAddress = regexp.MustCompile(`^([A-Z]{1,3})[0-9]{1,8}$`)

// column returns the letter of a source's column, by its name; "" if there is no such column.
func (w *writer) column(source int, name string) string {
	if source < 0 || source >= len(w.run.Sources) || name == "" {
		return ""
	}
	if n := slices.Index(w.run.Sources[source].Header, name); n >= 0 {
		return table.ColumnLetter(n)
	}
	return ""
}

// detected is what a reader found out about a file: its numbers, and those words that come from a list of ours.
type detected struct {
	Format      string         `json:"format,omitempty"`
	Compression string         `json:"compression,omitempty"`
	Encoding    string         `json:"encoding,omitempty"`
	Delimiter   string         `json:"delimiter,omitempty"`
	Escape      string         `json:"escape,omitempty"`
	LineEnds    string         `json:"line_ends,omitempty"`
	DateSystem  string         `json:"date_system,omitempty"`
	Sheets      int            `json:"sheets,omitempty"`
	HeaderRow   int            `json:"header_row"`
	HeaderRows  int            `json:"header_rows"`
	AboveHeader int            `json:"above_header"`
	Columns     int            `json:"columns"`
	Rows        int            `json:"rows"`
	Skipped     map[string]int `json:"skipped,omitempty"`
	Warnings    []warning      `json:"warnings,omitempty"`
}

type warning struct {
	Code  string `json:"code"`
	Rows  []int  `json:"rows,omitempty"`
	Count int    `json:"count,omitempty"`
}

var (
	encodingName = regexp.MustCompile(`(?i)^(utf-8|utf-16[bl]e|windows-\d+|iso-8859-\d+|macintosh|ibm\d+|cp\d+|us-ascii|ascii)$`)
	spelledOut   = []string{"csv", "xlsx", "ods", "xls", "xml", "gzip", "zip", "comma", "semicolon", "tab", "pipe", "space", "double", "backslash", "LF", "CRLF", "CR", "mixed", "1900", "1904"}
)

func (w *writer) detected(notes json.RawMessage) (list []detected) {
	var items []struct {
		detected
		Sheets []string `json:"sheets"`
		Header *int     `json:"header_row"`
	}
	_ = json.Unmarshal(notes, &items) // what cannot be read is left out
	for _, item := range items {
		if item.Header == nil {
			continue // the item is about a list or a lookup
		}
		d := item.detected
		d.HeaderRow, d.Sheets = *item.Header, len(item.Sheets)
		for _, text := range []*string{&d.Format, &d.Compression, &d.Delimiter, &d.Escape, &d.LineEnds, &d.DateSystem} {
			if *text != "" && !slices.Contains(spelledOut, *text) {
				*text = "other"
			}
		}
		if d.Encoding != "" && !encodingName.MatchString(d.Encoding) {
			d.Encoding = "other"
		}
		d.Skipped, d.Warnings = w.skipped(d.Skipped), slices.Clone(d.Warnings)
		for n := range d.Warnings {
			d.Warnings[n].Code = word(d.Warnings[n].Code)
		}
		list = append(list, d)
	}
	return list
}
