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

// If a cell without quotes contains a line break, its row ends there, and the rest becomes a row of its own. For any
// cell but the first and the last, both rows are short and faulty in themselves. But a last cell leaves a row as wide
// as the header, with the rest of its value in a short row below; and a first cell leaves its beginning in a row of one
// cell, above a row as wide as the header. Nothing in the wide row shows that a value was cut in two, so its cell next
// to the short row gets a fault.
//
// A blank line between the two may be part of the value. There is no fault for short rows that a rule leaves out or
// that look like totals. Nor is there one if the row below begins as the others do, with letters, digits and signs in
// the same order: then its first cell is complete, and not the rest of another. A line at the end that says who printed
// the table is itself rejected until a rule leaves it out; so is the row above it, because the line might be its rest.

// mostHeld is how many short and blank rows may follow a row before it is decided what they are.
const mostHeld = 32

// besideShort yields rows as they are read, and adds faults to those beside short ones. It holds a row until it knows
// what follows, because the next row leaves the row's cells unchanged.
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
