package records

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	corrections "docketsync/importer/rows"
	"docketsync/mapping/table"
)

// correctable reports whether the cells of a record can be corrected where they are shown. The newest run of its job
// must have rejected it, so that nobody corrects what has changed since; its rows must be kept; and it must have a key,
// which identifies its rows.
func correctable(r *web.Request, run ledger.Run, record ledger.Record) (bool, error) {
	if record.Key == "" || !slices.Contains(outcome.RejectedStates, record.State) || !r.Person.Operates() || !slices.ContainsFunc(record.Rows, func(row ledger.Row) bool { return len(row.Cells) > 0 }) {
		return false, nil
	}
	last, err := r.Book().Runs(r.Context(), ledger.RunFilter{Job: run.Job, Kinds: []ledger.Kind{ledger.Push, ledger.Plan}, Limit: 1})
	return len(last) > 0 && last[0].ID == run.ID && !run.Ended.IsZero(), err
}

// correct saves what somebody wrote into cells. The form says what each cell said when it was shown; the cell must
// still say that when the row is read again.
func (p *Pages) correct(r *web.Request, run ledger.Run) error {
	r.About(run.Job)
	record, err := recordIn(r, run)
	if err != nil {
		return err
	}
	if may, err := correctable(r, run, record); err != nil || !may {
		return errors.Join(err, &web.Refusal{Status: http.StatusConflict, Message: "This record cannot be corrected here.",
			Hint: "The job has run since, or the record has no key. Nothing was saved.", Path: web.JobPath(run.Job), Way: "View the job"})
	}
	before, err := r.Book().Corrections(r.Context(), run.Job)
	if err != nil {
		return err
	}
	if seenOf(before[record.Key]) != r.PostFormValue("seen") {
		return correctedSince
	}
	list, cells, err := p.corrected(r, run, record, before[record.Key])
	if err != nil {
		return err
	}
	if cells == 0 {
		return web.Refuse(http.StatusBadRequest, "No cell was changed.", "Write the correct value into a cell, then save.")
	}
	if err := p.Work.Correct(r.Context(), r.Person.Name, run, record.Key, before[record.Key], list); errors.Is(err, ledger.ErrCorrected) {
		return correctedSince
	} else if err != nil {
		return err
	}
	said := wording.Counted(cells, "cell") + " corrected"
	r.Remark(run.Name + ", record " + strconv.FormatInt(record.Seq, 10) + ": " + said)
	return r.SeeOther(recordOf(run, record.Seq), said+". The correction counts when the row is read again: start a dry run of "+run.Job+".")
}

var correctedSince = web.Refuse(http.StatusConflict, "This record has been corrected since the page was loaded, in another window or by somebody else.",
	"Nothing was saved. Reload the page to see what is corrected by now.")

