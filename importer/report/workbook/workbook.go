// Package workbook writes the workbooks that people get, sheet by sheet and row by row, so that memory does not grow
// with them.
//
// Every text is written as text, never as a formula. Rows wait in a folder until the workbook is whole. The first error
// is kept: what comes after it has no effect, and Write returns it. The caller decides what is in the sheets, and
// whether a text may be changed to fit: package rejects leaves out what a cell cannot hold, package certificate
// shortens it. It imports nothing of ours.
package workbook

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// The limits of a worksheet. CellLength is in UTF-16 units.
const (
	Rows       = 1048576
	Columns    = 16384
	CellLength = 32767
)

// Fits reports whether a cell can hold a text of this length.
func Fits(text string) bool {
	return len(text) <= CellLength || len(utf16.Encode([]rune(text))) <= CellLength
}

// Unwritable reports the characters that no XML document can hold. Worksheets have an escape for them, but not all
// programs understand it.
func Unwritable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// Book is a workbook being written. For what it does not offer, use its File, and Keep for the error.
type Book struct {
	File   *excelize.File
	sheets []*Sheet
	styles map[Look]int
	err    error
}

// New begins a workbook. id is the run it is about, "" for none. Rows wait in folder; "" means the system's folder.
func New(title, id string, made time.Time, folder string) *Book {
	b := &Book{File: excelize.NewFile(excelize.Options{TmpDir: folder}), styles: map[Look]int{}}
	at := made.UTC().Format("2006-01-02T15:04:05Z")
	b.Keep(b.File.SetDocProps(&excelize.DocProperties{Creator: "docketsync", LastModifiedBy: "docketsync", Title: title, Identifier: id, Created: at, Modified: at}))
	b.prefixCore()
	return b
}

// corePart is the part with the properties of the document.
const corePart = "docProps/core.xml"

// prefixCore spells the properties as Excel does. excelize leaves out the prefix of some, and exceljs then refuses them
// as unknown properties.
func (b *Book) prefixCore() {
	part, ok := b.File.Pkg.Load(corePart)
	text, is := part.([]byte)
	if !ok || !is {
		return
	}
	const space = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
	b.File.Pkg.Store(corePart, []byte(strings.NewReplacer(`<coreProperties xmlns="`+space+`"`, `<cp:coreProperties xmlns:cp="`+space+`"`, "</coreProperties>", "</cp:coreProperties>",
		"<lastModifiedBy>", "<cp:lastModifiedBy>", "</lastModifiedBy>", "</cp:lastModifiedBy>").Replace(string(text))))
}

// Ordered makes the parts of the workbook be written in the order of their names, so that equal workbooks are equal
// bytes. They are held in memory for that, because excelize writes streamed parts in the order of a map.
func (b *Book) Ordered() {
	b.File.SetZipWriter(func(to io.Writer) excelize.ZipWriter { return &parts{zip.NewWriter(to), map[string]*bytes.Buffer{}} })
}

// Keep keeps the first error.
func (b *Book) Keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Err returns the first error.
func (b *Book) Err() error { return b.err }

// Look is how a cell looks. The zero value is a plain cell.
type Look struct {
	Format             string // number format, "" for the general one
	Fill               string // colour as RRGGBB, like Ink
	Ink                string
	Size               float64
	Bold, Italic, Wrap bool
	Boxed, Underlined  bool
}

// Style returns the number of the style with that look; each style is made once.
func (b *Book) Style(l Look) int {
	if id, ok := b.styles[l]; ok {
		return id
	}
	s := excelize.Style{Alignment: &excelize.Alignment{Vertical: "top", WrapText: l.Wrap}}
	if l.Format != "" {
		s.CustomNumFmt = &l.Format
	}
	if l.Fill != "" {
		s.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{l.Fill}}
	}
	if l.Bold || l.Italic || l.Size > 0 || l.Ink != "" {
		s.Font = &excelize.Font{Bold: l.Bold, Italic: l.Italic, Size: l.Size, Color: l.Ink}
	}
	if l.Underlined {
		s.Border = []excelize.Border{{Type: "bottom", Color: "23272D", Style: 1}}
	}
	if l.Boxed {
		for _, side := range []string{"left", "right", "top", "bottom"} {
			s.Border = append(s.Border, excelize.Border{Type: side, Color: "5F6670", Style: 1})
		}
	}
	id, err := b.File.NewStyle(&s)
	b.Keep(err)
	b.styles[l] = id
	return id
}

// Sheet is a worksheet being written.
type Sheet struct {
	Name   string
	Rows   int // written so far
	book   *Book
	stream *excelize.StreamWriter
}

// Sheet begins a sheet after the existing ones, with the widths of its first columns. With header, the first row stays
// in view.
func (b *Book) Sheet(name string, header bool, widths ...float64) *Sheet {
	s := &Sheet{Name: name, book: b}
	b.sheets = append(b.sheets, s)
	if len(b.sheets) == 1 {
		b.Keep(b.File.SetSheetName("Sheet1", name))
	} else {
		_, err := b.File.NewSheet(name)
		b.Keep(err)
	}
	if b.err != nil {
		return s
	}
	s.stream, b.err = b.File.NewStreamWriter(name)
	for n, width := range widths {
		s.Width(n+1, n+1, width)
	}
	if header && b.err == nil {
		b.Keep(s.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
	}
	return s
}

// Width sets the width of columns; call it before the first row.
func (s *Sheet) Width(from, to int, width float64) {
	if s.book.err == nil {
		s.book.err = s.stream.SetColWidth(from, to, width)
	}
}

// Put writes a row. excelize cells keep their own styles; bare values get this one.
func (s *Sheet) Put(style int, values ...any) {
	s.Rows++
	cells := make([]any, len(values))
	for n, value := range values {
		if _, own := value.(excelize.Cell); own || value == nil {
			cells[n] = value
			continue
		}
		cells[n] = excelize.Cell{StyleID: style, Value: value}
	}
	if s.book.err == nil {
		s.book.err = s.stream.SetRow(fmt.Sprintf("A%d", s.Rows), cells)
	}
}

// Write writes the workbook and returns the first error.
func (b *Book) Write(out io.Writer) error {
	for _, s := range b.sheets {
		if b.err == nil {
			b.err = s.stream.Flush()
		}
	}
	if b.err == nil {
		_, b.err = b.File.WriteTo(out)
	}
	return b.err
}

// Close removes the temporary files with rows.
func (b *Book) Close() error { return b.File.Close() }

// parts is an archive that holds its parts in memory until it is complete.
type parts struct {
	*zip.Writer
	held map[string]*bytes.Buffer
}

// Create begins a part.
func (p *parts) Create(name string) (io.Writer, error) {
	p.held[name] = &bytes.Buffer{}
	return p.held[name], nil
}

// Close writes the parts.
func (p *parts) Close() error {
	for _, name := range slices.Sorted(maps.Keys(p.held)) {
		w, err := p.Writer.Create(name)
		if err == nil {
			_, err = w.Write(p.held[name].Bytes())
		}
		if err != nil {
			return err
		}
	}
	return p.Writer.Close()
}
