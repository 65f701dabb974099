package corrected

import (
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// Columns stand in front of the original ones. When a workbook that has them has rejects of its own, they are not written a second time.
var Columns = []string{table.OwnColumn("reasons"), table.OwnColumn("row"), table.OwnColumn("cells"), table.OwnColumn("record")}

// Mark is what stands in the last of Columns: which record of which run the row was rejected in.
type Mark struct {
	Run string // the end of its id
	Seq int64
}

func (m Mark) String() string { return m.Run + "/" + strconv.FormatInt(m.Seq, 10) }

// NewMark is the mark of a record.
func NewMark(run string, seq int64) Mark { return Mark{wording.Tail(run), seq} }

// markColumn is the column of marks among those of a source, -1 for none.
func markColumn(source ledger.Source) int { return slices.Index(source.Header, Columns[3]) }

// Marked tells whether rows of a run can have marks, which their cells hold.
func Marked(run ledger.Run) bool { return slices.ContainsFunc(run.Sources, MarkedSource) }

// MarkedSource is Marked of one source.
func MarkedSource(s ledger.Source) bool { return markColumn(s) >= 0 }

// MarkIn reads the mark of a row of a source; ok is false where it has none.
func MarkIn(source ledger.Source, row table.Row) (m Mark, ok bool) {
	tail, digits, ok := strings.Cut(strings.TrimSpace(row.Cell(markColumn(source)).Text), "/")
	seq, err := strconv.ParseInt(digits, 10, 64)
	return Mark{tail, seq}, ok && err == nil
}

// MarkOf is MarkIn for a row that a run has kept.
func MarkOf(run ledger.Run, row ledger.Row) (m Mark, ok bool) {
	if row.Source < 0 || row.Source >= len(run.Sources) || len(row.Cells) == 0 {
		return m, false
	}
	from := run.Sources[row.Source]
	if !MarkedSource(from) {
		return m, false
	}
	cells, err := table.StoredCells(row.Cells)
	if err != nil {
		return m, false
	}
	return MarkIn(from, table.Row{Cells: cells})
}
