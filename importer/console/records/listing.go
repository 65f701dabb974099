package records

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// listShown is how many records of a run are shown at once.
const listShown = 50

// listView is a page of the records of a run.
type listView struct {
	Run      ledger.Run
	Outcomes []report.OutcomeCount // those that occur
	Only     outcome.Outcome
	Key      string
	Lines    []listLine
	All      int // of those asked for
	First    int // the position of the first line among them, 0 if unknown
	Next     int64
}

type listLine struct {
	ledger.Record
	Outcome outcome.Outcome
	What    string
}

// states returns the states and actions that an outcome stands for; none for no outcome.
func states(o outcome.Outcome) (states []ledger.State, actions []ledger.Action) {
	switch o {
	case "":
		return nil, nil
	case outcome.Created:
		return []ledger.State{ledger.Accepted}, []ledger.Action{ledger.Create}
	case outcome.Updated:
		return []ledger.State{ledger.Accepted}, []ledger.Action{ledger.Update}
	case outcome.Rejected:
		return outcome.RejectedStates, nil
	}
	return []ledger.State{ledger.State(o)}, nil
}

// list shows the records of a run from the ledger, without its report: all, those with an outcome, or the one with a
// key.
func list(r *web.Request, run ledger.Run) error {
	query := r.URL.Query()
	view := listView{Run: run, Only: outcome.Outcome(query.Get("outcome")), Key: strings.TrimSpace(query.Get("key"))}
	if view.Key != "" {
		found, err := r.Book().RecordByKey(r.Context(), run.ID, view.Key)
		switch {
		case err == nil:
			return r.SeeOther(recordOf(run, found.Seq), "")
		case !errors.Is(err, ledger.ErrNotFound):
			return err
		}
	}
	counts, err := r.Book().Tally(r.Context(), run.ID)
	if err != nil {
		return err
	}
	of := outcome.Tally(counts)
	for _, o := range outcome.Present(of) {
		view.Outcomes = append(view.Outcomes, report.OutcomeCount{Outcome: o, Records: of[o]})
		if view.Only == "" || view.Only == o {
			view.All += of[o]
		}
	}
	view.First, _ = strconv.Atoi(cmp.Or(query.Get("first"), "1")) // anything else is not shown
	after, _ := strconv.ParseInt(query.Get("after"), 10, 64)      // anything else means the beginning
	filter := ledger.RecordFilter{Brief: true, After: after, Limit: listShown + 1}
	filter.States, filter.Actions = states(view.Only)
	for record, err := range r.Book().Records(r.Context(), run.ID, filter) {
		if err != nil {
			return err
		}
		if len(view.Lines) == listShown {
			view.Next = view.Lines[listShown-1].Seq
			break
		}
		view.Lines = append(view.Lines, listLine{record, outcome.Of(record), wording.UpperFirst(cause.InShort(record))})
	}
	return r.Show("list", "Records of "+run.Job, view)
}

func recordOf(run ledger.Run, seq int64) string {
	return "/runs/" + run.ID + "/records/" + strconv.FormatInt(seq, 10)
}

// oneView is one record of one run, with everything known about it.
type oneView struct {
	entry
	Outcome outcome.Outcome
	Name    string
	Sources []sourceRow
	Changes []planfile.Change
	Created bool // Changes are all values, because the service held none before
	More    int  // rows that are not shown
	Correct bool // cells can be corrected here
	Saved   []ledger.CellCorrection
	Seen    string // identifies Saved
}

// sourceRow is a row of the source as it was read; it has no cells if the ledger has not kept them.
type sourceRow struct {
	Where string
	Cells []cell
}

type cell struct {
	Name, Column, Text string
	Wrong              bool
	Field              string // name of the form field in which it can be corrected, "" if it cannot
}

// Lines is the height of the form field for a text with line breaks; 0 for a single line.
func (c cell) Lines() int {
	if breaks := strings.Count(c.Text, "\n") + strings.Count(c.Text, "\r") - strings.Count(c.Text, "\r\n"); breaks > 0 {
		return min(breaks+1, 12)
	}
	return 0
}

// rowsShown is how many rows of a record are shown.
const rowsShown = 100

// recordIn finds the record that a request names.
func recordIn(r *web.Request, run ledger.Run) (record ledger.Record, err error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return record, web.Nowhere(r)
	}
	record, err = r.Book().Record(r.Context(), run.ID, seq)
	if errors.Is(err, ledger.ErrNotFound) {
		err = web.Refuse(http.StatusNotFound, "This run has no such record.", "The page of the run leads to its records.")
	}
	return record, err
}

// one shows one record of a run.
func one(r *web.Request, run ledger.Run) error {
	record, err := recordIn(r, run)
	if err != nil {
		return err
	}
	view := oneView{Outcome: outcome.Of(record), Name: cmp.Or(payload.Title(record.Payload), payload.Title(record.Previous)), Created: len(record.Previous) == 0}
	if view.entry, err = entryOf(r.Context(), run, record); err != nil {
		return err
	}
	if view.Changes, err = changes(run, record, record.Sent()); err != nil {
		return err
	}
	view.More = max(0, len(record.Rows)-rowsShown)
	blamed := cause.Blame(run, record)
	for n, row := range record.Rows[:len(record.Rows)-view.More] {
		shown, err := sourceRowOf(run, row, n, func(column int) bool {
			return slices.ContainsFunc(blamed, func(b cause.Blamed) bool { return b.Row == n && b.Column == column })
		})
		if err != nil {
			return err
		}
		view.Sources = append(view.Sources, shown)
	}
	if view.Correct, err = correctable(r, run, record); err == nil && view.Correct {
		var saved map[string][]ledger.CellCorrection
		saved, err = r.Book().Corrections(r.Context(), run.Job)
		view.Saved = saved[record.Key]
		view.Seen = seenOf(view.Saved)
	}
	if err != nil {
		return err
	}
	return r.Show("one", "Record "+record.Key, view)
}

// sourceRowOf returns the nth row of a record with the cells that are filled or wrong.
func sourceRowOf(run ledger.Run, row ledger.Row, n int, wrong func(column int) bool) (sourceRow, error) {
	shown := sourceRow{Where: wording.Places(run, []ledger.Row{row})}
	if len(row.Cells) == 0 {
		return shown, nil
	}
	cells, err := table.StoredCells(row.Cells)
	if err != nil {
		return shown, err
	}
	header := wording.SourceOf(run, row.Source).Header
	for column := range max(len(header), len(cells)) {
		c := cell{Name: table.CellName(column, row.Number), Wrong: wrong(column)}
		if column < len(header) {
			c.Column = header[column]
		}
		if column < len(cells) {
			c.Text = cells[column].Text
		}
		if slices.Index(header, c.Column) == column && c.Column != "" && !slices.Contains(header[column+1:], c.Column) {
			c.Field = fmt.Sprintf("cell-%d-%d", n, column)
		}
		if c.Text != "" || c.Wrong {
			shown.Cells = append(shown.Cells, c)
		}
	}
	return shown, nil
}
