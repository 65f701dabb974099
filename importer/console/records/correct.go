package records

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// correctable tells whether the cells of a record can be corrected where they are shown: it was rejected by the newest run of its job, so that
// nobody corrects what has changed since, its rows are kept, and a key tells which rows they are.
func correctable(r *web.Request, run ledger.Run, record ledger.Record) (bool, error) {
	if record.Key == "" || !slices.Contains(rejectedStates, record.State) || !r.Person.Operates() || !slices.ContainsFunc(record.Rows, func(row ledger.Row) bool { return len(row.Cells) > 0 }) {
		return false, nil
	}
	return newestOf(r.Context(), run)
}

// newestOf tells whether no other run of its job is newer.
func newestOf(ctx context.Context, run ledger.Run) (bool, error) {
	last, err := web.Book(ctx).Runs(ctx, ledger.RunFilter{Job: run.Job, Kinds: []ledger.Kind{ledger.Push, ledger.Plan}, Limit: 1})
	return len(last) > 0 && last[0].ID == run.ID && !run.Ended.IsZero(), err
}

// correct takes what somebody wrote into cells. The form says what each cell said when it was shown, which is what has to be there when the row
// is read again.
func (p *Pages) correct(r *web.Request, run ledger.Run) error {
	r.About(run.Job)
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return web.Nowhere(r)
	}
	record, err := r.Book().Record(r.Context(), run.ID, seq)
	if errors.Is(err, ledger.ErrNotFound) {
		return web.Refuse(http.StatusNotFound, "This run has no such record.", "The page of the run leads to its records.")
	}
	if err != nil {
		return err
	}
	if may, err := correctable(r, run, record); err != nil || !may {
		return errors.Join(err, &web.Refusal{Status: http.StatusConflict, Message: "This record cannot be corrected here.",
			Hint: "The job has run since, or the record has no key. Nothing was saved.", Path: web.JobPath(run.Job), Way: "View the job"})
	}
	var list []ledger.CellCorrection
	for n, row := range record.Rows[:min(len(record.Rows), rowsShown)] {
		shown, err := sourceRowOf(run, row, n, func(int) bool { return true })
		if err != nil {
			return err
		}
		for _, c := range shown.Cells {
			outdated := slices.ContainsFunc(record.Reasons, func(why ledger.Reason) bool { return why.Code == "correction_outdated" && why.Column == c.Column })
			if text := r.PostFormValue(c.Field); c.Field != "" && r.PostForm.Has(c.Field) && (text != c.Text || outdated) { // one that is left as it is withdraws the correction
				list = append(list, ledger.CellCorrection{Key: record.Key, Nth: n, Column: c.Column, Old: c.Text, New: text})
			}
		}
	}
	if len(list) == 0 {
		return web.Refuse(http.StatusBadRequest, "No cell was changed.", "Write the correct value into a cell, then save.")
	}
	if err := p.Work.Correct(r.Context(), r.Person.Name, run, list); err != nil {
		return err
	}
	said := wording.Counted(len(list), "cell") + " corrected"
	r.Remark(run.Name + ", record " + strconv.FormatInt(seq, 10) + ": " + said)
	return r.SeeOther(recordOf(run, seq), said+". The correction counts when the row is read again: start a dry run of "+run.Job+".")
}