// seenOf identifies the corrections that a page shows.
func seenOf(list []ledger.CellCorrection) string {
	sum := sha256.New()
	for _, c := range list {
		fmt.Fprintf(sum, "%q %d %q %d\n", c.Column, c.Nth, c.New, c.At.UnixMicro())
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// corrected returns the corrections of a record's rows, made from a form and the corrections before it, and how many
// cells were newly corrected or taken back.
func (p *Pages) corrected(r *web.Request, run ledger.Run, record ledger.Record, before []ledger.CellCorrection) (list []ledger.CellCorrection, cells int, err error) {
	rows, left, err := rowsBefore(run, record, before)
	if err != nil {
		return nil, 0, err
	}
	outdated := func(column string) bool {
		return slices.ContainsFunc(record.Reasons, func(why ledger.Reason) bool {
			return why.Code == "correction_outdated" && (why.Column == column || why.Column == "")
		})
	}
	for n, row := range record.Rows[:min(len(record.Rows), rowsShown)] {
		shown, err := sourceRowOf(run, row, n, func(int) bool { return true })
		if err != nil {
			return nil, 0, err
		}
		of := &rows[n]
		for column, c := range shown.Cells {
			if c.Field == "" || !r.PostForm.Has(c.Field) {
				continue
			}
			text, at := asShown(r.PostFormValue(c.Field), c.Text), slices.IndexFunc(of.corrected, func(one ledger.CellCorrection) bool { return corrections.ColumnNamed(of.header, one.Column) == column })
			if text == c.Text && (at < 0 || !outdated(c.Column)) {
				continue
			}
			cells++
			if at >= 0 {
				of.corrected = slices.Delete(of.corrected, at, at+1)
			}
			if text == of.texts[column] {
				continue // as in the source
			}
			if text != "" && corrections.DateColumn(wording.SourceOf(run, row.Source).Origins, column) && !corrections.IsDay(text) {
				return nil, 0, web.Refuse(http.StatusBadRequest, fmt.Sprintf("%s: %q is not written as a date is here. Nothing was saved.", c.Column, text),
					"Write year, month and day, such as 2026-04-03, so that nobody can take the day for the month.")
			}
			of.corrected = append(of.corrected, ledger.CellCorrection{Key: record.Key, Column: c.Column, Old: of.texts[column], New: text})
		}
	}
	if slices.ContainsFunc(record.Reasons, func(why ledger.Reason) bool { return why.Code == "correction_outdated" }) {
		cells, left = cells+len(left), nil
		for n := range rows { // nor corrections of a column that the file no longer has
			had := len(rows[n].corrected)
			rows[n].corrected = slices.DeleteFunc(rows[n].corrected, func(c ledger.CellCorrection) bool { return corrections.ColumnNamed(rows[n].header, c.Column) < 0 })
			cells += had - len(rows[n].corrected)
		}
	}
	for n := range rows {
		list = append(list, rows.marked(n)...)
	}
	return append(list, left...), cells, nil
}

// correctedRow is a row of a record as its source had it, with its corrections.
type correctedRow struct {
	header, texts []string
	corrected     []ledger.CellCorrection
}

type correctedRows []correctedRow

// twin counts the earlier rows that are the same in all columns except but.
func (list correctedRows) twin(n int, but []string, spelled bool) (twin int) {
	mark := func(of correctedRow) int { return corrections.Mark(of.header, of.texts, but, 0, false, spelled) }
	for _, o := range list[:n] {
		if mark(o) == mark(list[n]) {
			twin++
		}
	}
	return twin
}

// marked returns the corrections of a row; each carries a mark that identifies the row.
func (list correctedRows) marked(n int) []ledger.CellCorrection {
	columns := columnsOf(list[n].corrected)
	for m := range list[n].corrected {
		list[n].corrected[m].Nth = corrections.Mark(list[n].header, list[n].texts, columns, list.twin(n, columns, false), len(list) == 1, false)
	}
	return list[n].corrected
}

func columnsOf(list []ledger.CellCorrection) (columns []string) {
	for _, c := range list {
		columns = append(columns, c.Column)
	}
	return columns
}

// rowsBefore returns the rows of a record as its source had them, with their corrections; left are corrections of no
// row.
func rowsBefore(run ledger.Run, record ledger.Record, before []ledger.CellCorrection) (rows correctedRows, left []ledger.CellCorrection, err error) {
	left = slices.Clone(before)
	for n, row := range record.Rows {
		cells, err := table.StoredCells(row.Cells)
		if err != nil {
			return nil, nil, err
		}
		is := correctedRow{header: wording.SourceOf(run, row.Source).Header}
		is.texts = make([]string, max(len(is.header), len(cells)))
		for column := range is.texts {
			if column < len(cells) && (column >= len(is.header) || !table.IsOwnColumn(is.header[column])) {
				is.texts[column] = cells[column].Text
			}
		}
		rows = append(rows, is)
		for _, one := range left {
			group := slices.DeleteFunc(slices.Clone(left), func(c ledger.CellCorrection) bool { return c.Nth != one.Nth })
			columns := columnsOf(group)
			found := one.Nth == n
			if one.Marked() {
				found = one.OnlyRow() && len(record.Rows) == 1 || slices.ContainsFunc(corrections.Spellings, func(spelled bool) bool {
					return corrections.Mark(is.header, is.texts, columns, rows.twin(n, columns, spelled), false, spelled) == one.Mark()
				})
			}
			if !found {
				continue
			}
			left = slices.DeleteFunc(left, func(c ledger.CellCorrection) bool { return c.Nth == one.Nth })
			rows[n].corrected = group
			for _, c := range group {
				if column := corrections.ColumnNamed(is.header, c.Column); column >= 0 && is.texts[column] == c.New {
					is.texts[column] = c.Old
				}
			}
			break
		}
	}
	return rows, left, nil
}

// asShown returns what a form sends back for a text that it showed. If only line breaks differ, that is the text
// itself, because browsers write line breaks in their own way.
func asShown(posted, shown string) string {
	plain := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	posted = plain.Replace(posted)
	switch {
	case posted == plain.Replace(shown):
		return shown
	case strings.Contains(shown, "\r\n"):
		return strings.ReplaceAll(posted, "\n", "\r\n")
	}
	return posted
}
