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

// why returns why a field has changed. change is nil if the field is to blame for a rejection.
func (c *comparison) why(t *trial, of subject, change *payload.Change) Finding {
	list := c.suspects.suspected(of)
	found := conclude(list)
	if found.Certainty == Either && !of.alike {
		found = t.decide(of, list)
	}
	for n := range found.Causes {
		if cause := &found.Causes[n]; cause.Kind == Lookup && change != nil && change.Old != nil && change.New != nil {
			cause.Old, cause.New = change.Old.Text, change.New.Text
		}
	}
	return found
}

// conclude returns what the suspects alone show: a single one is the cause.
func conclude(list []Cause) Finding {
	switch factorsOf(list) {
	case 0:
		return Finding{[]Cause{{Kind: Unknown}}, Proven}
	case 1:
		return Finding{list, Proven}
	}
	return Finding{list, Either}
}

// factorsOf returns how many things that a plan is made from are suspected. Several cells, or lines of the mapping,
// count as one.
func factorsOf(list []Cause) int {
	seen := map[Kind]bool{}
	for _, c := range list {
		seen[c.Kind] = true
	}
	return len(seen)
}

// unkept returns the finding about a record of which one plan has nothing but its digest.
func (c *comparison) unkept() Finding {
	s := c.suspects
	list := s.unkept()
	for _, l := range s.lines {
		if l.path[0] == "fields" {
			list = append(list, l.Cause)
		}
	}
	for name, changed := range s.lookups {
		if changed {
			list = append(list, Cause{Kind: Lookup, Of: name})
		}
	}
	return conclude(slices.Concat(list, s.mapping, s.settings, s.version, s.day))
}

// rejections returns the reasons for which a record is rejected in one of the plans.
func (c *comparison) rejections(t *trial, was, is ledger.Record) (fields []Field) {
	reasons := is.Reasons
	if kindOf(is.State, is.Digest) != rejected {
		reasons = was.Reasons
	}
	checks := c.suspects.at("checks")
	if c.suspects.sources {
		checks = append(checks, Cause{Kind: Others})
	}
	for _, r := range reasons {
		of := subject{path: r.Field, top: topOf(r.Field), was: was, is: is}
		f := Field{Field: r.Field, Reason: r.Message, Finding: c.why(t, of, nil)}
		if f.Causes[0].Kind == Unknown {
			f.Finding = conclude(checks)
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		fields = []Field{{Finding: conclude(nil)}}
	}
	return fields
}

// absent returns why one of the plans does not have a record at all.
func (c *comparison) absent(t *trial, r ledger.Record, change Change) Finding {
	s := c.suspects
	choosing := s.at("rows", "key", "scope", "operation", "blanks")
	if s.mapping != nil {
		choosing = s.mapping
	}
	var list []Cause
	if s.sources {
		row := Cause{Kind: Row, New: "1"}
		if change == Gone {
			row = Cause{Kind: Row, Old: "1"}
		}
		list = append(list, row)
	}
	list = slices.Concat(list, choosing, s.reading, s.settings, s.version)
	if factorsOf(list) < 2 {
		return conclude(list)
	}
	// The mapping of the plan that has the record makes it from its row. The question is whether the other plan's
	// mapping would have.
	own := made(0)
	if change == New {
		own = everything
	}
	key, skip, ok := t.keyOf(r, own)
	its, left, alsoOK := t.keyOf(r, own^mappings)
	if !ok || !alsoOK || key != r.Key || skip != "" {
		return Finding{list, Either}
	}
	if left != "" || its != r.Key {
		return Finding{choosing, Proven}
	}
	list = slices.DeleteFunc(list, func(cause Cause) bool { return cause.Kind == Mapping || cause.Kind == Version })
	return found(list, list)
}
