package text

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"docketsync/importer/source/charset"
	"docketsync/importer/source/format"
	"docketsync/importer/source/text/record"
	"docketsync/mapping/table"
)

// Options set what would otherwise be detected; see source.Options.
type Options struct {
	Encoding, Delimiter, Quote, Escape string

	Lenient bool
	Columns []string // the columns that the reader of the rows needs; they help to detect the delimiter
	Limits  format.Limits
}

// Table is a delimited text file.
type Table struct {
	open    format.Opener
	charset charset.Charset
	finding finding
	options Options

	doubts  []format.Warning // guesses about the file itself
	notes   notes
	unended bool
}

// sampleLength is how much decoded text is used to detect the dialect.
const sampleLength = 256 << 10

// Open determines the encoding and the dialect of a text file. It calls refuse with the beginning of the decoded text;
// refuse returns an error if the file is something other than a table.
func Open(ctx context.Context, open format.Opener, extension string, refuse func([]byte) error, o Options) (*Table, error) {
	found, err := charset.Find(ctx, open, o.Encoding)
	if err != nil {
		return nil, err
	}
	t := &Table{open: open, charset: found, options: o}
	sample, err := t.sample()
	if err != nil {
		return nil, err
	}
	if err := refuse(sample); err != nil {
		return nil, err
	}
	if t.finding, err = findDialect(sample, len(sample) < sampleLength, extension, o); err != nil {
		return nil, err
	}
	t.finding.dialect.Encoding = found.Name
	var inQuotes format.Warning
	if t.finding.quotesKept && len(sample) == sampleLength {
		inQuotes = t.inQuotes(ctx)
	}
	t.doubts = t.guesses(inQuotes)
	return t, nil
}

// sample returns the beginning of the decoded text.
func (t *Table) sample() ([]byte, error) {
	in, err := t.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := t.charset.Decode(in)
	if err != nil {
		return nil, err
	}
	return format.ReadHead(text, sampleLength)
}

// Dialect says how the file is written; its width is that of most rows.
func (t *Table) Dialect() record.Dialect { return t.finding.dialect }

// Unended reports whether no line break ended the last row read, so that the file ends with it.
func (t *Table) Unended() bool { return t.unended }

// Rows implements format.Table.
func (t *Table) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		if err := t.read(ctx, yield); err != nil {
			yield(table.Row{}, err)
		}
	}
}

// read yields record after record. It returns an error that has not been yielded.
func (t *Table) read(ctx context.Context, yield func(table.Row, error) bool) error {
	in, err := t.open()
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := t.charset.Decode(in)
	if err != nil {
		return err
	}
	r := record.New(text, t.finding.dialect, t.options.Limits)
	r.Lenient, r.Width, r.QuoteKnown = t.options.Lenient, t.finding.dialect.Width, t.options.Quote != ""
	t.notes = notes{}
	if t.finding.separator {
		if err := r.Next(); err != nil {
			return err
		}
	}
	return t.each(ctx, r, yield)
}

// checkEvery is how many rows are read between two checks of the context.
const checkEvery = 256

// each yields record after record. It returns an error that has not been yielded.
func (t *Table) each(ctx context.Context, r *record.Reader, yield func(table.Row, error) bool) error {
	defer func() { t.notes.ending = r.Ending }()
	var reused [2][]table.Cell // alternating, so that a row can be looked at beside the next
	for number := 1; ; number++ {
		if number%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := r.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return numbered(err, number)
		}
		cells := reused[number%2][:0]
		for _, text := range r.Cells {
			if inner, ok := formulaText(text); ok && t.finding.dialect.Quote == '"' {
				text, r.Repairs.Formula = inner, true
			}
			cell := table.Cell{Text: text}
			if text != "" {
				cell.Kind = table.Text
			}
			t.notes.decimals.AddText(number, len(cells), text)
			cells = append(cells, cell)
		}
		reused[number%2] = cells
		t.notes.record(r, number)
		t.unended = r.Unended
		if !yield(table.Row{Number: number, Line: r.Line, Unended: r.Unended, Cells: cells}, nil) {
			return nil
		}
	}
}

// formulaText returns the text of a formula that consists only of a text, such as ="00123".
func formulaText(cell string) (text string, ok bool) {
	if len(cell) < 3 || cell[0] != '=' || cell[1] != '"' || cell[len(cell)-1] != '"' {
		return "", false
	}
	text = cell[2 : len(cell)-1]
	return text, strings.IndexByte(text, '"') < 0
}

// numbered adds the row's number to an error of its record.
func numbered(err error, number int) error {
	if e, is := errors.AsType[*format.Error](err); is && e.Line > 0 {
		placed := *e
		placed.Row = number
		return &placed
	}
	return err
}
