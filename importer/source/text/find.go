package text

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
)

// finding is the dialect of a sample and how it was determined.
type finding struct {
	dialect      record.Dialect
	delimiterWhy string
	quoteWhy     string
	escapeWhy    string
	rival        trial // with another delimiter, which fits nearly as well; it has no records if there is none
	separator    bool  // the first line is "sep=…", which is not a record
	quotesKept   bool  // it was detected, not configured, that quotes are ordinary characters
}

// findDialect reads a sample of the decoded text in every way that the options leave open, and takes the one in which
// it is most regular. whole says that the sample is the whole file.
func findDialect(sample []byte, whole bool, extension string, o Options) (finding, error) {
	quote, err := record.ParseQuote(o.Quote)
	if err != nil {
		return finding{}, err
	}
	var f finding
	delimiters, sample, err := f.delimiters(sample, o)
	if err != nil {
		return finding{}, err
	}
	if quote != 0 && slices.ContainsFunc(delimiters, func(d string) bool { return strings.IndexByte(d, quote) >= 0 }) {
		return finding{}, &format.Error{What: fmt.Sprintf("quote %q is part of the delimiter", quote), Hint: "Set another quote, or quote: none."}
	}
	if slices.Contains(delimiters, record.Spaces) {
		quote = 0
	}
	s := sampled{text: sample, whole: whole, extension: extension, lenient: o.Lenient, limits: o.Limits}
	best := f.choose(s.trials(delimiters, quote, f.escapes(sample, quote, o)), o.Columns)
	if plain, ok := s.withoutQuotes(delimiters, quote, best); ok && o.Quote == "" && o.Escape == "" {
		best = plain
		f.quotesKept, f.quoteWhy = true, "no cell is in quotes, and only so are all rows regular"
	}
	if err := f.unset(s, best, quote, o); err != nil {
		return finding{}, err
	}
	f.dialect = best.dialect
	f.dialect.Width = best.width
	f.reasons(best, o)
	return f, nil
}

// reasons says how each property was determined that was not configured.
func (f *finding) reasons(best trial, o Options) {
	f.delimiterWhy = cmp.Or(f.delimiterWhy, best.why())
	if o.Quote != "" {
		f.quoteWhy = format.Configured
	}
	switch {
	case o.Escape != "":
		f.escapeWhy = format.Configured
	case best.dialect.Backslash:
		f.escapeWhy = "quotes inside quotes have a backslash before them"
	}
}

// delimiters returns the delimiters to try, and the sample without its sep= line.
func (f *finding) delimiters(sample []byte, o Options) (candidates []string, rest []byte, err error) {
	separator, rest := separatorLine(sample)
	f.separator = separator != ""
	if o.Delimiter != "" {
		f.delimiterWhy = format.Configured
		d, err := record.ParseDelimiter(o.Delimiter)
		if d == record.Spaces && (o.Quote != "" || o.Escape != "") {
			err = &format.Error{What: "quote and escape cannot be set together with delimiter: spaces", Hint: "Leave them out, or set another delimiter."}
		}
		return []string{d}, rest, err
	}
	if separator != "" {
		f.delimiterWhy = "sep= line"
		return []string{separator}, rest, nil
	}
	return []string{",", ";", "\t", "|", ""}, rest, nil
}

// separatorLine reads the line "sep=;", which tells Excel the delimiter and is not a row of the table.
func separatorLine(sample []byte) (separator string, rest []byte) {
	const longest = 32
	text := string(sample[:min(len(sample), longest)])
	end := strings.IndexAny(text, "\r\n")
	if end < 0 {
		return "", sample
	}
	line := text[:end]
	if strings.HasPrefix(line, `"`) {
		line = strings.TrimSuffix(line[1:], `"`)
	}
	if len(line) < 5 || len(line) > 4+record.LongestDelimiter || !strings.EqualFold(line[:4], "sep=") {
		return "", sample
	}
	return line[4:], sample[end+1:]
}

// escapes returns whether to try doubled quotes (false) and quotes after backslashes (true).
func (f *finding) escapes(sample []byte, quote byte, o Options) []bool {
	switch {
	case o.Escape == "backslash":
		return []bool{true}
	case o.Escape == "" && quote != 0 && bytes.Contains(sample, []byte{'\\', quote}):
		return []bool{false, true}
	}
	return []bool{false}
}

// choose takes the best trial, the earlier one of two equally good trials. A trial that shows fewer of the wanted
// columns is not a rival.
func (f *finding) choose(all []trial, columns []string) trial {
	const better, near = 1.01, 0.9
	best := all[0]
	for _, t := range all[1:] {
		// Backslashes escape only if nothing else explains the quotes.
		if t.score > better*best.score && (t.dialect.Backslash == best.dialect.Backslash || best.faulty && !t.faulty) {
			best = t
		}
	}
	if f.delimiterWhy != "" {
		return best
	}
	if best.score == 0 {
		best.dialect.Delimiter = ""
	}
	for _, t := range all {
		if t.dialect.Delimiter != best.dialect.Delimiter && t.dialect.Delimiter != "" && !t.faulty && t.score > near*best.score && t.fit(columns) >= best.fit(columns) {
			f.rival = t
		}
	}
	return best
}

// Single quotes around cells and spaces between them are not tried when the dialect is detected: they occur in too many
// texts. If nothing else explains a file, the error names the option that would read it.

// unset returns an error that names the option required to read the sample, if one is.
func (f *finding) unset(s sampled, best trial, quote byte, o Options) (err error) {
	if o.Quote == "" && quote != 0 {
		err = best.quotedSingly()
	}
	if err != nil || o.Delimiter != "" || f.separator {
		return err
	}
	rival, err := s.betweenBlanks(best, quote, o.Columns)
	if f.rival.records == 0 {
		f.rival = rival
	}
	return err
}

// quotedSingly returns the refusal of a sample with single quotes around its cells, which would become part of the
// values.
func (t trial) quotedSingly() error {
	if t.singly < 2 || 2*t.singly < t.records {
		return nil
	}
	return &format.Error{What: fmt.Sprintf("most rows have cells in single quotes, such as %s, which would become part of the values", t.example),
		Hint: `Set quote: "'" if the quotes only surround the cells, or quote: '"' if they belong to the values.`}
}

// inSingleQuotes reports whether a cell, which was read with other quotes, has single quotes around it.
func inSingleQuotes(cell string) bool {
	return len(cell) > 2 && strings.HasPrefix(cell, "'") && strings.HasSuffix(cell, "'")
}

// betweenBlanks checks whether spaces delimit the cells of a sample that is not regular in the best reading. If the
// header or the quotes show it, the error is the refusal of the sample; otherwise that trial is a rival.
func (s sampled) betweenBlanks(best trial, quote byte, columns []string) (rival trial, err error) {
	if best.width > 1 && best.regular == best.records && !best.faulty {
		return rival, nil
	}
	for _, d := range []record.Dialect{{Delimiter: record.Spaces}, {Delimiter: " ", Quote: quote}} {
		t := s.try(d)
		if t.faulty || t.width < 2 || t.records < 2 || t.regular < t.records {
			continue
		}
		fit, bestFit := t.fit(columns), best.fit(columns)
		switch {
		case best.faulty && !s.lenient, fit > bestFit:
			return rival, &format.Error{What: "the cells seem to be separated by blanks: read that way, " + t.why(), Hint: "Set delimiter: " + record.DelimiterName(d.Delimiter) + "."}
		case best.width < 2 && t.width > 2 && fit == bestFit:
			return t, nil
		}
	}
	return rival, nil
}
