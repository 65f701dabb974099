package records

import (
	"context"
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

// settleChanged checks the decisions, then saves them at once. It skips a conflict that was settled or found again
// meanwhile, and says so.
func (p *Pages) settleChanged(r *web.Request) error {
	open, err := r.Book().OpenConflicts(r.Context(), "")
	if err != nil {
		return err
	}
	made, list := 0, []ledger.Conflict(nil)
	for n := range changedShown {
		suffix := "-" + strconv.Itoa(n)
		s := ledger.Settled{Side: ledger.Side(r.PostFormValue("decision" + suffix)), Fields: r.PostForm["field"+suffix], Who: r.Person.Name, Note: strings.TrimSpace(r.PostFormValue("note" + suffix))}
		if s.Side == "" {
			continue
		}
		made++
		scope, key := r.PostFormValue("scope"+suffix), r.PostFormValue("key"+suffix)
		at := slices.IndexFunc(open, func(c ledger.Conflict) bool {
			return c.Scope == scope && c.Key == key && strconv.FormatInt(c.Found.UnixMicro(), 10) == r.PostFormValue("found"+suffix)
		})
		if at < 0 {
			continue
		}
		if open[at].Settled, err = p.checked(r.Context(), open[at], s); err != nil {
			return err
		}
		list = append(list, open[at])
	}
	if made == 0 {
		return web.Refuse(http.StatusBadRequest, "No decision was made.", "Decide on at least one record, then save.")
	}
	if list, err = p.Work.SettleConflicts(r.Context(), list); err != nil {
		return err
	}
	var notes []string
	for _, c := range list {
		notes = append(notes, fmt.Sprintf("%s %s: %s", c.Scope, c.Key, strings.TrimSpace(string(c.Side)+" "+strings.Join(c.Fields, ", "))))
	}
	r.About(wording.Counted(len(list), "record"))
	r.Remark(strings.Join(notes, "; "))
	late := made - len(list)
	meanwhile := wording.Counted(late, "record was", "records were") + " settled or changed again meanwhile"
	if len(list) == 0 {
		return web.Refuse(http.StatusConflict, "Nothing was saved: "+meanwhile+".", "Load the page again and decide about what it shows now.")
	}
	said := wording.Counted(len(list), "decision") + " saved; the next run carries " + wording.Plural(len(list), "it", "them") + " out."
	if late > 0 {
		said += " Not saved: " + meanwhile + "."
	}
	return r.SeeOther("/changed", said)
}

// checked returns a decision of a form as it is saved, or says why it is not valid. In a form, "fields" stands for the
// ticked fields; with none ticked, the decision is ledger.Ours.
func (p *Pages) checked(ctx context.Context, c ledger.Conflict, s ledger.Settled) (ledger.Settled, error) {
	switch {
	case s.Side == ledger.Ours || s.Side == ledger.Theirs:
		s.Fields = nil
	case s.Side != "fields":
		return s, web.Refuse(http.StatusBadRequest, fmt.Sprintf("%s: this is not a valid decision.", c.Key), "Nothing was saved. Load the page again and decide there.")
	case len(s.Fields) == 0:
		s.Side = ledger.Ours
	default:
		s.Side = ledger.Theirs
		run, err := web.Book(ctx).Run(ctx, c.Run)
		if err != nil {
			return s, err
		}
		alone := p.Work.Takeable(c, payload.Operation(run.Operation))
		for _, f := range s.Fields {
			if !slices.Contains(alone, f) {
				return s, web.Refuse(http.StatusBadRequest, fmt.Sprintf("%s of %s cannot be decided by itself.", f, c.Key), "Nothing was saved. Decide about the whole record.")
			}
		}
	}
	return s, nil
}
