package xlsx

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

// Whatever excelize writes is read back as it was meant: text to the letter, days as days, numbers as numbers, each in
// its place, with either of the library's writers.
func TestWhatExcelizeWritesIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(drawCell), 1, 6), 1, 12).Draw(t, "rows")
		streamed := rapid.Bool().Draw(t, "streamed")
		data, err := writeCells(rows, streamed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sourcetest.ReadFirst(open(data, sheet.Options{}))
		if err != nil {
			t.Fatalf("%v (%s)", err, sourcetest.Hint(err))
		}
		if diff := cmp.Diff(wantCells(rows), sourcetest.Show(filledRows(got))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// writtenCell is a value for excelize and the cell that it should come back as.
type writtenCell struct {
	value any
	style string
	want  table.Cell
}

func drawCell(t *rapid.T) writtenCell {
	switch rapid.SampledFrom([]string{"empty", "text", "digits", "integer", "decimal", "day", "moment", "bool"}).Draw(t, "kind") {
	case "text":
		text := rapid.StringMatching(`[ a-zA-Zé\n\t<>&"'_x0-9#=€日-]{1,20}`).Draw(t, "text")
		return writtenCell{value: text, want: table.Cell{Kind: table.Text, Text: text}}
	case "digits":
		text := rapid.StringMatching(`0[0-9]{1,20}`).Draw(t, "digits")
		return writtenCell{value: text, want: table.Cell{Kind: table.Text, Text: text}}
	case "integer":
		n := rapid.Int64Range(-999_999_999_999_999, 999_999_999_999_999).Draw(t, "integer")
		return writtenCell{value: n, want: table.Cell{Kind: table.Number, Text: fmt.Sprint(n)}}
	case "decimal":
		n := rapid.Int64Range(-99_999_999, 99_999_999).Draw(t, "hundredths")
		text := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", math.Abs(float64(n))/1e4), "0"), ".")
		if n < 0 {
			text = "-" + text
		}
		return writtenCell{value: float64(n) / 1e4, want: table.Cell{Kind: table.Number, Text: text}}
	case "day":
		day := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(61, 200_000).Draw(t, "day"))
		return writtenCell{value: day, style: "dd/mm/yyyy;@", want: table.Cell{Kind: table.Date, Text: day.Format(time.DateOnly)}}
	case "moment":
		at := time.Date(1901, 1, 1, 0, 0, rapid.IntRange(1, 2_000_000_000).Draw(t, "second"), 0, time.UTC)
		want := at.Format("2006-01-02T15:04:05")
		return writtenCell{value: at, style: "yyyy-mm-dd hh:mm:ss", want: table.Cell{Kind: table.Date, Text: strings.TrimSuffix(want, "T00:00:00")}}
	case "bool":
		b := rapid.Bool().Draw(t, "bool")
		return writtenCell{value: b, want: table.Cell{Kind: table.Bool, Text: strings.ToUpper(fmt.Sprint(b))}}
	}
	return writtenCell{}
}

func writeCells(rows [][]writtenCell, streamed bool) ([]byte, error) {
	file := excelize.NewFile()
	defer file.Close()
	styles := map[string]int{"": 0}
	var stream *excelize.StreamWriter
	if streamed {
		var err error
		if stream, err = file.NewStreamWriter("Sheet1"); err != nil {
			return nil, err
		}
	}
	for r, row := range rows {
		values := make([]any, len(row))
		for c, cell := range row {
			style, err := styleOf(file, styles, cell.style)
			if err != nil {
				return nil, err
			}
			values[c] = cell.value
			if cell.value != nil && streamed {
				values[c] = excelize.Cell{Value: cell.value, StyleID: style}
			}
			if cell.value == nil || streamed {
				continue
			}
			name := table.CellName(c, r+1)
			if err := file.SetCellValue("Sheet1", name, cell.value); err != nil {
				return nil, err
			}
			if err := file.SetCellStyle("Sheet1", name, name, style); err != nil {
				return nil, err
			}
		}
		if streamed {
			if err := stream.SetRow(fmt.Sprintf("A%d", r+1), values); err != nil {
				return nil, err
			}
		}
	}
	if streamed {
		if err := stream.Flush(); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err := file.Write(&out)
	return out.Bytes(), err
}

func styleOf(file *excelize.File, styles map[string]int, code string) (int, error) {
	if style, done := styles[code]; done {
		return style, nil
	}
	style, err := file.NewStyle(&excelize.Style{CustomNumFmt: &code})
	styles[code] = style
	return style, err
}

// wantCells shows the rows as they should be read. Blank rows are left out: one of the writers does not store them.
func wantCells(rows [][]writtenCell) []string {
	var all []table.Row
	for r, row := range rows {
		var cells []table.Cell
		for _, cell := range row {
			cells = append(cells, cell.want)
		}
		for len(cells) > 0 && cells[len(cells)-1].Kind == table.Empty {
			cells = cells[:len(cells)-1]
		}
		all = append(all, table.Row{Number: r + 1, Cells: cells})
	}
	return sourcetest.Show(filledRows(all))
}

func filledRows(rows []table.Row) []table.Row {
	return slices.DeleteFunc(rows, func(r table.Row) bool { return len(r.Cells) == 0 })
}
