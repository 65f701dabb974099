package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// subject is a field of a record in both plans, and what may have changed it.
type subject struct {
	path    string // "files[2].number"
	top     string // "files"
	was, is ledger.Record
	alike   bool // what was mapped is the same, and is only sent differently

	before, after []column // that it is read from
	kept          bool     // whether both plans have them
}

// origins returns those of a field in one plan: those of the field itself, or of everything that belongs to it.
func origins(about *About, r ledger.Record, path string) []ledger.Origin {
	source := 0
	if len(r.Rows) > 0 {
		source = r.Rows[0].Source
	}
	if source >= len(about.sources) {
		return nil
	}
	field := payload.FieldOf(path)
	top, _, _ := strings.Cut(field, ".")
	all := about.sources[source].Origins
	own := slices.DeleteFunc(slices.Clone(all), func(o ledger.Origin) bool { return o.Field != field })
	if len(own) > 0 {
		return own
	}
	return slices.DeleteFunc(slices.Clone(all), func(o ledger.Origin) bool { return o.Field != top && !strings.HasPrefix(o.Field, top+".") })
}

// said reports whether a cell of a field has a word, or may have it.
func (of subject) said(word string) bool {
	if !of.kept {
		return true
	}
	word = table.Fold(word)
	return slices.ContainsFunc(slices.Concat(of.before, of.after), func(c column) bool {
		return slices.ContainsFunc(strings.Split(c.text, "; "), func(text string) bool { return table.Fold(table.Trim(text)) == word })
	})
}

// column is what the rows of a record have in a column.
type column struct{ name, shown, text string }

// cellsBy returns the cells of the columns that a field is read from. ok is false if the plan does not keep them.
func cellsBy(about *About, r ledger.Record, origins []ledger.Origin) (columns []column, ok bool) {
	var at []int
	for _, o := range origins {
		for _, n := range o.Columns {
			if !slices.Contains(at, n) {
				at = append(at, n)
			}
		}
	}
	if len(at) == 0 || len(r.Rows) == 0 {
		return nil, true
	}
	texts := make([][]string, len(at))
	for _, row := range r.Rows {
		if len(row.Cells) == 0 {
			return nil, false
		}
		for n, text := range cellTexts(row, at) {
			texts[n] = append(texts[n], text)
		}
	}
	names := about.columns[r.Rows[0].Source]
	for n, at := range at {
		c := column{name: fmt.Sprint(at), shown: table.ColumnLetter(at)}
		if at < len(names) {
			c = names[at]
		}
		c.text = strings.Join(texts[n], "; ")
		columns = append(columns, c)
	}
	return columns, true
}

// cellTexts returns the texts of some cells of a row. To read all of them would take several times as long.
func cellTexts(row ledger.Row, at []int) []string {
	texts := make([]string, len(at))
	cells, _ := jsontext.SplitList(row.Cells)
	for n, column := range at {
		var cell table.Cell
		if column < len(cells) && cell.UnmarshalJSON(cells[column]) == nil {
			texts[n] = cell.Text
		}
	}
	return texts
}

// columnsOf names columns so that two exports of one kind can be compared: by their headers, numbered if several are
// the same.
func columnsOf(header []string) []column {
	columns, same := make([]column, len(header)), map[string]int{}
	for n, text := range header {
		folded := table.FoldName(text)
		columns[n] = column{name: fmt.Sprintf("%s %d", folded, same[folded]), shown: cmp.Or(strings.TrimSpace(text), table.ColumnLetter(n))}
		same[folded]++
	}
	return columns
}
