package records

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// changedShown is how many conflicts the page shows at once; the others follow when these are settled.
const changedShown = 100

// changedView is what is held because somebody else may have changed it in the service, over all runs.
type changedView struct {
	Total   int
	Lines   []changedLine
	Differs bool // some have a field that can be decided on its own
}

// changedLine is one conflict with both sides.
type changedLine struct {
	ledger.Conflict
	N     int
	Of    ledger.Run
	Name  string
	Sides []side
}

// side is a field whose value to be sent differs from the service's. Alone says that it can be decided on its own.
type side struct {
	apiclient.Difference
	Alone bool
}

func (p *Pages) changed(r *web.Request) error {
	list, err := r.Book().OpenConflicts(r.Context(), "")
	if err != nil {
		return err
	}
	view, known := changedView{Total: len(list)}, runs{}
	for n, c := range list[:min(len(list), changedShown)] {
		line := changedLine{Conflict: c, N: n, Name: payload.Title(c.Ours)}
		if line.Of, err = known.of(r.Context(), c.Run); err != nil {
			return err
		}
		op := payload.Operation(line.Of.Operation)
		alone := p.Work.Takeable(c, op)
		for _, d := range apiclient.Compare(op, c.Ours, c.Theirs).Differences { // as far as the service's list shows
			s := side{d, slices.Contains(alone, d.Field)}
			line.Sides, view.Differs = append(line.Sides, s), view.Differs || s.Alone
		}
		view.Lines = append(view.Lines, line)
	}
	return r.Show("changed", "Changed in the service", view)
}

// settleChanged saves decisions. It skips a conflict that was settled or found again meanwhile, and says so.
func (p *Pages) settleChanged(r *web.Request) error {
	open, err := r.Book().OpenConflicts(r.Context(), "")
	if err != nil {
		return err
	}
	taken, late, notes := 0, 0, []string(nil)
	for n := range changedShown {
		suffix := "-" + strconv.Itoa(n)
		s := ledger.Settled{Side: ledger.Side(r.PostFormValue("decision" + suffix)), Fields: r.PostForm["field"+suffix], Who: r.Person.Name, Note: strings.TrimSpace(r.PostFormValue("note" + suffix))}
		if s.Side == "" {
			continue
		}
		scope, key := r.PostFormValue("scope"+suffix), r.PostFormValue("key"+suffix)
		at := slices.IndexFunc(open, func(c ledger.Conflict) bool {
			return c.Scope == scope && c.Key == key && strconv.FormatInt(c.Found.UnixMicro(), 10) == r.PostFormValue("found"+suffix)
		})
		if at < 0 {
			late++
			continue
		}
		if err := p.settleOne(r.Context(), open[at], &s); err != nil {
			if !errors.Is(err, ledger.ErrNoConflict) {
				return err
			}
			late++
			continue
		}
		taken++
		notes = append(notes, fmt.Sprintf("%s %s: %s", scope, key, strings.TrimSpace(string(s.Side)+" "+strings.Join(s.Fields, ", "))))
	}
	r.About(wording.Counted(taken, "record"))
	r.Remark(strings.Join(notes, "; "))
	meanwhile := wording.Counted(late, "record was", "records were") + " settled or changed again meanwhile"
	switch {
	case taken+late == 0:
		return web.Refuse(http.StatusBadRequest, "No decision was made.", "Decide on at least one record, then save.")
	case taken == 0:
		return web.Refuse(http.StatusConflict, "Nothing was saved: "+meanwhile+".", "Load the page again and decide about what it shows now.")
	}
	said := wording.Counted(taken, "decision") + " saved; the next run carries " + wording.Plural(taken, "it", "them") + " out."
	if late > 0 {
		said += " Not saved: " + meanwhile + "."
	}
	return r.SeeOther("/changed", said)
}

// settleOne saves a decision. In a form, "fields" stands for the ticked fields; with none ticked, the decision is
// ledger.Ours.
func (p *Pages) settleOne(ctx context.Context, c ledger.Conflict, s *ledger.Settled) error {
	switch {
	case s.Side != "fields":
		s.Fields = nil
	case len(s.Fields) == 0:
		s.Side = ledger.Ours
	default:
		s.Side = ledger.Theirs
		run, err := web.Book(ctx).Run(ctx, c.Run)
		if err != nil {
			return err
		}
		alone := p.Work.Takeable(c, payload.Operation(run.Operation))
		for _, f := range s.Fields {
			if !slices.Contains(alone, f) {
				return web.Refuse(http.StatusBadRequest, f+" cannot be decided by itself.", "Decide about the whole record.")
			}
		}
	}
	return p.Work.SettleConflict(ctx, c, *s)
}
