package officexml

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/source/charset"
	"docketsync/importer/source/format"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Table is a file of marks.
type Table struct {
	open    format.Opener
	charset charset.Charset
	limits  format.Limits
	header  []string // the names of the columns
	keys    []string // the marks' names for them
	// language is the language of all goods, or "" if there is none or there are several.
	language string
}

// Is reports whether a file begins like XML, in any of the encodings that such files have.
func Is(head []byte) bool {
	plain := bytes.ReplaceAll(bytes.TrimLeft(head, "\xef\xbb\xbf\xff\xfe"), []byte{0}, nil)
	plain = bytes.ToLower(bytes.TrimLeft(plain, " \t\r\n"))
	if bytes.HasPrefix(plain, []byte("<?xml")) || bytes.HasPrefix(plain, []byte("<!doctype trade")) {
		return true
	}
	found := opening.FindSubmatch(plain)
	return found != nil && slices.Contains(roots, string(found[1]))
}

var opening = regexp.MustCompile(`^<(?:[\w.-]+:)?([\w.-]+)[\s>/]`)

// declared matches the encoding that a file declares.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']`)

// Open determines the encoding and reads the file once, for its columns. encoding is the configured one, or "".
func Open(ctx context.Context, open format.Opener, head []byte, encoding string, limits format.Limits) (*Table, error) {
	t := &Table{open: open, limits: limits.WithDefaults()}
	if err := t.findCharset(ctx, head, encoding); err != nil {
		return nil, err
	}
	columns, languages := map[string]bool{}, []string{}
	marks := 0
	err := t.each(ctx, func(m *mark) error {
		marks++
		for key := range m.cells {
			if columns[key] {
				continue
			}
			if columns[key] = true; len(columns) > mostColumns {
				return &format.Error{What: fmt.Sprintf("its marks have more than %d different elements", mostColumns), Row: marks + 1, Line: m.line, Hint: hintHostile}
			}
			if language, is := strings.CutPrefix(key, goodsPath+"/"); is {
				languages = append(languages, language)
				continue
			}
			t.keys = append(t.keys, key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if marks == 0 {
		return nil, &format.Error{What: "the file has no trademark in it", Hint: "docketsync reads trademark files in ST.96 and ST.66. Check that the export completed."}
	}
	t.arrange(languages)
	return t, nil
}

// arrange sorts the columns: those with familiar names first, then the goods, then all others.
func (t *Table) arrange(languages []string) {
	known := func(key string) bool {
		return !strings.Contains(key, "/") && strings.Contains(key, " ") || key == "Mark" || key == "Status" || key == "Office"
	}
	slices.Sort(t.keys)
	others := slices.DeleteFunc(slices.Clone(t.keys), known)
	named := slices.DeleteFunc(t.keys, func(key string) bool { return !known(key) })
	var goods, names []string
	slices.Sort(languages)
	for _, language := range languages {
		name := goodsColumn
		if len(languages) > 1 && language != "" {
			name += " (" + language + ")"
		}
		goods, names = append(goods, goodsPath+"/"+language), append(names, name)
	}
	if len(languages) == 1 && languages[0] != "" {
		t.language = languages[0]
		goods, names = append(goods, ""), append(names, languageName)
	}
	t.keys, t.header = slices.Concat(named, goods, others), slices.Concat(named, names, others)
}

// findCharset determines the encoding from the content. The encoding that the file declares is used only if the content
// does not decide.
func (t *Table) findCharset(ctx context.Context, head []byte, encoding string) (err error) {
	if encoding == "" {
		found, err := charset.Find(ctx, t.open, "")
		if err == nil && (found.Name == "utf-8" || strings.HasPrefix(found.Name, "utf-16")) {
			t.charset = found
			return nil
		}
		encoding = "utf-8" // the default of XML; if it is wrong, reading reports the line
		if said := declared.FindSubmatch(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))); said != nil {
			encoding = strings.ToLower(string(said[1]))
		}
	}
	t.charset, err = charset.Find(ctx, t.open, encoding)
	return err
}

// each calls do for every mark until do fails.
func (t *Table) each(ctx context.Context, do func(*mark) error) error {
	in, err := t.open()
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := t.charset.Decode(in)
	if err != nil {
		return err
	}
	return newReader(text, t.limits).each(ctx, do)
}

// Header returns the names of the columns.
func (t *Table) Header() []string { return t.header }

// Encoding returns the name of the file's encoding.
func (t *Table) Encoding() string { return t.charset.Name }

// Warnings implements format.Table: there are none.
func (t *Table) Warnings() []format.Warning { return nil }

// faults returns the faults of texts beside other elements: no form has these, so it is unknown what belongs to the
// text.
func (t *Table) faults(m *mark) (list []table.Fault) {
	for _, column := range m.mixed {
		list = append(list, table.Fault{Problem: *reason.New(reason.TextMixed), Column: slices.Index(t.keys, column)})
	}
	return list
}

// errStopped means that the consumer of the rows wants no more.
var errStopped = errors.New("stopped")

// Rows implements format.Table: the header first, then a row for each mark.
func (t *Table) Rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		cells := make([]table.Cell, len(t.header))
		for n, name := range t.header {
			cells[n] = table.Cell{Kind: table.Text, Text: name}
		}
		if !yield(table.Row{Number: 1, Line: 1, Cells: cells}, nil) {
			return
		}
		number := 1
		cells = make([]table.Cell, len(t.header))
		err := t.each(ctx, func(m *mark) error {
			number++
			for n, key := range t.keys {
				text := strings.Join(m.cells[key], "\n")
				if key == "" && len(m.cells[goodsPath+"/"+t.language]) > 0 {
					text = t.language
				}
				cells[n] = table.Cell{Text: text}
				if text != "" {
					cells[n].Kind = table.Text
				}
			}
			if !yield(table.Row{Number: number, Line: m.line, Cells: cells, Faults: t.faults(m)}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(table.Row{}, err)
		}
	}
}
