package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// said is what a form says about one record in doubt.
type said struct {
	Decision
	Known int    // how many decisions there were when the form was made
	Key   string // as in the ledger, once it was looked up
	Scope string
}

// readSaid reads the decisions of a form. A record without a decision of its own takes that of its group. wrong lists
// all mistakes.
func readSaid(form url.Values) (list []said, wrong []string) {
	for n := range doubtsShown {
		suffix := "-" + strconv.Itoa(n)
		verdict := ledger.Decision(form.Get("decision" + suffix))
		if verdict == "" && form.Get("likely"+suffix) != "" {
			verdict = ledger.Decision(form.Get("all-" + form.Get("likely"+suffix))) // the decision about its group
		}
		id := strings.TrimSpace(form.Get("id" + suffix))
		if verdict == "" && id == "" {
			continue
		}
		s := said{Decision: Decision{Verdict: verdict, ID: id, Note: strings.TrimSpace(form.Get("note" + suffix))}, Key: form.Get("key" + suffix)}
		place := strings.Split(form.Get("doubt"+suffix), " ")
		if len(place) == 3 {
			s.Run = place[0]
			s.Seq, _ = strconv.ParseInt(place[1], 10, 64)
			s.Known, _ = strconv.Atoi(place[2])
		}
		if why := s.mistake(); why != "" {
			wrong = append(wrong, s.Key+": "+why)
		}
		list = append(list, s)
	}
	return list, wrong
}

// mistake says what is wrong with a decision by itself; "" if nothing is.
func (s said) mistake() string {
	switch {
	case s.Run == "" || s.Seq == 0:
		return "the form does not say which record it is about"
	case s.Verdict == "":
		return "an id was entered, but not that it is in the service"
	case s.Verdict != ledger.Exists && s.Verdict != ledger.Absent && s.Verdict != ledger.Leave:
		return "this is not a valid decision"
	case s.ID != "" && s.Verdict != ledger.Exists:
		return "an id can only be given with “It is in the service”"
	case s.ID != "":
		if _, err := uuid.Parse(s.ID); err != nil {
			return strconv.Quote(s.ID) + " is not a valid id; ids look like 3f2504e0-4f89-41d3-9a0c-0305e82c3301"
		}
	}
	return ""
}

// confirmView asks for confirmation of what would be sent again.
type confirmView struct {
	Absent []doubtLine
	Others int
	Form   map[string]string // the values of the form before
}

// settleDoubts saves decisions. If one of them is invalid, none is saved. Decisions that a record is absent have to be
// confirmed: a create that is sent again makes a second entry if the first one exists after all.
func (p *Pages) settleDoubts(r *web.Request) error {
	list, wrong := readSaid(r.PostForm)
	r.About(wording.Counted(len(list), "record"))
	if len(list) == 0 {
		return web.Refuse(http.StatusBadRequest, "No decision was made.", "Decide on at least one record, then save.")
	}
	if len(wrong) > 0 {
		r.Remark("not saved: " + strings.Join(wrong, "; "))
		view, err := p.doubtsView(r.Context(), list)
		if err != nil {
			return err
		}
		view.Wrong = wrong
		return r.Answer(http.StatusUnprocessableEntity, "doubts", "layout", "In doubt", view)
	}
	if r.PostFormValue("confirmed") != "yes" {
		confirm, err := p.confirmation(r.Context(), list)
		if err != nil {
			return err
		}
		if len(confirm.Absent) > 0 {
			r.Remark("asked to confirm what is to be sent again")
			return r.Show("confirm", "Send again?", confirm)
		}
	}
	taken, late, err := p.decide(r.Context(), r.Person.Name, list)
	r.Remark(auditNote(taken, late))
	if err != nil {
		return err
	}
	return r.SeeOther("/doubts", notice(taken, late))
}

