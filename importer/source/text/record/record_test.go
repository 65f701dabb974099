package record

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// FuzzTextAgainstCSV compares with encoding/csv: whatever it accepts, the reader accepts, and the records are the same.
// The differences are intended: blank lines are records, CRLF inside quotes stays, CR alone ends a record.
func FuzzTextAgainstCSV(f *testing.F) {
	for _, seed := range sourcetest.Texts {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") || strings.HasPrefix(text, "\ufeff") {
			return
		}
		oracle := csv.NewReader(strings.NewReader(text))
		oracle.FieldsPerRecord = -1
		want, err := oracle.ReadAll()
		if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return
		}
		r := New(strings.NewReader(text), Dialect{Delimiter: ",", Quote: '"'}, format.Limits{}.WithDefaults())
		var got [][]string
		for {
			err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v, which encoding/csv accepts: %q", err, text)
			}
			if len(r.Raw) == 0 {
				continue
			}
			record := slices.Clone(r.Cells)
			for i := range record {
				record[i] = strings.ReplaceAll(record[i], "\r\n", "\n")
			}
			got = append(got, record)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	})
}

// What cannot be read for certain ends the reading; it never becomes part of another cell.
func TestFaultsOfRecords(t *testing.T) {
	t.Parallel()
	small := format.Limits{Cell: 100, Record: 1000, Columns: 5}
	for name, tt := range map[string]struct {
		in, want string
		limits   format.Limits
	}{
		"a stray quote":                  {"a,b\n\n\"x\ny\",5\"\n", "line 4, column B: there is a quote in the middle of the cell", small},
		"text behind a closing quote":    {"1,\"x\"y\n", "line 1, column B: there is a quote in the middle of the cell", small},
		"a quote that is never closed":   {"1,2\n3,\"x\n4,5\n", "line 2, column B: the quote that opens the cell is never closed", small},
		"a byte that is no UTF-8":        {"a,M\xfcller\n", "line 1, column B: byte 0xFC is not a valid character in utf-8", small},
		"a NUL character":                {"a,y\x00z\n", "line 1, column B: the cell contains a NUL character", small},
		"a cell over the limit":          {"a," + strings.Repeat("x", 101) + "\n", "line 1, column B: the cell holds more than", small},
		"more cells than the limit":      {"1,2,3,4,5,6\n", "line 1: the row has more than 5 cells", small},
		"a row longer than its limit":    {strings.Repeat("a\n", 99) + "\"" + strings.Repeat("x", 200_000), "line 100: the row is longer than", small},
		"doubled quotes and line breaks": {"\"a \"\"b\"\"\",\"c\nd\"\n", "", small},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := New(strings.NewReader(tt.in), Dialect{Encoding: "utf-8", Delimiter: ",", Quote: '"'}, tt.limits)
			err := r.Next()
			for err == nil {
				err = r.Next()
			}
			if tt.want == "" && !errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("the reading ended with %v, want %q", err, tt.want)
			}
		})
	}
}
