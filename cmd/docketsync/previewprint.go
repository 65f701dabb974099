package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// longestField is how far the names of fields push the values to the right.
const longestField = 24

// longestCell is how much of a cell is shown beside a value that comes from it.
const longestCell = 60

// preview prints how a record gets from its cells to its payload.
func (p page) preview(a *app, v previewed) {
	title := wording.Plural(len(v.Rows), "row", "rows")
	for n, row := range v.Rows {
		if n > 0 {
			title += ","
		}
		title += " " + strconv.Itoa(row.Row)
		if n == len(v.Rows)-1 || v.Rows[n+1].File != row.File || v.Rows[n+1].Sheet != row.Sheet {
			title += " of " + filepath.Base(row.File) + wording.Prefixed(", sheet ", row.Sheet)
		}
	}
	p.Say(0, a.Strong(p.Out, v.Job)+"  "+title)
	if v.Skip != "" {
		p.Say(2, "This row is left out: "+v.Skip+". Nothing would be sent for it.")
		p.cells(v.Rows)
		return
	}
	p.Gap()
	for _, step := range v.Fields {
		p.step(2, step)
	}
	p.unused(v.Preview)
	p.Gap()
	p.reasons("rejected", v.Reasons)
	p.reasons("note", v.Notes)
	p.known(v.Known)
	p.would(v)
	if len(v.Uncompared) > 0 {
		p.Say(2, fmt.Sprintf("It was not compared with the other records (%s); docketsync check %s does that.", strings.Join(v.Uncompared, ", "), v.Job))
	}
	if len(v.Body) > 0 {
		p.Gap()
		p.Say(2, string(v.Body))
	}
}

// cells lists a row as it was read.
func (p page) cells(rows []importer.PreviewRow) {
	for _, row := range rows {
		for column, cell := range row.Cells {
			if cell.Kind != table.Empty && column < len(row.Names) {
				p.Say(4, fmt.Sprintf("%-*s %s %q", longestField, clipped(row.Names[column], longestField), table.CellName(column, row.Row), cell.Text))
			}
		}
	}
}

// step prints a field: its value, and below it where that comes from.
func (p page) step(indent int, s mapping.Step) {
	name := s.Field[strings.LastIndex(s.Field, ".")+1:]
	value := "(left out)"
	switch {
	case len(s.Reasons) > 0:
		value = "(rejected)"
	case len(s.Parts) > 0 && len(s.Value) > 0:
		value = wording.Counted(entriesOf(s), "entry", "entries")
	case len(s.Value) > 0:
		value = string(s.Value)
	}
	p.Say(indent, fmt.Sprintf("%-*s %s  ← %s", longestField, name, value, origin(s)))
	for n, part := range s.Parts {
		if n > 0 && part.Field == s.Parts[0].Field {
			p.Gap()
		}
		p.step(indent+2, part)
	}
	for _, r := range s.Reasons {
		if !slices.ContainsFunc(s.Parts, func(part mapping.Step) bool { return slices.ContainsFunc(part.Reasons, r.Same) }) {
			p.Say(indent+2, "! "+r.Message)
		}
	}
}

// entriesOf counts the entries that parts belong to; each entry begins with the same field. Components count one each.
func entriesOf(s mapping.Step) int {
	if s.From == "components" {
		return len(s.Parts)
	}
	n := 0
	for _, part := range s.Parts {
		if part.Field == s.Parts[0].Field {
			n++
		}
	}
	return n
}

// origin says where a value comes from: cells, lookup, expression, constant or default.
func origin(s mapping.Step) string {
	var words []string
	switch {
	case s.From == "constant":
		words = append(words, "a constant of the mapping")
	case s.From == "nothing":
		words = append(words, "nothing is mapped")
	case s.Expression != "":
		words = append(words, "expression "+s.Expression)
	}
	if len(s.Parts) == 0 {
		words = append(words, cellWords(s.Cells)...)
	} else {
		words = append(words, wording.Counted(len(s.Cells), "cell"))
	}
	if s.Default {
		words = append(words, "so the mapping's default")
	}
	if s.Lookup != "" && s.Name != "" {
		words = append(words, fmt.Sprintf("as %q of lookup %s", s.Name, s.Lookup))
	} else if s.Lookup != "" && len(s.Reasons) > 0 {
		words = append(words, "lookup "+s.Lookup)
	}
	return strings.Join(words, ", ")
}

