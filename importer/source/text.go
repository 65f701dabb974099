package source

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"docketsync/mapping/table"
)

// textTable is a delimited text file.
type textTable struct {
	open    opener
	charset charset
	finding finding
	limits  Limits
	lenient bool

	found   Detected // warnings about the file itself
	notes   textNotes
	unended bool // no line break ended the row that was read last, so the file ends with it
}

// sampleLength is how much decoded text the dialect is found in.
const sampleLength = 256 << 10

// openText finds the encoding and the dialect of a text file.
func openText(ctx context.Context, open opener, extension string, o Options) (*textTable, error) {
	found, err := findCharset(ctx, open, o)
	if err != nil {
		return nil, err
	}
	t := &textTable{open: open, charset: found, limits: o.Limits, lenient: o.Lenient}
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
	t.finding.dialect.encoding = found.name
	t.doubts()
	return t, nil
}

// sample returns the beginning of the decoded text.
func (t *textTable) sample() ([]byte, error) {
	in, err := t.decoded()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sample := make([]byte, sampleLength)
	n, err := io.ReadFull(in, sample)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return sample[:n], err
}

// decodedFile is the text of a file as UTF-8.
type decodedFile struct {
	io.Reader
	io.Closer
}

// decoded opens the file behind its byte order mark.
func (t *textTable) decoded() (*decodedFile, error) {
	in, err := t.open()
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, in, int64(t.charset.skip)); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	text := &decodedFile{Reader: in, Closer: in}
	if t.charset.decode != nil {
		d := t.charset.decode(in)
		d.offset = int64(t.charset.skip)
		text.Reader = d
	}
	return text, nil
}

func (t *textTable) sheet() string { return "" }

func (t *textTable) close() error { return nil }

// rows implements table.
func (t *textTable) rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		in, err := t.decoded()
		if err != nil {
			yield(table.Row{}, err)
			return
		}
		defer in.Close()
		r := newRecordReader(in.Reader, t.finding.dialect, t.limits)
		r.lenient, r.width = t.lenient, t.finding.dialect.width
		t.notes = textNotes{watchQuotes: t.finding.quotesKept}
		if t.finding.separator {
			if err := r.next(); err != nil {
				yield(table.Row{}, err)
				return
			}
		}
		if err := t.each(ctx, r, yield); err != nil {
			yield(table.Row{}, err)
		}
	}
}

// checkEvery is how many rows are read between two looks at the context.
const checkEvery = 256

// each yields record after record. The error is one that has not been yielded.
func (t *textTable) each(ctx context.Context, r *recordReader, yield func(table.Row, error) bool) error {
	defer func() { t.notes.ending = r.ending }()
	var cells []table.Cell
	for number := 1; ; number++ {
		if number%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := r.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return numbered(err, number)
		}
		cells = cells[:0]
		for _, text := range r.cells {
			if inner, ok := formulaText(text); ok && r.dialect.quote == '"' {
				text, r.repairs.formula = inner, true
			}
			cell := table.Cell{Text: text}
			if text != "" {
				cell.Kind = table.Text
			}
			t.notes.decimals.addText(number, len(cells), text)
			cells = append(cells, cell)
		}
		t.notes.columns = max(t.notes.columns, len(cells))
		t.notes.record(r, number)
		t.unended = r.unended
		if !yield(table.Row{Number: number, Line: r.line, Cells: cells}, nil) {
			return nil
		}
	}
}

// formulaText returns the text in a formula that is nothing but a text, as ="00123" is.
func formulaText(cell string) (text string, ok bool) {
	if len(cell) < 3 || cell[0] != '=' || cell[1] != '"' || cell[len(cell)-1] != '"' {
		return "", false
	}
	text = cell[2 : len(cell)-1]
	return text, strings.IndexByte(text, '"') < 0
}

// numbered puts the row's number into a fault of its record.
func numbered(err error, number int) error {
	var e *Error
	if errors.As(err, &e) && e.Line > 0 {
		placed := *e
		placed.Row = number
		return &placed
	}
	return err
}
