package header

import (
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// mostHeaderLines is the maximum number of header lines if merged cells show them.
const mostHeaderLines = 5

// headerLine says where a header begins, how many lines it has, and why they are more than one. It is doubtful if only
// the looks of a row say that it is not data.
type headerLine struct {
	at, lines int
	why       string
	doubtful  bool
}

// headerLines reports whether the header at the given position is one line of several. A row of data taken for one of
// them would be a record that is never sent, so one of these is required:
//
//   - cells merged from one line into the next;
//   - a line of groups above a line of names, each leaving blanks that the other fills;
//   - groups above repeated names, which they tell apart;
//   - notes in brackets below names, such as "(date)" or "[EUR]".
func headerLines(h head, at int) (headerLine, error) {
	if merged, err := mergedHeader(h, at); err != nil || merged.lines > 1 {
		return merged, err
	}
	if at > 0 {
		switch {
		case complement(h.rows, at-1):
			return headerLine{at: at - 1, lines: 2, why: "groups stand in the line above the names"}, nil
		case groups(h.rows, at-1):
			return headerLine{at: at - 1, lines: 2, why: "groups in the line above tell its names apart"}, nil
		}
	}
	if at+1 < len(h.rows) {
		switch {
		case complement(h.rows, at):
			return headerLine{at, 2, "names stand in the line below the groups", true}, nil
		case notes(h.rows[at], h.rows[at+1]):
			return headerLine{at, 2, "the line below holds notes in brackets", true}, nil
		}
	}
	return headerLine{at: at, lines: 1}, nil
}

func adjacent(upper, lower table.Row) bool { return lower.Number == upper.Number+1 }

// complement reports whether there is a line of groups at this position above a line of names. Both of these must
// occur: a group above several names, which leaves blanks in the upper line, and a name without a group, which leaves a
// blank in the lower line.
func complement(rows []table.Row, at int) bool {
	upper, lower := rows[at], rows[at+1]
	if !adjacent(upper, lower) || firstValue(rows, at) != "" || firstValue(rows, at+1) != "" {
		return false
	}
	group, alone := false, false
	for i := range upper.Cells {
		if filledAt(upper, i) {
			group = group || filledAt(lower, i) && !filledAt(upper, i+1) && filledAt(lower, i+1)
			alone = alone || !filledAt(lower, i)
		}
	}
	return group && alone
}

// groups reports whether repeated names in the next line are told apart by the groups at this position.
func groups(rows []table.Row, at int) bool {
	upper, lower := rows[at], rows[at+1]
	if !adjacent(upper, lower) || Filled(upper.Cells) < 2 || firstValue(rows, at) != "" {
		return false
	}
	return repeated(trimmed(lower.Cells)) && !repeated(joinedNames([]table.Row{upper, lower}, nil, nil))
}

// repeated reports whether two of the names are the same.
func repeated(names []string) bool {
	seen := map[string]bool{}
	for _, name := range names {
		key := table.FoldName(name)
		if key != "" && seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// notes reports whether the lower line holds only notes in brackets, each below a name.
func notes(upper, lower table.Row) bool {
	if !adjacent(upper, lower) {
		return false
	}
	found := false
	for i, cell := range lower.Cells {
		text := strings.TrimFunc(cell.Text, format.Invisible)
		switch {
		case text == "":
		case cell.Kind != table.Text || !filledAt(upper, i) || !bracketed(text):
			return false
		default:
			found = true
		}
	}
	return found
}

func bracketed(text string) bool {
	inBrackets := strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") || strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]")
	return len(text) > 2 && inBrackets && !looksNumeric(text[1:len(text)-1]) // (12) is a negative number
}

// mergedHeader finds the lines of a header whose cells are merged from line to line.
func mergedHeader(h head, at int) (headerLine, error) {
	found := headerLine{at: at, lines: 1}
	if !mayReachDown(h.rows, at-1) && !mayReachDown(h.rows, at) {
		return found, nil
	}
	spans, err := h.spans()
	if err != nil {
		return found, err
	}
	for found.at > 0 && reach(h.rows[found.at-1], spans) >= h.rows[found.at].Number {
		found.at--
	}
	last := h.rows[at].Number
	for i := found.at; i < len(h.rows) && h.rows[i].Number <= last && i-found.at < mostHeaderLines; i++ {
		last = max(last, reach(h.rows[i], spans))
		found.lines = i - found.at + 1
	}
	found.why = "cells are merged from line to line"
	return found, nil
}

// mayReachDown reports whether cells of a row may be merged into the next, so that it is worth looking: there must be a
// blank below a name, and no value in the lower line.
func mayReachDown(rows []table.Row, at int) bool {
	if at < 0 || at+1 >= len(rows) || !adjacent(rows[at], rows[at+1]) || firstValue(rows, at+1) != "" {
		return false
	}
	for i := range rows[at].Cells {
		if filledAt(rows[at], i) && !filledAt(rows[at+1], i) {
			return true
		}
	}
	return false
}

// reach returns the last row that a cell of this row is merged into.
func reach(row table.Row, spans []format.Range) int {
	last := row.Number
	for _, span := range spans {
		if span.Top == row.Number && filledAt(row, span.Left) {
			last = max(last, span.Bottom)
		}
	}
	return last
}

// joinedNames makes one name for each column of a header with several lines. It leaves out a note in brackets if the
// name without it is wanted.
func joinedNames(rows []table.Row, spans []format.Range, wanted []string) []string {
	names := trimmed(rows[len(rows)-1].Cells)
	for i := len(rows) - 2; i >= 0; i-- {
		upper, ends := trimmed(rows[i].Cells), map[int]int{}
		for _, span := range spans {
			if span.Top == rows[i].Number {
				ends[span.Left] = span.Right
			}
		}
		joined := joinedLines(upper, names, ends)
		for column, name := range upper {
			if asked(wanted, name) && !asked(wanted, joined[column]) && bracketed(NameAt(names, column)) {
				joined[column] = name
			}
		}
		names = joined
	}
	return names
}

func asked(wanted []string, name string) bool {
	key := table.FoldName(name)
	return slices.ContainsFunc(wanted, func(w string) bool { return table.FoldName(w) == key })
}

// joinedLines puts the names of an upper line before those of the line below. A group extends to the right as far as
// its cell is merged (ends, by column). If it is not merged, it extends over the next columns that are blank in its
// line and named in the lower one.
func joinedLines(upper, lower []string, ends map[int]int) []string {
	names := make([]string, max(len(upper), len(lower)))
	group, end := "", -1
	for i := range names {
		above, below := NameAt(upper, i), NameAt(lower, i)
		last, merged := ends[i]
		switch {
		case above != "" && merged:
			group, end = above, last
		case above != "":
			group, end = above, len(names) // as far as there are names
		case i > end, below == "" && end == len(names):
			group = ""
		}
		names[i] = strings.TrimSpace(group + " " + below)
		if below == "" && end == len(names) {
			group = ""
		}
	}
	return names
}

func filledAt(row table.Row, column int) bool { return !format.BlankText(row.Cell(column).Text) }
