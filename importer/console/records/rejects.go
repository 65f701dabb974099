package records

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/wording"
)

// rejectsShown is the maximum number of rejected records that the page lists.
const rejectsShown = 200

// rejectsView lists what a run rejected or could not send, with the acknowledgements.
type rejectsView struct {
	Run          ledger.Run
	All          int // records that were rejected or have a change that cannot be sent
	Rejected     int // the rejected ones
	Changes      int // the others
	Acknowledged int
	Lines        []rejectLine
	Seen         string // digest of the shown records and their reasons, which the form sends back
}

type rejectLine struct {
	ledger.Record
	What string
	By   *ledger.Acknowledged // nil if nobody has acknowledged it
	Kept bool                 // its row is kept, so that it can be acknowledged
}

// rejects shows the rejected records of a run, those without an acknowledgement first.
func rejects(r *web.Request, run ledger.Run) error {
	view := rejectsView{Run: run}
	known, err := r.Book().AcknowledgedIn(r.Context(), run)
	if err != nil {
		return err
	}
	var accepted []rejectLine
	sum := sha256.New()
	for record, err := range r.Book().Acknowledgeable(r.Context(), run.ID) {
		if err != nil {
			return err
		}
		see(sum, record)
		view.All++
		if !record.Stale().Any() {
			view.Rejected++
		}
		line := rejectLine{Record: record, What: wording.UpperFirst(cause.InShort(record)), Kept: record.Print() != ""}
		a, ok := known[record.Seq]
		switch {
		case ok && len(accepted) < rejectsShown:
			line.By = &a
			accepted = append(accepted, line)
		case !ok && len(view.Lines) < rejectsShown:
			view.Lines = append(view.Lines, line)
		}
	}
	view.Seen = hex.EncodeToString(sum.Sum(nil))
	view.Changes, view.Acknowledged = view.All-view.Rejected, len(known)
	view.Lines = append(view.Lines, accepted[:min(len(accepted), rejectsShown-len(view.Lines))]...)
	return r.Show("rejects", "Rejected by "+run.Job, view)
}

// see adds a record to the digest of the page.
func see(sum io.Writer, record ledger.Record) {
	fmt.Fprintf(sum, "%d %q\n", record.Seq, record.Print())
}

// acknowledge acknowledges the selected rejects, or withdraws their acknowledgement. It refuses the form if the records
// have changed since the page was loaded, because a run in progress may have added some that nobody has seen. Sending
// the form twice has the same effect as sending it once.
func (p *Pages) acknowledge(r *web.Request, run ledger.Run) error {
	r.About(run.Job)
	seqs := map[int64]bool{}
	for _, text := range r.PostForm["seq"] {
		if seq, err := strconv.ParseInt(text, 10, 64); err == nil {
			seqs[seq] = true
		}
	}
	withdraw, all := r.PostFormValue("do") == "withdraw", r.PostFormValue("do") == "all"
	var chosen []ledger.Record
	sum := sha256.New()
	for record, err := range r.Book().Acknowledgeable(r.Context(), run.ID) {
		if err != nil {
			return err
		}
		see(sum, record)
		if (all || seqs[record.Seq]) && record.Print() != "" {
			chosen = append(chosen, record)
		}
	}
	if hex.EncodeToString(sum.Sum(nil)) != r.PostFormValue("seen") {
		return web.Refuse(http.StatusConflict, "The rejected records have changed since the page was loaded.", "Nothing was saved. Reload the page and acknowledge what it shows now.")
	}
	if len(chosen) == 0 {
		return web.Refuse(http.StatusBadRequest, "No record was selected.", "Tick the records that you mean, then send the form again.")
	}
	if err := p.Work.Acknowledge(r.Context(), r.Person.Name, chosen, r.PostFormValue("note"), withdraw); err != nil {
		return err
	}
	said := wording.Counted(len(chosen), "record") + " acknowledged"
	if withdraw {
		said += ": withdrawn"
	}
	r.Remark("run " + run.ID + ": " + said)
	return r.SeeOther("/runs/"+run.ID+"/rejects", said+".")
}
