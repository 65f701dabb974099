package infer

import (
	"cmp"
	"math"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping"
)

// The minimum fit of a column that is chosen. For an optional field no column is better than one whose name is far from
// the field's.
const (
	leastRequired = .25
	leastOptional = .55
)

// fitColumns chooses the columns of an operation.
func (t *survey) fitColumns(op payload.Operation, o mapping.Options) *plan {
	p := &plan{operation: op, chosen: map[string]*column{}}
	if op == payload.UpdateTrademark {
		// In numbered columns, in a cell that holds several classes, or in a column with one class per row.
		p.goods = cmp.Or(t.countedGoods(), t.splitGoods(), t.rowGoods())
	}
	for _, target := range payload.Fields(op, o.Switches) {
		p.targets = append(p.targets, target)
		if target.Name == "files" {
			for _, inner := range target.Items {
				inner.Name = "files." + inner.Name
				p.targets = append(p.targets, inner)
			}
		}
	}
	if p.goods != nil {
		p.targets = append(p.targets, payload.Field{Name: languageField, Type: payload.TypeGUID})
	}
	fits := make([][]float64, len(p.targets))
	for i, target := range p.targets {
		fits[i] = make([]float64, len(t.columns))
		for j, c := range t.columns {
			if p.goods == nil || !slices.Contains(p.goods.columns, c) {
				fits[i][j] = t.fit(c, op, target) - 1e-6*float64(j) // if two fit equally well, the first one wins
			}
			fits[i][j] = max(fits[i][j], 0)
		}
	}
	for i, j := range assign(fits) {
		if j >= 0 {
			p.chosen[p.targets[i].Name] = t.columns[j]
		}
	}
	p.key = t.findKey(p)
	if number := p.chosen["application_number"]; number != nil && number == p.key && slices.Contains(number.meaning.concepts, "filenumber") {
		delete(p.chosen, "application_number") // the only reference may be the firm's own
	}
	return p
}

// notNames are concepts beside "name" that make it something else than a case's name: a case is not called by a
// person's first name.
var notNames = []string{"number", "first", "middle", "last"}

// people are concepts beside "active", "status" or "closed" with which these do not describe a case.
var people = []string{"client", "company", "person", "party", "owner", "lawyer", "handler", "proxy", "agent"}

// fit says how well a column fits a field, from 0 to about 1.
func (t *survey) fit(c *column, op payload.Operation, target payload.Field) float64 {
	if c.filled == 0 {
		return 0
	}
	looks, possible := c.looksLike(target)
	if !possible {
		return 0
	}
	if t.lettered { // without a header, the values alone identify only these fields
		if slices.Contains([]string{"mark_text", "application_number", "name", "number", "id"}, target.Name) {
			return max(0, looks-.5)
		}
		return 0
	}
	if (target.Name == "name" || target.Name == "files.name") && slices.ContainsFunc(notNames, c.means) {
		return 0
	}
	if target.Type == payload.TypeBool && (slices.ContainsFunc(people, c.means) || c.isNegative() && len(c.meaning.unknown) > 0) {
		return 0
	}
	isAddress := func(c *column) bool { return c.filled > 0 && slices.Contains(c.meaning.concepts, "address") }
	if target.Name == "registry_id" && !c.means("registry") && slices.ContainsFunc(t.columns, isAddress) {
		return 0 // it is the country of an owner's address
	}
	name := c.meaning.fit(names[op][target.Name])
	least := leastOptional
	if target.Required {
		least = leastRequired
	}
	if _, constant := c.constant(); constant && target.Type == payload.TypeGUID && !target.Required {
		least = .8 // the same name in every row says little
	}
	if name < least {
		return 0
	}
	return .75*name + .25*looks
}

