// Package page writes report.html.
//
// It is one self-contained file that can be mailed and opened without a network. Its policy forbids every request, and
// every script and style except its own, which it identifies by digest. Without scripts it shows the verdict, the
// counts, the charts, the causes and the first rejected rows. The table of all records is data for its script, in
// blocks of deflated JSON in base64. That makes a page of 100,000 records ten times smaller, and no text in it can be
// read as markup. The browser at first unpacks only what the table shows; it unpacks the text to search in when
// somebody searches, and the cells, payload and attempts of a record when somebody opens it. Values of payloads are
// passed as texts, because a browser's JSON would round their numbers.
//
// For 100,000 records of 12 cells, the page is 11 MB. On two cores, its table can be used 0.5 s after it is opened; a
// filter takes 15 ms, a search 25 ms, the first one 45 ms, sorting by name 0.2 s (go test ./importer/report -run '^$'
// -bench Open -benchtime 5x).
package page

import (
	"bufio"
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"docketsync/importer/moment"
	"docketsync/importer/report"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"thousands": wording.Thousands, "plural": wording.Counted, "word": wording.Plural, "base": wording.BaseName, "upper": wording.UpperFirst,
	"words":   func(operation string) string { return strings.ReplaceAll(operation, "_", " ") },
	"stopped": remedy.Short, "phase": remedy.Phase, "tail": wording.Tail, "day": moment.Day, "clock": moment.Clock, "moment": moment.Of,
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"minus": func(a, b int) int { return a - b },
}).Parse(pageTemplate))

// htmlWriter writes the page as records come in: first all that a person reads without scripts, then the data of the
// table.
type htmlWriter struct {
	out     *bufio.Writer
	summary *report.Summary
	columns [][]int // with the facets, by source

	index   pageIndex
	text    bytes.Buffer
	details []pageDetail
	listed  int
	deflate *flate.Writer // one compressor for all blocks
}

// New begins a page.
func New(w io.Writer, s *report.Summary) (report.Form, error) {
	deflate, _ := flate.NewWriter(nil, flate.DefaultCompression) // it fails only for invalid levels
	h := &htmlWriter{out: bufio.NewWriterSize(w, 1<<16), summary: s, columns: facetColumns(s.Run), deflate: deflate}
	return h, wording.WritePage(h.out, page, "top", newView(s))
}

func (h *htmlWriter) Add(e report.Entry) error {
	cells := make([][]table.Cell, 0, len(e.Rows))
	for _, row := range e.Rows {
		list, err := table.StoredCells(row.Cells)
		if err != nil {
			return fmt.Errorf("row %d: %w", row.Number, err)
		}
		cells = append(cells, list)
	}
	name := titleOf(h.summary.Run, e.Record, cells)
	h.listed++
	h.index.add(h.summary, e, name, facetsOf(h.columns, e.Rows, cells))
	h.text.WriteString(searchText(e, name, cells))
	h.text.WriteByte('\n')
	detail, err := newDetail(h.summary, e)
	if err != nil {
		return err
	}
	h.details = append(h.details, detail)
	if len(h.details) == detailChunk {
		err = h.flushDetails()
	}
	if len(h.index.Seq) == indexChunk && err == nil {
		err = h.flushIndex()
	}
	return err
}

func (h *htmlWriter) End() error {
	err := h.flushDetails()
	if err == nil {
		err = h.flushIndex()
	}
	if err == nil {
		err = wording.WritePage(h.out, page, "end", h.summary.ListedRecords()-h.listed)
	}
	if err != nil {
		return err
	}
	return h.out.Flush()
}

func (h *htmlWriter) flushDetails() error {
	if len(h.details) == 0 {
		return nil
	}
	data, err := json.Marshal(h.details)
	if h.details = h.details[:0]; err != nil {
		return err
	}
	return h.chunk("detail", data)
}

func (h *htmlWriter) flushIndex() error {
	if len(h.index.Seq) == 0 {
		return nil
	}
	data, err := json.Marshal(h.index)
	h.index = pageIndex{}
	defer h.text.Reset()
	if err == nil {
		err = h.chunk("index", data)
	}
	if err != nil {
		return err
	}
	return h.chunk("text", h.text.Bytes())
}

// chunk writes a block of data that the page's script unpacks: deflated and in base64, which has no character with a
// meaning in HTML.
func (h *htmlWriter) chunk(kind string, data []byte) error {
	fmt.Fprintf(h.out, "<script type=\"application/json\" data-chunk=%q>\"", kind)
	encoder := base64.NewEncoder(base64.StdEncoding, h.out)
	h.deflate.Reset(encoder)
	_, err := h.deflate.Write(data)
	if err = errors.Join(err, h.deflate.Close(), encoder.Close()); err != nil {
		return fmt.Errorf("pack the page's data: %w", err)
	}
	_, err = h.out.WriteString("\"</script>\n")
	return err
}
