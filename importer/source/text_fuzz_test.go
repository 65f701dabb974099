package source

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// textSeeds are small texts of every kind that the reader tells apart.
var textSeeds = []string{
	"", "a", "a,b\n1,2\n", "\xef\xbb\xbfkitten,win", "sep=;\na;b\n1;2\n", "\"sep=\t\"\r\na\tb\r\n",
	"a,b\n1,\"x \"\"y\"\" z\"\n", "a,b\r\n\"x\r\ny\",2\r\n", "a,b\r1,2\r", "a,b\n\n , \n1,2,3\n", "a,b\na,b\n1,2\n",
	"a,b\n1,x\"y\n", "a,b\n1,\"x\n", "a,b\n1, \"x\" ,\n", "a;b\n\"x \\\"y\\\" z\";2\n", "a|b\n\"q\" x|y\n",
	"title\n\na,b,c\n1,2,3\n4,5,6\n", "Group,,x\na,b,\n1,2,3\n",
	"\xff\xfea\x00,\x00b\x00\n\x00", "\x00a\x00,\x00b\x00\n", "a\x00\x00\x00,\x00\x00\x00", "\xff\xfe\x00\x00a\x00\x00\x00",
	"name\nM\xfcller\n", "name\nM\xc3\xbcller\n\xff", "name\n\xcb\xe5\xf9\xed\n", "a,b\n1,\x00\n", "%PDF-1.7", "\x1f\x8b", "PK\x03\x04",
}

// FuzzText reads anything as a text file, and holds the reader to what it promises of any file.
func FuzzText(f *testing.F) {
	for i, seed := range textSeeds {
		f.Add([]byte(seed), byte(i))
	}
	f.Fuzz(func(t *testing.T, content []byte, settings byte) {
		o := Options{Lenient: settings&1 != 0, NoHeader: settings&2 != 0, Encoding: []string{"", "", "shift_jis", "utf-16"}[settings>>2&3],
			Escape: []string{"", "", "", "backslash"}[settings>>4&3], Limits: Limits{Cell: 1000, Record: 2000, Columns: 50}}
		s, err := openMemory(t, content, o)
		if err != nil {
			faulted(t, reading{}, err)
			return
		}
		first := checkPromises(t, s)
		if second := readSourceRows(t, s); !cmp.Equal(first, second, cmp.AllowUnexported(reading{})) {
			t.Errorf("read twice: %s", cmp.Diff(first, second, cmp.AllowUnexported(reading{})))
		}
	})
}

// openMemory opens a text that is not in a file.
func openMemory(t testing.TB, content []byte, o Options) (*Source, error) {
	t.Helper()
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	o.Format = "csv"
	s := &Source{file: "in.csv", options: o, tally: newTally(o)}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	head, err := readHead(open)
	if err == nil {
		err = s.openPlain(t.Context(), head, s.file, open)
	}
	if err == nil {
		err = s.findHeaders(t.Context())
	}
	return s, at(err, s.file, "")
}

// checkPromises reads the source to its end: rows are numbered and counted without a gap, cells are text of the promised
// size, and what was detected can be written down.
func checkPromises(t *testing.T, s *Source) reading {
	t.Helper()
	var rows, skipped int
	last := s.layouts[0].last
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			break
		}
		if row.Number != last+1 {
			t.Errorf("row %d comes after row %d", row.Number, last)
		}
		if last = row.Number; row.Line < row.Number {
			t.Errorf("row %d is on line %d", row.Number, row.Line)
		}
		if len(row.Cells) < len(s.Header().Names) {
			t.Errorf("row %d has fewer cells than the header", row.Number)
		}
		for _, cell := range row.Cells {
			if !utf8.ValidString(cell.Text) || strings.ContainsRune(cell.Text, 0) || len(cell.Text) > s.options.Limits.Cell {
				t.Errorf("row %d holds %q", row.Number, cell.Text)
			}
		}
		if rows++; row.Skip != "" {
			skipped++
		}
	}
	d := s.Detected()
	if sum := d.Skipped[skipBlank] + d.Skipped[skipRepeated]; d.Rows != rows || sum != skipped {
		t.Errorf("%d rows and %d skipped were counted as %d and %d", rows, skipped, d.Rows, sum)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
	return readSourceRows(t, s)
}

// FuzzTextAgainstCSV compares with encoding/csv: whatever it accepts, the reader accepts, and the records are the same.
// The differences are intended: blank lines are records, CRLF inside quotes stays, CR alone ends a record.
func FuzzTextAgainstCSV(f *testing.F) {
	for _, seed := range textSeeds {
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
		r := newRecordReader(strings.NewReader(text), dialect{delimiter: ",", quote: '"'}, Limits{}.withDefaults())
		var got [][]string
		for {
			err := r.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v, which encoding/csv accepts: %q", err, text)
			}
			if len(r.raw) == 0 {
				continue
			}
			record := slices.Clone(r.cells)
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

// Whatever is written in a dialect and an encoding that the reader knows comes back as it was, under detection.
func TestTextRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringMatching(`[A-Za-zéüñ ]{1,12}`), rapid.StringMatching(`[A-Za-z0-9,;|\t"é\n]{0,8}`))
		columns := rapid.IntRange(2, 6).Draw(t, "columns")
		delimiter := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delimiter")
		ending := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "ending")
		var text strings.Builder
		var want []string
		for n := range rapid.IntRange(5, 12).Draw(t, "rows") {
			cells := []string{"r" + strings.Repeat("x", n)}
			for range columns - 1 {
				cells = append(cells, cell.Draw(t, "cell"))
			}
			for i, c := range cells {
				if i > 0 {
					text.WriteString(delimiter)
				}
				if strings.ContainsAny(c, "\"\r\n\t,;|") {
					c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
				}
				text.WriteString(c)
			}
			text.WriteString(ending)
			want = append(want, strings.Join(cells, "|"))
		}
		coded := encoded(text.String(), rapid.SampledFrom([]string{"utf-8", "utf-8 bom", "utf-16le", "utf-16be", "utf-16le bom", "utf-32le", "utf-32be bom"}).Draw(t, "encoding"))
		var got []string
		table, err := openText(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(coded)), nil }, "", Options{Limits: Limits{}.withDefaults()})
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range table.rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			got = append(got, strings.Join(cells, "|"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("as %+v\n%s", table.finding, diff)
		}
	})
}

// encoded writes a text in an encoding, with or without byte order mark.
func encoded(text, name string) []byte {
	name, bom := strings.CutSuffix(name, " bom")
	if bom {
		text = "\ufeff" + text
	}
	var out []byte
	switch name {
	case "utf-16le", "utf-16be":
		for _, unit := range utf16.Encode([]rune(text)) {
			if name == "utf-16le" {
				out = binary.LittleEndian.AppendUint16(out, unit)
			} else {
				out = binary.BigEndian.AppendUint16(out, unit)
			}
		}
	case "utf-32le":
		for _, c := range text {
			out = binary.LittleEndian.AppendUint32(out, uint32(c))
		}
	case "utf-32be":
		for _, c := range text {
			out = binary.BigEndian.AppendUint32(out, uint32(c))
		}
	default:
		out = []byte(text)
	}
	return out
}