// confirmation returns what has to be confirmed.
func (p *Pages) confirmation(ctx context.Context, list []said) (view confirmView, err error) {
	view.Form = map[string]string{}
	for n, d := range list {
		suffix := "-" + strconv.Itoa(n)
		view.Form["doubt"+suffix], view.Form["decision"+suffix] = fmt.Sprintf("%s %d %d", d.Run, d.Seq, d.Known), string(d.Verdict)
		view.Form["id"+suffix], view.Form["note"+suffix], view.Form["key"+suffix] = d.ID, d.Note, d.Key
		if d.Verdict != ledger.Absent {
			view.Others++
			continue
		}
		run, err := web.Book(ctx).Run(ctx, d.Run)
		if err != nil {
			return view, err
		}
		record, err := web.Book(ctx).Record(ctx, d.Run, d.Seq)
		if err != nil {
			return view, err
		}
		line := doubtLine{Answer: p.answered.Load().of(record), Name: payload.Title(record.Sent())}
		if line.entry, err = entryOf(ctx, run, record); err != nil {
			return view, err
		}
		view.Absent = append(view.Absent, line)
	}
	return view, nil
}

// decide writes decisions into the ledger. It skips records that somebody else has decided meanwhile, that are no longer
// in doubt, or whose decision is refused, and returns a sentence about each as late. So a form that is sent twice decides
// nothing the second time. If nothing is saved, it returns the refusal.
func (p *Pages) decide(ctx context.Context, who string, list []said) (taken []said, late []string, err error) {
	var refused error
	for _, d := range list {
		record, err := web.Book(ctx).Record(ctx, d.Run, d.Seq)
		if err != nil {
			return taken, late, err
		}
		d.Key, d.Scope = record.Key, record.Scope
		decisions, err := web.Book(ctx).Decisions(ctx, d.Run, d.Seq)
		if err != nil {
			return taken, late, err
		}
		if len(decisions) != d.Known || record.State != ledger.InDoubt {
			late = append(late, meanwhile(record, decisions))
			continue
		}
		err = p.Work.Settle(ctx, who, d.Decision)
		if errors.As(err, new(*ledger.TransitionError)) { // in the moment since it was read
			late = append(late, d.Key+" was settled by somebody else at the same time")
			continue
		}
		if one, is := errors.AsType[*web.Refusal](err); is && one.Status == http.StatusUnprocessableEntity { // what was saved before it stands
			late, refused = append(late, one.Message), err
			continue
		}
		if err != nil {
			return taken, late, fmt.Errorf("%s of run %s: %w", d.Key, d.Run, err)
		}
		taken = append(taken, d)
	}
	if len(taken) == 0 {
		return taken, late, refused
	}
	return taken, late, nil
}

// meanwhile says what became of a record since a form was made.
func meanwhile(r ledger.Record, decisions []ledger.Decided) string {
	if len(decisions) == 0 {
		return r.Key + " is no longer in doubt"
	}
	last := decisions[len(decisions)-1]
	return fmt.Sprintf("%s was meanwhile decided by %s: %s", r.Key, last.Who, decisionWords[last.Decision])
}

var decisionWords = map[ledger.Decision]string{
	ledger.Exists: "it is in the service", ledger.Absent: "it is not in the service and may be sent again", ledger.Leave: "left in doubt",
}

// notice says what became of somebody's decisions.
func notice(taken []said, late []string) string {
	counts := map[ledger.Decision]int{}
	for _, d := range taken {
		counts[d.Verdict]++
	}
	var parts []string
	for _, c := range []struct {
		decision ledger.Decision
		words    string
	}{{ledger.Exists, "settled as in the service"}, {ledger.Absent, "settled as not in the service, to be sent again by the next run"}, {ledger.Leave, "left in doubt"}} {
		if n := counts[c.decision]; n > 0 {
			parts = append(parts, wording.Counted(n, "record")+" "+c.words)
		}
	}
	text := cmp.Or(strings.Join(parts, "; "), "Nothing changed")
	if len(late) > 0 {
		text += ". Not saved: " + strings.Join(late, "; ")
	}
	return text + "."
}

// auditNoteLimit is how long a note in the audit log may be, in bytes.
const auditNoteLimit = 4000

// auditNote returns what the audit log says about decisions.
func auditNote(taken []said, late []string) string {
	var parts []string
	for _, d := range taken {
		part := d.Scope + " " + d.Key + ": " + string(d.Verdict)
		if d.ID != "" {
			part += " " + d.ID
		}
		parts = append(parts, part)
	}
	parts = append(parts, late...)
	text := strings.Join(parts, "; ")
	if len(text) > auditNoteLimit {
		text = text[:auditNoteLimit] + " …"
	}
	return text
}
