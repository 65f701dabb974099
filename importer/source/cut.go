package source

import (
	"fmt"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// cut returns the fault of a last row that may not be whole.
func (p *partReader) cut(row table.Row) []table.Fault {
	if p.text == nil || row.Skip != "" || p.source.options.Cut == "keep" {
		return nil
	}
	if !p.text.Unended() {
		p.ending.AddRow(row)
		return nil
	}
	last, why := row.Cell(len(p.layout.Names)-1).Text, ""
	switch {
	case len(row.Cells) < min(p.text.Dialect().Width, len(p.layout.Names)):
		why = fmt.Sprintf("and the row has %s", format.CellCount(len(row.Cells)))
	case p.source.options.Ended:
		why = "and earlier files of this job did"
	case p.ending.Unlike(last):
		why = fmt.Sprintf("and its last cell, %q, is unlike the others of its column", format.FirstLine(last))
	default:
		return nil
	}
	return []table.Fault{{Code: "cut_off", Column: table.WholeRow, Message: "the file may be cut off: it does not end with a line break, " + why,
		Hint: "Have the file exported or copied again. If the row is whole, end the file with a line break, or set cut: keep."}}
}