// looksLike says how much the values of a column look like a field's, from 0 to 1. It returns false if they cannot be
// the field's.
func (c *column) looksLike(target payload.Field) (score float64, possible bool) {
	guids, urls, bools := c.share(c.looks[payload.TypeGUID]), c.share(c.looks[payload.TypeURL]), c.share(c.looks[payload.TypeBool])
	dates := c.share(c.verdict.Dates)
	switch {
	case target.Type == payload.TypeDate:
		return dates, dates >= .6
	case target.Type == payload.TypeURL:
		return urls, urls >= .8
	case target.Type == payload.TypeBool:
		known := c.share(c.activity())
		return max(bools, known), max(bools, known) >= .8
	case target.Name == "id":
		return guids, guids >= .9
	case guids >= .9:
		return 1, target.Type == payload.TypeGUID || target.Type == payload.TypeGUIDs
	case dates > .5 || urls > .5:
		return 0, false
	case target.Type == payload.TypeGUID || target.Type == payload.TypeGUIDs:
		// Lookups are for names that repeat.
		return 1 - c.distinct()/2, len(c.values) > 0 && bools < .9
	case target.Reference || target.Type == payload.TypeNumber:
		return .4*c.share(c.codes) + .6*c.distinct(), c.share(c.codes) >= .6
	case target.Name == "mark_text" || target.Name == "name" || target.Name == "files.name":
		return c.share(c.texts) * (.3 + .7*c.distinct()) * (1 - .8*c.share(c.codes)), c.share(c.texts) >= .5 && bools < .9
	case target.Name == "status":
		return 1 - c.distinct(), bools < .9
	}
	return .5, bools < .9
}

// findKey chooses the column that identifies records.
func (t *survey) findKey(p *plan) *column {
	if known := p.operation.About().Key; known != "" {
		return p.chosen[known]
	}
	var best *column
	most := 0.0
	for _, c := range t.columns {
		name := c.meaning.fit(keyNames)
		if name < .5 || c.filled < t.rows || c.share(c.codes) < .6 || len(c.at) > 1 {
			continue
		}
		if score := .6*name + .4*c.distinct(); score > most+1e-9 {
			best, most = c, score
		}
	}
	if best == nil || best.distinct() < 1 && p.goods == nil {
		if number := p.chosen["application_number"]; number != nil && (best == nil || number.distinct() > best.distinct()) {
			return number
		}
	}
	return best
}

// assign gives each row of fits at most one column, and each column at most one row, so that the sum is the greatest
// possible (the Kuhn-Munkres algorithm with potentials). It returns the column of each row, or -1 for none. A fit of 0
// is never assigned.
func assign(fits [][]float64) []int {
	rows := len(fits)
	if rows == 0 {
		return nil
	}
	columns := len(fits[0]) + rows // one extra column for each row that gets none
	cost := func(row, column int) float64 {
		if column < len(fits[0]) {
			return -fits[row][column]
		}
		return 0
	}
	rowPotential, columnPotential := make([]float64, rows+1), make([]float64, columns+1)
	owner, way := make([]int, columns+1), make([]int, columns+1) // counted from 1, 0 is free
	for row := 1; row <= rows; row++ {
		owner[0] = row
		least, visited := slices.Repeat([]float64{math.Inf(1)}, columns+1), make([]bool, columns+1)
		at := 0
		for owner[at] != 0 {
			visited[at] = true
			from, next, delta := owner[at], 0, math.Inf(1)
			for column := 1; column <= columns; column++ {
				if visited[column] {
					continue
				}
				if reduced := cost(from-1, column-1) - rowPotential[from] - columnPotential[column]; reduced < least[column] {
					least[column], way[column] = reduced, at
				}
				if least[column] < delta {
					delta, next = least[column], column
				}
			}
			for column := range visited {
				if visited[column] {
					rowPotential[owner[column]] += delta
					columnPotential[column] -= delta
				} else {
					least[column] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			owner[at] = owner[way[at]]
			at = way[at]
		}
	}
	result := slices.Repeat([]int{-1}, rows)
	for column := 1; column <= len(fits[0]); column++ {
		if row := owner[column] - 1; row >= 0 && fits[row][column-1] > 0 {
			result[row] = column - 1
		}
	}
	return result
}
