package source

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

func gzipped(t testing.TB, content string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// zipped packs names and contents in turn.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func bookBytes(t testing.TB) string {
	t.Helper()
	book := excelize.NewFile()
	for cell, value := range map[string]any{"A1": "a", "B1": "b", "A2": "1", "B2": "2"} {
		if err := book.SetCellValue("Sheet1", cell, value); err != nil {
			t.Fatal(err)
		}
	}
	out, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPackedTablesAreRead(t *testing.T) {
	t.Parallel()
	const table = "a,b\n1,2\n"
	tests := []struct{ name, file, content, compression, member, format string }{
		{"gzip", "in.csv.gz", gzipped(t, table), "gzip", "", "csv"},
		{"gzip under another name", "in.csv", gzipped(t, table), "gzip", "", "csv"},
		{"gzip of UTF-16", "in.txt.gz", gzipped(t, sourcetest.Encode(table, "utf-16le")), "gzip", "", "csv"},
		{"gzip of a workbook", "in.xlsx.gz", gzipped(t, bookBytes(t)), "gzip", "", "xlsx"},
		{"zip", "in.zip", zipped(t, "export/in.csv", table), "zip", "export/in.csv", "csv"},
		{"zip of a file without extension", "in.zip", zipped(t, "export", table), "zip", "export", "csv"},
		{"zip with things around the table", "in.zip", zipped(t, "readme.html", "<html>", "README.txt", "x", "export_log.txt", "x", "in.tsv", table, "__MACOSX/._in.tsv", "x", ".DS_Store", "x", "d/", ""), "zip", "in.tsv", "csv"},
		{"zip of a workbook", "in.zip", zipped(t, "in.xlsx", bookBytes(t)), "zip", "in.xlsx", "xlsx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readFile(t, textFile(t, tt.file, tt.content), Options{})
			if len(got.rows) != 1 || !strings.HasSuffix(got.rows[0], ": 1|2") {
				t.Errorf("%q %s", got.rows, got.fault)
			}
			d := got.detected
			if d.Compression != tt.compression || d.Member != tt.member || d.Format != tt.format {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestUnpackedWorkbooksAreRemoved(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	got := readFile(t, textFile(t, "in.zip", zipped(t, "in.xlsx", bookBytes(t))), Options{})
	if len(got.rows) != 1 {
		t.Fatal(got.fault)
	}
	readFile(t, textFile(t, "in.zip", zipped(t, "in.xlsx", "PK\x03\x04 no workbook")), Options{})
	left, err := filepath.Glob(filepath.Join(temporary, "docketsync-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left: %v", left, err)
	}
}

func TestPackedFilesAreRefused(t *testing.T) {
	t.Parallel()
	const table = "a,b\n1,2\n"
	tests := []struct {
		name, file, content string
		o                   Options
		fault               string
	}{
		{"a damaged gzip", "in.gz", gzipped(t, strings.Repeat(table, 100))[:30], Options{}, "in.gz: the archive is damaged"},
		{"a gzip that is no more than a beginning", "in.gz", "\x1f\x8b\x08", Options{}, "in.gz: the archive is damaged"},
		{"a gzip with a wrong checksum", "in.gz", gzipped(t, table)[:len(gzipped(t, table))-8] + "12345678", Options{}, "in.gz: the archive is damaged"},
		{"a gzip bomb", "in.gz", gzipped(t, strings.Repeat("a,b\n", 20<<20)), Options{}, "in.gz: the archive unpacks from 64 KiB to more than 64.0 MiB, as decompression bombs do"},
		{"more than is allowed", "in.gz", gzipped(t, strings.Repeat("a,b\n", 100_000)), Options{Limits: format.Limits{Unpacked: 100_000}}, "in.gz: the archive unpacks to more than 98 KiB"},
		{"more than is allowed in a zip", "in.zip", zipped(t, "in.csv", strings.Repeat("a,b\n", 100_000)), Options{Limits: format.Limits{Unpacked: 100_000}}, "in.zip: the archive unpacks to more than 98 KiB"},
		{"a workbook larger than is allowed", "in.zip", zipped(t, "in.xlsx", bookBytes(t)), Options{Limits: format.Limits{Unpacked: 1000}}, "in.zip: the archive unpacks to more than 1 KiB"},
		{"two tables", "in.zip", zipped(t, "a.csv", table, "catalog.txt", table), Options{}, "in.zip: the archive holds 2 files (a.csv, catalog.txt), and any of them may be the table"},
		{"packed twice", "in.gz", gzipped(t, gzipped(t, table)), Options{}, "in.gz: the file is packed twice"},
		{"a zip in a zip", "in.zip", zipped(t, "in.zip", zipped(t, "in.csv", table)), Options{}, "in.zip: the file is packed twice"},
		{"a zip in a zip under another name", "in.zip", zipped(t, "in.csv", zipped(t, "in.csv", table)), Options{}, "in.zip: the file is packed twice"},
		{"a zip in a gzip", "in.gz", gzipped(t, zipped(t, "in.csv", table)), Options{}, "in.gz: the file is packed twice"},
		{"a document in a zip", "in.zip", zipped(t, "in.docx", zipped(t, "[Content_Types].xml", "<x/>", "word/document.xml", "<x/>")), Options{}, "in.zip: this archive holds no workbook"},
		{"an empty gzip", "in.gz", gzipped(t, ""), Options{}, "in.gz: the file is empty"},
		{"a damaged zip", "in.zip", zipped(t, "in.csv", table)[:50], Options{}, "in.zip: the archive is damaged"},
		{"a zip of several tables", "in.zip", zipped(t, "b.csv", table, "a.csv", table), Options{}, "in.zip: the archive holds 2 files (a.csv, b.csv), and any of them may be the table"},
		{"a zip of nothing", "in.zip", zipped(t, "d/", ""), Options{}, "in.zip: the archive holds no file"},
		{"a zip of something else", "in.zip", zipped(t, "in.pdf", "%PDF-1.7"), Options{}, "in.zip: this is a PDF, not a table"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readFile(t, textFile(t, tt.file, tt.content), tt.o)
			if !strings.HasPrefix(got.fault, tt.fault) || got.hint == "" {
				t.Errorf("got  %s (%s)\nwant %s", got.fault, got.hint, tt.fault)
			}
		})
	}
}

func TestFilesThatAreNoTablesAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, content, fault string }{
		{"nothing", "in.csv", "", "in.csv: the file is empty"},
		{"blank lines", "in.csv", "\n \n\n", "in.csv: all rows are blank"},
		{"a byte order mark alone", "in.csv", "\ufeff", "in.csv: all rows are blank"},
		{"a PDF", "in.csv", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\x00\n", "in.csv: this is a PDF, not a table"},
		{"a web page", "in.xls", "\r\n<!DOCTYPE HTML><html>", "in.xls: this is a web page, not a table"},
		{"a web page in UTF-16", "in.xls", sourcetest.Encode("<html><table>", "utf-16le bom"), "in.xls: this is a web page, not a table"},
		{"JSON", "in.csv", "[{\"a\": 1}]", "in.csv: this is a JSON file, not a table"},
		{"JSON over lines", "in.csv", "[\n  {\n    \"a\": 1}]", "in.csv: this is a JSON file, not a table"},
		{"an empty list", "in.csv", "[ ]", "in.csv: this is a JSON file, not a table"},
		{"noise named like a workbook", "in.xlsx", "\x01\x02\x03\x04\x05\x06", "in.xlsx: this is not a workbook"},
		{"zero bytes", "in.csv", strings.Repeat("\x00", 1000), "in.csv, row 1, column A: the cell contains a NUL character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readFile(t, textFile(t, tt.file, tt.content), Options{})
			if !strings.HasPrefix(got.fault, tt.fault) || got.hint == "" {
				t.Errorf("got  %s (%s)\nwant %s", got.fault, got.hint, tt.fault)
			}
		})
	}
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing.csv"), os.DevNull} {
		if got := readFile(t, path, Options{}); got.fault == "" || got.hint == "" {
			t.Errorf("%s: %q %q", path, got.fault, got.hint)
		}
	}
}

// A table may begin like something else, in part.
func TestTablesThatBeginLikeOtherFilesAreRead(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"Par1,Par2\n1,2\n", "[Ref],Mark\n1,2\n", "bzh,x\n1,2\n", "{Ref},Mark\n1,2\n"} {
		if got := readText(t, in, Options{}); got.fault != "" || len(got.rows) != 1 || got.rows[0] != "2: 1|2" {
			t.Errorf("%q: %q %s", in, got.rows, got.fault)
		}
	}
	// Three bytes of no UTF-8 are not those of a picture.
	cyrillic := "\xcd\xee\xec\xe5\xf0,\xcc\xe0\xf0\xea\xe0\n1,\xcf\xf0\xe8\xe2\xe5\xf2\n"
	if got := readText(t, cyrillic, Options{}); !strings.Contains(got.fault, "the encoding could not be determined") {
		t.Error(got.fault)
	}
	if got := readText(t, cyrillic, Options{Encoding: "windows-1251"}); got.fault != "" || got.rows[0] != "2: 1|Привет" {
		t.Errorf("%q %s", got.rows, got.fault)
	}
}

func TestTextNamedLikeAWorkbookIsReadWithAWarning(t *testing.T) {
	t.Parallel()
	got := readFile(t, textFile(t, "in.xls", "a\tb\n1\t2\n"), Options{})
	if diff := cmp.Diff([]string{"2: 1|2"}, got.rows); diff != "" || sourcetest.Codes(got.detected.Warnings) != "not_as_named []" {
		t.Errorf("%s %s\n%s", got.fault, sourcetest.Codes(got.detected.Warnings), diff)
	}
}
