package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/text"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// ragged finds the rows of a table that have another width than its header. One delimiter too many or too few shifts
// all cells after it, and nothing else in the row shows that. So such a row gets a fault. If most rows are like this,
// the header or the delimiter is wrong, and the file is refused.
//
// These are not faults: blank cells after the header if most rows end in them; a row that lacks only columns without a
// name; and any width in a workbook, whose cells have positions. A row whose last cells were left out because they are
// blank looks like one that has lost a delimiter; only a person can tell them apart. In a sheet of rejects widths are
// checked too: a row that was rejected for its width is not right just because it was imported again.
type ragged struct {
	width   int // maximum number of cells in a row: up to the last name, or as many as the header and most rows have
	named   int // number of cells up to the last name
	usual   int // number of cells in most rows; 0 if that says nothing
	names   []string
	rejects bool // the table is a sheet of rejects
	short   bool // too few cells are a fault as well
	comma   bool // a comma is the delimiter
	rows    int
	faulty  int
	blank   int         // rows of the usual width with blanks after the header; not faults in themselves
	filled  bool        // a row of that width has something there, so those rows were shifted as well
	samples []table.Row // the first faulty rows
}

// How many rows are read before the file may be refused, so that a long file is not read in vain, and how many rows
// cause looks at.
const (
	raggedEarly   = 1000
	raggedSamples = 20
)

// newRagged returns nil if rows of any width are accepted.
func newRagged(t *text.Table, l header.Layout, o Options) *ragged {
	isText := t != nil
	if o.Ragged == "keep" || !isText && !l.Rejects {
		return nil
	}
	r := &ragged{names: l.Names, width: len(l.Names), short: isText, rejects: l.Rejects}
	if isText && !l.Rejects {
		r.usual, r.comma = t.Dialect().Width, t.Dialect().Delimiter == ","
	}
	for r.named = r.width; r.named > 0 && l.Names[r.named-1] == ""; r.named-- {
	}
	if r.usual != r.width {
		r.width = r.named
	}
	return r
}

// look returns the row's faults. The error means that the file is refused.
func (r *ragged) look(row table.Row) ([]table.Fault, error) {
	if r == nil || row.Skip != "" {
		return nil, nil
	}
	r.rows++
	fault, ok := r.fault(row)
	if ok {
		r.faulty++
		if len(r.samples) < raggedSamples {
			row.Cells = slices.Clone(row.Cells)
			r.samples = append(r.samples, row)
		}
	}
	if r.rows == raggedEarly {
		if err := r.refuse(); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, nil
	}
	return []table.Fault{fault}, nil
}

func (r *ragged) fault(row table.Row) (table.Fault, bool) {
	have := r.cells(row)
	f, why := table.Fault{Column: table.WholeRow}, reason.RowWide
	switch {
	case have > r.width && !header.Blank(table.Row{Cells: row.Cells[r.width:]}):
		r.filled = r.filled || have == r.usual
	case have > r.width && have != r.usual && have != len(r.names) && r.usual > 0:
		why = reason.RowWideEnd
	case have < r.named && (r.short || have < len(row.Cells)):
		why, f.Column, f.Onward = reason.RowShort, have, true
		if have == 1 {
			why = reason.RowShortOne
		}
	default:
		if have > r.width && have == r.usual {
			r.blank++
		}
		return f, false
	}
	f.Problem = *reason.New(why, format.CellCount(have), r.width)
	return f, true
}

// cells returns how many cells the row has. In a sheet of rejects, errors at the end of a row stand for cells that it
// did not have, unless the row's reasons do not mention its width.
func (r *ragged) cells(row table.Row) int {
	have := len(row.Cells)
	if !r.rejects {
		return have
	}
	why := row.Cell(slices.Index(r.names, table.OwnColumn("reasons"))).Text
	short := format.BlankText(why) || strings.Contains(why, reason.WrongNames)
	for short && have > 0 && (row.Cells[have-1].Kind == table.Error || row.Cells[have-1].Text == "#N/A") {
		have--
	}
	return have
}

// refuse returns why the file is not read, if most rows have another width than the header.
func (r *ragged) refuse() error {
	if r == nil || r.rejects {
		return nil
	}
	faulty := r.faulty
	if r.filled {
		faulty += r.blank
	}
	if faulty < 2 || 2*faulty <= r.rows {
		return nil
	}
	first := r.samples[0]
	texts := make([]string, len(first.Cells))
	for n, cell := range first.Cells {
		texts[n] = format.FirstLine(cell.Text)
	}
	cause, hint := r.cause()
	return &format.Error{What: fmt.Sprintf("%d of %d rows have another number of cells than the header, which has %d; row %d has %d: %s. %s",
		faulty, r.rows, r.width, first.Number, len(first.Cells), strings.Join(texts, " | "), cause),
		Row: first.Number, Line: first.Line, Hint: hint + " If the columns are right as they are, set ragged: keep."}
}

// cause says why most rows probably have another width.
func (r *ragged) cause() (cause, hint string) {
	all := func(is func(table.Row) bool) bool {
		return !slices.ContainsFunc(r.samples, func(row table.Row) bool { return !is(row) })
	}
	oneMore := all(func(row table.Row) bool { return len(row.Cells) == r.width+1 })
	switch {
	case oneMore && r.numbered():
		return rowNames()
	case r.comma && all(decimalComma):
		return "Numbers with a decimal comma seem to be cut in two, because a comma is the delimiter.", "Export with another delimiter, such as a semicolon, or with the numbers in quotes."
	case oneMore && (r.filled || r.faulty == r.rows):
		return rowNames()
	case all(func(row table.Row) bool { return len(row.Cells) > r.width }):
		return "A column seems to hold the delimiter without being in quotes.", "Export with quotes around texts, or with a delimiter that stands in no cell."
	case all(func(row table.Row) bool { return len(row.Cells) == 1 }):
		return "The delimiter of the header is probably not that of the rows.", "Set delimiter to the character between the cells, or export the file again."
	}
	return "The header probably has a name too many, or the export leaves out the blank cells at the end of a row.", "Export the file again with as many cells in each row as the header has."
}

func rowNames() (cause, hint string) {
	return "The header is probably one name short: the first cells are the names or numbers of the rows, as R's write.table leaves them.",
		"Write the table without row names (row.names = FALSE), or give their column a name (col.names = NA)."
}

// numbered reports whether the first cells count the rows.
func (r *ragged) numbered() bool {
	first := r.samples[0]
	return !slices.ContainsFunc(r.samples, func(row table.Row) bool { return row.Cell(0).Text != strconv.Itoa(row.Number-first.Number+1) })
}

// decimalComma reports whether two adjacent cells may have been a number with two decimals.
func decimalComma(row table.Row) bool {
	for n := range row.Cells[1:] {
		whole, cents := strings.TrimLeft(row.Cells[n].Text, "-+€$£ "), strings.TrimSpace(row.Cells[n+1].Text)
		if whole != "" && strings.Trim(whole, "0123456789.") == "" && len(cents) == 2 && strings.Trim(cents, "0123456789") == "" {
			return true
		}
	}
	return false
}
