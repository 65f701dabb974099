package source

import (
	"fmt"
	"iter"
	"slices"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// A line break in a cell without quotes ends the row there, and what is behind it stands in a row of its own. Of any cell but the first and the last both
// are short, and are faulty themselves. But a last cell leaves a row that is as wide as the header, with the rest of its value in a short one below; and a
// first cell leaves its beginning in a row of one cell, above one that is as wide as the header. Nothing in those tells that a value was cut in two, so the
// cell next to the short row has a fault.
//
// A blank line between the two may be one of the value. What is no fault: short rows that a rule leaves out or that look like totals, and where the row
// below begins as the others do, with letters, digits and signs in the same order: its first cell is whole then, and no rest of another. A line at the end
// that says who printed the table is rejected itself until a rule leaves it out; so is the row above it, whose rest it might be.

// mostHeld is how many short and blank rows may follow a row before it is decided what they are.
const mostHeld = 32

// besideShort yields rows as they are read, but for the faults of those beside short ones. A row is held until it is known what follows: the one after it leaves its
// cells alone.
func (p *partReader) besideShort(rows iter.Seq2[table.Row, error]) iter.Seq2[table.Row, error] {
	if p.ragged == nil || p.text == nil || p.ragged.rejects {
		return rows
	}
	return func(yield func(table.Row, error) bool) {
		var held []table.Row // one of any width, with short and blank ones below it
		begins := ""         // the first cell of the last row that was not short
		for row, err := range rows {
			short := err == nil && p.isShort(&row)
			if len(held) > 0 && len(held) <= mostHeld && (short || err == nil && header.Blank(row)) {
				if len(held) == 1 {
					held[0].Cells = slices.Clone(held[0].Cells)
				}
				row.Cells = slices.Clone(row.Cells)
				held = append(held, row)
				continue
			}
			if err == nil && (len(held) > 1 || len(held) == 1 && p.isShort(&held[0])) {
				p.suspect(held, &row, begins)
			}
			for _, before := range held {
				if !yield(before, nil) {
					return
				}
			}
			if err != nil {
				yield(row, err)
				return
			}
			if held = append(held[:0], row); !short && len(row.Cells) > 0 && row.Cells[0].Text != "" {
				begins = row.Cells[0].Text
			}
		}
		p.suspect(held, nil, begins)
		for _, row := range held {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (p *partReader) isShort(row *table.Row) bool {
	return len(row.Cells) < p.ragged.named && !header.Blank(*row)
}

// suspect gives the row above short ones and the one below them their faults; there is none below at the end. begins is how a row begins that is not short.
func (p *partReader) suspect(held []table.Row, below *table.Row, begins string) {
	short, last := -1, -1
	for n := range held {
		if p.isShort(&held[n]) {
			if last = n; short < 0 {
				short = n
			}
		}
	}
	if short < 0 {
		return
	}
	suspect := func(row *table.Row, column int, why string, short table.Row) {
		fault := table.Fault{Problem: *reason.New(why, format.CellCount(len(short.Cells)), p.ragged.width), Column: column}
		row.Faults = append(row.Faults, fault)
	}
	if above, rest := &held[0], held[short]; short > 0 && !header.Blank(*above) && !column.Alike(rest.Cells[0].Text, begins) && !p.noRecord(rest) {
		suspect(above, min(len(above.Cells), p.ragged.width)-1, reason.Split, rest)
	}
	if start := held[last]; below != nil && len(start.Cells) == 1 && !column.Alike(below.Cell(0).Text, begins) && !p.noRecord(start) {
		suspect(below, 0, reason.SplitAbove, start)
	}
}

// noRecord tells if a short row is known to be none.
func (p *partReader) noRecord(row table.Row) bool {
	if skip, _ := p.skip(row); skip != "" || isTotal(row) { // only of a workbook can it not be told
		return true
	}
	fault, _ := p.ragged.fault(row)
	row.Faults = []table.Fault{fault}
	return p.source.LeftOut != nil && p.source.LeftOut(row)
}

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
