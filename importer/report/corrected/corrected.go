// Package corrected finds the records that an earlier run rejected and this one did not.
//
// If a record goes in that an earlier run rejected, it was corrected: in rejects.xlsx, in the firm's own system, or in
// a lookup. In a row of rejects.xlsx, docketsync's own column says which record it was (Columns); other records are
// known by their keys, among those that the last run of a whole export rejected and the later runs of corrected rows
// have not sent. At most 200,000 rejected records are remembered, and the first 1,000 corrections are listed cell by
// cell.
package corrected

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// Corrected says which records an earlier run rejected and this one did not: in a run they went in; in a plan or a
// check they would.
type Corrected struct {
	Records int `json:"records"`
	Rows    int `json:"rows"`
	// Again is how many records were rejected before and still are.
	Again int `json:"again"`
	// List has the first of them.
	List []Correction `json:"list"`
}

// Correction is one record that was rejected before.
type Correction struct {
	Seq int64  `json:"seq"`
	Key string `json:"key"`
	// Run is the run that rejected it; Since is when that run began.
	Run   string    `json:"run"`
	Since time.Time `json:"since"`
	// Was says why it was rejected.
	Was string `json:"was"`
	// Cells are the cells that differ. There are none if a lookup or the mapping was corrected.
	Cells []CorrectedCell `json:"cells"`
	// Note says what cannot be compared cell by cell.
	Note string `json:"note,omitempty"`

	former formerPlace
}

// CorrectedCell is a cell that was corrected; Cell is where it stands now.
type CorrectedCell struct {
	Column string `json:"column"`
	Cell   string `json:"cell"`
	Before string `json:"before"`
	Now    string `json:"now"`
	// By is who corrected the cell in the console; "" if the source was corrected.
	By string `json:"by,omitempty"`
}

const (
	listedCorrections = 1000
	// correctedCells limits how many changed cells of a record are listed: a row with more changes is a different row.
	correctedCells = 20
)

// Collector collects what was corrected, record by record of a run.
type Collector struct {
	Former Former
	found  Corrected
}

// Add adds a record and reports whether it was corrected.
func (c *Collector) Add(run ledger.Run, r ledger.Record) bool {
	place, ok := c.Former.Of(r)
	switch {
	case !ok:
	case outcome.Of(r) == outcome.Rejected:
		c.found.Again++
	case WentThrough(run, r):
		c.found.Records++
		c.found.Rows += len(r.Rows)
		if len(c.found.List) < listedCorrections {
			from := c.Former.runs[place.run]
			c.found.List = append(c.found.List, Correction{Seq: r.Seq, Key: r.Key, Run: from.ID, Since: from.Started.UTC(), Cells: []CorrectedCell{}, former: place})
		}
		return true
	}
	return false
}

// WentThrough reports whether a record got as far as a run of its kind can take it.
func WentThrough(run ledger.Run, r ledger.Record) bool {
	if run.Kind == ledger.Push {
		return r.State == ledger.Accepted
	}
	return r.State == ledger.Planned
}

// Corrected returns what was corrected, with what was wrong and what was changed; nil if nothing was.
func (c *Collector) Corrected(ctx context.Context, led *ledger.Reader, run ledger.Run) (*Corrected, error) {
	if c.found.Records == 0 {
		return nil, nil
	}
	inPlace, err := led.Corrections(ctx, run.Job)
	if err != nil {
		return nil, err
	}
	for n := range c.found.List {
		if err := c.compare(ctx, led, run, &c.found.List[n]); err != nil {
			return nil, fmt.Errorf("compare record %d with what was rejected: %w", c.found.List[n].Seq, err)
		}
		for m := range c.found.List[n].Cells {
			cell := &c.found.List[n].Cells[m]
			for _, one := range inPlace[c.found.List[n].Key] {
				if table.FoldName(one.Column) == table.FoldName(cell.Column) && wording.Short(one.New, 200) == cell.Now {
					cell.By = one.Who
				}
			}
		}
	}
	return &c.found, nil
}

func (c *Collector) compare(ctx context.Context, led *ledger.Reader, run ledger.Run, to *Correction) error {
	was, err := led.RecordsAt(ctx, to.Run, []int64{to.former.seq})
	if err != nil {
		return err
	}
	now, err := led.RecordsAt(ctx, run.ID, []int64{to.Seq})
	if err != nil {
		return err
	}
	if len(was) == 0 || len(now) == 0 {
		to.Note = noteUnkept
		return nil
	}
	to.Was = wording.UpperFirst(cause.InShort(was[0]))
	before, err := namedRows(c.Former.runs[to.former.run], was[0].Rows, comparedRows, run.Sources)
	if err != nil {
		return err
	}
	after, err := namedRows(run, now[0].Rows, comparedRows, nil)
	if err != nil {
		return err
	}
	switch {
	case len(before) == 0 || len(after) == 0:
		to.Note = noteUnkept
	case len(before) != len(after):
		to.Note = fmt.Sprintf("It was made of %s, and is made of %s now.", wording.Counted(len(before), "row"), wording.Counted(len(after), "row"))
	}
	for _, c := range correctedIn(before, after) {
		if c.Former.Text != c.Present.Text && len(to.Cells) < correctedCells {
			to.Cells = append(to.Cells, c.CorrectedCell)
		}
	}
	return nil
}

