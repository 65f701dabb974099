package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// long tells whether tests that read a lot read as much as they can (DOCKETSYNC_LONG=1), instead of enough to show the same.
func long() bool { return os.Getenv("DOCKETSYNC_LONG") == "1" }

// bombs are small files that would take much time or memory, by name, with what the refusal says.
func bombs(tb testing.TB) map[string]struct {
	content func() string
	words   string
} {
	references, columns, depth := 2_000, 20_000, 1_000
	if long() {
		references, columns, depth = 40_000, 1_000_000, 1_000_000
	}
	longText := strings.Repeat("goods of class 9 ", 1900)
	book := func(data, shared string) string {
		return string(sourcetest.Archive(tb, sourcetest.Book(sourcetest.Styles, shared, "", sourcetest.Sheet{Name: "S", Data: data})))
	}
	shared := func(text string) func() string {
		return func() string {
			var rows strings.Builder
			for n := range references {
				fmt.Fprintf(&rows, `<row r="%d"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>`, n+1)
			}
			return book(rows.String(), "<si><t>"+text+"</t></si>")
		}
	}
	const odsRow = `<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="400" office:value-type="string"><text:p>%s</text:p></table:table-cell></table:table-row>`
	return map[string]struct {
		content func() string
		words   string
	}{
		"shared-text.xlsx":     {shared(longText), "of text of a file of"},
		"shared-3mb.xlsx":      {shared(strings.Repeat("x", 3<<20)), "of text of a file of"},
		"million-columns.xlsx": {func() string { return book("<row>"+strings.Repeat(`<c><v>1</v></c>`, columns)+"</row>", "") }, "more than 16384 columns"},
		"deep.xlsx":            {func() string { return book("<row><c>"+strings.Repeat("<a>", depth)+"</c></row>", "") }, "could do harm"},
		"zeros.xlsx":           {func() string { return book(strings.Repeat(" ", 66<<20), "") }, "decompression bombs"},
		"text-repeated.ods": {func() string {
			return string(sourcetest.ODS(tb, sourcetest.ODSTable("S", strings.Repeat(fmt.Sprintf(odsRow, longText), 10))))
		}, "of text of a file of"},
		"zeros.csv.gz":         {func() string { return gzipped(tb, strings.Repeat("a,b\n", 17<<20)) }, "decompression bombs"},
		"empty-members.csv.gz": {func() string { return strings.Repeat(gzipped(tb, ""), 10_100) }, "next to nothing"},
		"noise-then-zeros.gz":  {func() string { return noiseThenZeros(tb) }, "decompression bombs"},
		"zeros.zip":            {func() string { return zipped(tb, "in.csv", strings.Repeat("a,b\n", 17<<20)) }, "decompression bombs"},
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
	t.Parallel()
	dir := t.TempDir()
	for name, bomb := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeFile(t, dir, name, []byte(bomb.content()), 0o600)
			err := readThrough(t.Context(), path, Options{})
			sourcetest.WantRefusal(t, err, bomb.words)
		})
	}
}

// Old workbooks are known by how they begin, in their container and without it.
func TestOldWorkbooksAreKnown(t *testing.T) {
	t.Parallel()
	if got := readFile(t, filepath.Join("xls", "testdata", "register.xls"), Options{}); got.detected.Format != "xls" || got.detected.Sheet != "Register ä" || len(got.rows) != 46 {
		t.Errorf("%d rows of %+v %s", len(got.rows), got.detected, got.fault)
	}
	_, err := readBytes([]byte("\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00"), Options{})
	sourcetest.WantRefusal(t, err, "Excel 95 or before")
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
