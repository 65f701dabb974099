package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// bombs are small files that would take much time or memory, by name, with what the refusal says.
func bombs(tb testing.TB) map[string]struct{ content, words string } {
	longText := strings.Repeat("goods of class 9 ", 1900)
	var references, wide, deep strings.Builder
	for n := range 40_000 {
		fmt.Fprintf(&references, `<row r="%d"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>`, n+1)
	}
	for range 1_000_000 {
		wide.WriteString(`<c><v>1</v></c>`)
	}
	deep.WriteString(strings.Repeat("<a>", 1_000_000))
	odsRow := func(rows, columns int, text string) string {
		return fmt.Sprintf(`<table:table-row table:number-rows-repeated="%d"><table:table-cell table:number-columns-repeated="%d" office:value-type="string"><text:p>%s</text:p></table:table-cell></table:table-row>`, rows, columns, text)
	}
	book := func(data, shared string) string {
		return string(sourcetest.Archive(tb, sourcetest.Book(sourcetest.Styles, shared, "", sourcetest.Sheet{Name: "S", Data: data})))
	}
	ods := func(rows string) string { return string(sourcetest.ODS(tb, sourcetest.ODSTable("S", rows))) }
	var xlsReferences strings.Builder
	for n := range 40_000 {
		xlsReferences.WriteString(sourcetest.SharedAt(uint16(n), 0, 0) + sourcetest.SharedAt(uint16(n), 1, 0))
	}
	return map[string]struct{ content, words string }{
		"shared-text.xlsx":     {book(references.String(), "<si><t>"+longText+"</t></si>"), "of text of a file of"},
		"shared-3mb.xlsx":      {book(references.String(), "<si><t>"+strings.Repeat("x", 3<<20)+"</t></si>"), "of text of a file of"},
		"million-columns.xlsx": {book("<row>"+wide.String()+"</row>", ""), "more than 16384 columns"},
		"deep.xlsx":            {book("<row><c>"+deep.String()+"</c></row>", ""), "could do harm"},
		"zeros.xlsx":           {book(strings.Repeat(" ", 66<<20), ""), "decompression bombs"},
		"text-repeated.ods":    {ods(strings.Repeat(odsRow(1_000, 400, longText), 10)), "of text of a file of"},
		"shared-text.xls":      {string(sourcetest.XLSStream(sourcetest.SharedText(sourcetest.Latin(longText[:8000])), xlsReferences.String())), "of text of a file of"},
		"strings.xls":          {string(sourcetest.XLSStream(sourcetest.BIFF(0x00fc, uint32(1<<31), uint32(1<<31), uint16(65535), uint8(1)), sourcetest.XLSCells)), "ends too early"},
		"zeros.csv.gz":         {gzipped(tb, strings.Repeat("a,b\n", 17<<20)), "decompression bombs"},
		"empty-members.csv.gz": {strings.Repeat(gzipped(tb, ""), 10_100), "next to nothing"},
		"noise-then-zeros.gz":  {noiseThenZeros(tb), "decompression bombs"},
		"zeros.zip":            {zipped(tb, "in.csv", strings.Repeat("a,b\n", 17<<20)), "decompression bombs"},
	}
}

// noiseThenZeros is a text that begins with what cannot be packed, so that the whole does not shrink too well for a table.
func noiseThenZeros(tb testing.TB) string {
	var b bytes.Buffer
	out := gzip.NewWriter(&b)
	noise := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		fmt.Fprintf(out, "%016x,%016x\n", noise.Uint64(), noise.Uint64())
	}
	if _, err := io.Copy(out, strings.NewReader(strings.Repeat("a,b\n", 33<<20))); err != nil {
		tb.Fatal(err)
	}
	if err := out.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// Every bomb is refused for what it is, and so before it is unpacked.
func TestBombsAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, bomb := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, dir, name, []byte(bomb.content), 0o600)
			err := readThrough(t.Context(), path, Options{})
			sourcetest.WantRefusal(t, err, bomb.words)
		})
	}
}

// readThrough reads all rows of a file.
func readThrough(ctx context.Context, path string, o Options) error {
	s, err := Open(ctx, path, o)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, rowErr := range s.Rows(ctx) {
		err = rowErr
	}
	return err
}

func TestLongTextsOfWorkbooksAreErrors(t *testing.T) {
	t.Parallel()
	most, over := strings.Repeat("é", format.LongestText), strings.Repeat("é", format.LongestText+1)
	row := func(text string) string { return `<row><c t="inlineStr"><is><t>` + text + `</t></is></c></row>` }
	got := sourcetest.Show(mustRows(t, openOne(t, sheetsBytes(t, sourcetest.Sheet{Name: "S", Data: row("Goods") + row(most) + row(over)}), Options{})))
	if got[1] != "2|T "+most || got[2] != "3|E (more than 32,767 characters: "+strings.Repeat("é", 40)+"…)" {
		t.Errorf("%.200s\n%.200s", got[1], got[2])
	}
}

// A part of which nobody wants more is not read to its end.
func TestCancelledReadingStopsWithinAPart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	parts := sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "S", Data: sourcetest.SmallTable, After: strings.Repeat("<x/>", 1<<20)})
	path := writeFile(t, t.TempDir(), "in.xlsx", sourcetest.Archive(t, parts), 0o600)
	s, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, err = range s.Rows(ctx) {
		cancel()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the reading ended with %v", err)
	}
}
