package text

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

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
		coded := sourcetest.Encode(text.String(), rapid.SampledFrom([]string{"utf-8", "utf-8 bom", "utf-16le", "utf-16be", "utf-16le bom", "utf-32le", "utf-32be bom"}).Draw(t, "encoding"))
		var got []string
		table, err := Open(t.Context(), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(coded)), nil }, "", func([]byte) error { return nil }, Options{Limits: format.Limits{}.WithDefaults()})
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range table.Rows(t.Context()) {
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
