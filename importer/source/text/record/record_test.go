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
