package text

import (
	"fmt"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
)

// Single quotes around cells and blanks between them are not tried when the dialect is found: they stand in too many texts. Where
// nothing else explains a file, the setting that would read it is named.

// unset names the setting that would read the sample, if it takes one.
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

// quotedSingly returns the refusal of a sample with single quotes around its cells, which would become part of the values.
func (t trial) quotedSingly() error {
	if t.singly < 2 || 2*t.singly < t.records {
		return nil
	}
	return &format.Error{What: fmt.Sprintf("most rows have cells in single quotes, such as %s, which would become part of the values", t.example),
		Hint: `Set quote: "'" if the quotes only surround the cells, or quote: '"' if they belong to the values.`}
}

// inSingleQuotes tells if a cell, which was read with other quotes, has single ones around it.
func inSingleQuotes(cell string) bool {
	return len(cell) > 2 && strings.HasPrefix(cell, "'") && strings.HasSuffix(cell, "'")
}

// betweenBlanks looks whether blanks delimit the cells of a sample that is not regular as best reads it. The error is its refusal, where the
// header or the quotes show it; otherwise that trial is a rival.
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
