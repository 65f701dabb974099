package source

import (
	"fmt"

	"docketsync/importer/source/format"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// cut returns the fault of a last row that may not be whole.
func (p *partReader) cut(row table.Row) []table.Fault {
	if p.text == nil || row.Skip != "" || p.source.options.Cut == "keep" {
		return nil
	}
	if !row.Unended {
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
	return []table.Fault{{Problem: *reason.New(reason.CutOff, why), Column: table.WholeRow}}
}