// cellWords names cells with their content; cells of one column with the same content are named together.
func cellWords(cells []mapping.Source) []string {
	type content struct {
		column string
		cell   table.Cell
	}
	var order []content
	places := map[content][]string{}
	for _, c := range cells {
		key := content{c.Column, c.Content}
		if places[key] == nil {
			order = append(order, key)
		}
		places[key] = append(places[key], c.Cell)
	}
	kinds := map[table.Kind]string{table.Number: "the number ", table.Date: "the date ", table.Clock: "the time ", table.Error: "the error "}
	var words []string
	for _, c := range order {
		text := strings.Join(places[c], ", ")
		if c.column != "" {
			text += " " + strconv.Quote(c.column)
		}
		if c.cell.Kind == table.Empty {
			words = append(words, text+", which is empty")
			continue
		}
		words = append(words, text+" = "+kinds[c.cell.Kind]+strconv.Quote(clipped(c.cell.Text, longestCell)))
	}
	return words
}

// unused lists the non-empty cells that no field reads.
func (p page) unused(v importer.Preview) {
	read, explained := map[string]bool{}, map[string]bool{}
	for _, s := range v.Fields {
		for _, step := range append([]mapping.Step{s}, s.Parts...) {
			for _, c := range step.Cells {
				read[c.Cell] = true
				explained[strings.TrimLeft(c.Cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = true
			}
		}
	}
	var names []string
	for _, row := range v.Rows {
		for column, cell := range row.Cells {
			at := table.CellName(column, row.Row)
			if explained[strconv.Itoa(row.Row)] && strings.TrimSpace(cell.Text) != "" && !read[at] {
				name := at
				if column < len(row.Names) && row.Names[column] != "" {
					name += " " + row.Names[column]
				}
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		p.Say(2, "not used: "+strings.Join(names, ", "))
	}
}

func (p page) reasons(word string, reasons []ledger.Reason) {
	for _, r := range reasons {
		at := ""
		if r.Cell != "" {
			at = "cell " + r.Cell + ": "
		}
		p.Say(2, word+": "+at+r.Message)
		if r.Hint != "" {
			p.Say(4, r.Hint)
		}
	}
}

func (p page) known(k *importer.PreviewKnown) {
	switch {
	case k == nil:
		p.Say(2, "The ledger does not know this record.")
		return
	case k.Run != "":
		p.Say(2, fmt.Sprintf("The service accepted it on %s (run %s)%s.", moment.Of(k.AcceptedAt), k.Run, wording.Prefixed(" under the id ", k.ServiceID)))
	}
	if k.Unsettled {
		p.Say(2, "It was sent again since, without a confirmed result: the service may hold either version.")
	}
}

// would says what a run would do.
func (p page) would(v previewed) {
	switch {
	case v.Would == ledger.Rejected:
		p.Say(2, "A run would reject it: nothing is sent.")
	case v.Would == ledger.InDoubt:
		p.Say(2, "A run would not send it: "+v.Message)
	case v.Would == ledger.Unchanged:
		p.Say(2, "A run would send nothing: the service holds it already.")
	case v.Action == ledger.Create:
		p.Say(2, "A run would create it.")
	case len(v.Changes) == 0:
		p.Say(2, "A run would send this update.")
	default:
		p.Say(2, "A run would update it:")
		for _, c := range v.Changes {
			p.Say(4, changed(c.Field, c, false))
		}
	}
}

// clipped cuts a text that would push everything else out of sight.
func clipped(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