const noteUnkept = "The rows that were rejected are no longer kept."

// correctedIn compares the rows of a record with its former ones: each with the most similar, column by column by name.
func correctedIn(before, now []NamedRow) (list []ChangedCell) {
	before = slices.Clone(before)
	for _, row := range now[:min(len(now), len(before))] {
		best, fewest := 0, len(row.columns)+1
		for n, candidate := range before {
			if differing := row.differing(candidate); differing < fewest {
				best, fewest = n, differing
			}
		}
		list = append(list, row.unlike(before[best])...)
		before = slices.Delete(before, best, best+1)
	}
	return list
}

// columnName identifies a column of a header in which names repeat: nth is 0 for the first of that name.
type columnName struct {
	header string
	nth    int
}

// NamedRow is a row whose cells are found by the names of their columns; columns are in the order of the header.
type NamedRow struct {
	number  int
	columns []columnName
	places  []int // of the columns in the header
	cells   map[columnName]table.Cell
}

// ChangedCell is a cell that differs from the former one: in its text, or by having become text.
type ChangedCell struct {
	CorrectedCell
	Place           int // of its column in the header
	Former, Present table.Cell
}

// Retyped reports whether a cell that held a date, a number, a time or a truth value now holds text.
func (c ChangedCell) Retyped() bool { return retyped(c.Former, c.Present) }

func retyped(was, now table.Cell) bool {
	return now.Kind == table.Text && was.Kind != table.Text && was.Kind != table.Empty && was.Kind != table.Error
}

// changed reports whether a cell of the row differs from that of the former row.
func (r NamedRow) changed(before NamedRow, name columnName) bool {
	was, ok := before.cells[name]
	now := r.cells[name]
	return ok && (was.Text != now.Text || retyped(was, now))
}

// differing counts such cells.
func (r NamedRow) differing(before NamedRow) (cells int) {
	for _, name := range r.columns {
		if r.changed(before, name) {
			cells++
		}
	}
	return cells
}

// unlike returns the cells of a row that differ from those of the former row.
func (r NamedRow) unlike(before NamedRow) (list []ChangedCell) {
	for n, name := range r.columns {
		if r.changed(before, name) {
			was, now := before.cells[name], r.cells[name]
			list = append(list, ChangedCell{CorrectedCell{Column: name.header, Cell: table.CellName(r.places[n], r.number), Before: wording.Short(was.Text, 200), Now: wording.Short(now.Text, 200)},
				r.places[n], was, now})
		}
	}
	return list
}

const (
	// comparedRows limits the rows of a record that a report compares, formerRows those that a row imported again is
	// compared with: every row is compared with all of them.
	comparedRows = 50
	formerRows   = 1000
)

// namedRows returns the kept rows of a record with their column names, without docketsync's own columns. Names are in the
// spelling of present, the sources that the rows are compared with.
func namedRows(run ledger.Run, rows []ledger.Row, most int, present []ledger.Source) ([]NamedRow, error) {
	var list []NamedRow
	for _, row := range rows[:min(len(rows), most)] {
		if row.Source < 0 || row.Source >= len(run.Sources) || len(row.Cells) == 0 {
			continue
		}
		cells, err := table.StoredCells(row.Cells)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", row.Number, err)
		}
		header := run.Sources[row.Source].Header
		if row.Source < len(present) {
			header = respelled(header, present[row.Source].Header)
		}
		list = append(list, nameCells(header, table.Row{Number: row.Number, Cells: cells}))
	}
	return list, nil
}

// respelled returns a header with the names of another one where they differ in spelling alone. A name for which the
// other has several stays.
func respelled(header, as []string) []string {
	list := slices.Clone(header)
	for n, name := range header {
		if slices.Contains(as, name) {
			continue
		}
		same := func(other string) bool { return table.FoldName(other) == table.FoldName(name) }
		at := slices.IndexFunc(as, same)
		if at >= 0 && !slices.ContainsFunc(as[at+1:], same) && !slices.Contains(list, as[at]) {
			list[n] = as[at]
		}
	}
	return list
}

func nameCells(header []string, row table.Row) NamedRow {
	named := NamedRow{number: row.Number, cells: map[columnName]table.Cell{}}
	seen := map[string]int{}
	for column, title := range header {
		name := columnName{title, seen[title]}
		seen[title]++
		if !table.IsOwnColumn(title) {
			named.columns, named.places, named.cells[name] = append(named.columns, name), append(named.places, column), row.Cell(column)
		}
	}
	return named
}

// Rejected returns the rows of a rejected record.
func Rejected(run ledger.Run, was ledger.Record) ([]NamedRow, error) {
	return namedRows(run, was.Rows, formerRows, nil)
}

// Changed returns the cells of a row that differ from the most similar row of a rejected record.
func Changed(before []NamedRow, header []string, row table.Row) []ChangedCell {
	return correctedIn(before, []NamedRow{nameCells(header, row)})
}
