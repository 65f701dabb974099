package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
)

// sampled is the beginning of a file, to be read in several ways.
type sampled struct {
	text      []byte
	whole     bool // it is the whole file
	extension string
	lenient   bool
	limits    format.Limits
}

// trial is the result of reading the sample in one way.
type trial struct {
	dialect  record.Dialect
	records  int     // those that are not blank
	width    int     // the most frequent number of cells
	regular  int     // records of that width
	clean    float64 // share of cells that look whole
	faulty   bool    // a quote was stray
	consumed float64 // share of the sample read before the error
	quoted   bool    // a cell is in quotes, or begins with an unpaired quote
	score    float64

	first   [][]string // the cells of the first records
	singly  int        // records with a cell in single quotes
	example string     // the first such cell
}

// firstRecords is how many records, including titles above the header, are searched for the header.
const firstRecords = 20

// fit returns the maximum number of wanted columns that one of the first records names.
func (t trial) fit(columns []string) (most int) {
	for _, cells := range t.first {
		most = max(most, format.Fit(cells, columns))
	}
	return most
}

func (s sampled) trials(delimiters []string, quote byte, escapes []bool) []trial {
	var all []trial
	for _, escape := range escapes {
		for _, d := range delimiters {
			all = append(all, s.try(record.Dialect{Delimiter: d, Quote: quote, Backslash: escape}))
		}
	}
	return all
}

// withoutQuotes returns the best reading with quotes as ordinary characters, if it explains what the best one with
// quotes does not: all rows must be regular, and no cell may look as if its quotes were meant.
func (s sampled) withoutQuotes(delimiters []string, quote byte, best trial) (plain trial, ok bool) {
	if quote == 0 || !best.faulty || bytes.Contains(s.text, []byte{'\\', quote}) {
		return trial{}, false
	}
	for _, t := range s.trials(delimiters, 0, []bool{false}) {
		if t.records > 1 && t.width > 1 && t.regular == t.records && !t.quoted && t.score > plain.score {
			plain, ok = t, true
		}
	}
	return plain, ok
}

// try reads the sample in one way.
func (s sampled) try(d record.Dialect) trial {
	t := trial{dialect: d}
	r := record.New(bytes.NewReader(s.text), d, s.limits)
	r.Lenient = s.lenient
	widths := map[int]int{}
	var read, cells, clean int
	for {
		if err := r.Next(); err != nil {
			cutOff := record.Unclosed(err) && !s.whole
			t.faulty = t.faulty || !errors.Is(err, io.EOF) && !cutOff
			break
		}
		if r.AtEnd() && !s.whole {
			break // the sample may end in the middle of this record
		}
		t.faulty = t.faulty || r.Repairs.UnquotedEscape || r.Repairs.Stray
		read += len(r.Raw) + 1
		if !slices.ContainsFunc(r.Cells, func(cell string) bool { return !format.BlankText(cell) }) {
			continue
		}
		if t.records++; t.records <= firstRecords {
			t.first = append(t.first, slices.Clone(r.Cells))
		}
		if at := slices.IndexFunc(r.Cells, inSingleQuotes); at >= 0 {
			t.singly++
			t.example = cmp.Or(t.example, format.FirstLine(r.Cells[at]))
		}
		widths[len(r.Cells)]++
		cells += len(r.Cells)
		clean += cleanCells(r, d)
		t.quoted = t.quoted || slices.ContainsFunc(r.Cells, meansQuotes)
	}
	for width, n := range widths {
		if n > t.regular || n == t.regular && width > t.width {
			t.width, t.regular = width, n
		}
	}
	t.clean = float64(clean) / float64(max(cells, 1))
	t.consumed = min(1, float64(read)/float64(max(len(s.text), 1)))
	t.score = t.rate(s.extension)
	return t
}

// rate says how regular the sample was, from 0 to about 1. A single column is always regular, so it must win by what
// its cells look like: it does if the possible delimiters are the commas of sentences and decimals.
func (t trial) rate(extension string) float64 {
	const oneColumn, faulty, named = 0.75, 0.5, 1.1
	d := t.dialect.Delimiter
	if t.records == 0 || d != "" && t.width < 2 {
		return 0
	}
	share := float64(t.regular) / float64(t.records)
	score := share * share * t.clean * t.clean * (0.5 + t.consumed/2)
	if d == "" {
		score *= oneColumn
	}
	if t.faulty {
		score *= faulty
	}
	if extension == ".tsv" && d == "\t" || extension == ".psv" && d == "|" {
		score *= named
	}
	return score
}

// meansQuotes reports whether a cell that was read with its quotes looks as if they were not part of it.
func meansQuotes(cell string) bool {
	return strings.HasPrefix(cell, `"`) && (len(cell) > 1 && strings.HasSuffix(cell, `"`) || strings.Count(cell, `"`)%2 == 1)
}

func (t trial) why() string {
	if t.dialect.Delimiter == "" {
		return "no delimiter makes regular columns"
	}
	if t.regular == t.records {
		return fmt.Sprintf("all %d rows examined have %s", t.records, format.CellCount(t.width))
	}
	return fmt.Sprintf("%d of %d rows examined have %s", t.regular, t.records, format.CellCount(t.width))
}

// cleanCells counts the cells of the record that look whole: those with nothing that another delimiter would split,
// unless in quotes.
func cleanCells(r *record.Reader, d record.Dialect) int {
	n := 0
	for _, cell := range r.Cells {
		if wholeText(cell, d.Delimiter) || d.Quote != 0 && quotedIn(r.Raw, cell, d.Quote) {
			n++
		}
	}
	return n
}

func quotedIn(raw []byte, cell string, quote byte) bool {
	beginning, _, _ := strings.Cut(cell, string(quote))
	return bytes.Contains(raw, append([]byte{quote}, beginning...))
}

// wholeText reports whether possible delimiters in a cell are part of a text or number. Tabs and pipes seldom are.
// Commas and semicolons are if a space follows, in a number, and whenever tabs or pipes delimit.
func wholeText(text, delimiter string) bool {
	if strings.ContainsAny(text, "\t|") {
		return false
	}
	if delimiter == "\t" || delimiter == "|" {
		return true
	}
	decimals := 0
	for i := 0; i < len(text); i++ {
		if text[i] != ',' && text[i] != ';' {
			continue
		}
		if i+1 < len(text) && strings.IndexByte(" \r\n", text[i+1]) >= 0 {
			continue
		}
		if text[i] == ';' || i == 0 || i+1 == len(text) || !format.IsDigit(text[i-1]) || !format.IsDigit(text[i+1]) {
			return false
		}
		decimals++
	}
	return decimals <= 1
}
