package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// Limits say when a run stops because of what the service answers. A limit of zero is off.
type Limits struct {
	// SameRefusal is how many of the first records may be refused with the same status, if that status is about the
	// request instead of the record (404, 405, 410, 415, 501). Four times as many may be refused with the same words,
	// or with 404 or 410 if the operation was accepted before: then its path is right, and the records may be gone.
	SameRefusal int
	// SameDifference is how many of the first records may be accepted and shown with another value in the same field.
	// The first records are four times as many.
	SameDifference int
	// InDoubt and Failed are how many records of a run may end so, over all its starts.
	InDoubt, Failed int
	// Rejected is the share of a run's answers, in percent, that may be refusals. It applies from leastAnswers on.
	Rejected float64
}

const (
	// wordsPerStatus is how many refusals in equal words, or with a status that may be about an id, weigh as much as
	// one with a status about the request.
	wordsPerStatus = 4
	// firstAnswers times SameDifference is how many answers are searched for the same difference.
	firstAnswers = 4
	// leastAnswers is how many answers a share must be made of.
	leastAnswers = 100
)

// limiter counts the outcomes of a run against its limits.
type limiter struct {
	Limits
	run                               ledger.Run
	accepted, refused, failed, doubts int

	proven  bool   // an earlier run had a record of the operation accepted, so its path is right
	settled bool   // an answer of this start was not like the first refusal
	said    string // the first refusal's status or words
	status  int
	alike   []int64
	earlier int // how many of alike earlier starts left

	readBack int            // answers of this start that show what they stored
	differ   map[string]int // those that show another value, by field
}

// newLimiter makes a limiter that continues from the earlier starts of a run.
func newLimiter(ctx context.Context, led *ledger.Reader, limits Limits, run ledger.Run, counts []ledger.Count) (*limiter, error) {
	l := &limiter{Limits: limits, run: run, differ: map[string]int{}, accepted: numberOf(counts, ledger.Accepted),
		refused: numberOf(counts, ledger.Refused), failed: numberOf(counts, ledger.Failed)}
	var err error
	if l.doubts, err = led.SentInDoubt(ctx, run.ID); err != nil {
		return l, err
	}
	if l.proven, err = led.AcceptedBefore(ctx, run); err != nil || l.accepted > 0 || l.refused == 0 {
		return l, err
	}
	return l, l.recall(ctx, led)
}

// goOn continues from the previous slice of the same node. If any node has had a record accepted since that slice
// began, refusals are about the records.
func (l *limiter) goOn(before *limiter) {
	l.readBack, l.differ = before.readBack, before.differ
	l.settled = before.settled || l.accepted > before.accepted
}

// recall counts the refusals of earlier starts if they are alike and nothing was accepted. Otherwise a kill between the
// first refusal and the stop would leave records refused that only a setting was to blame for.
func (l *limiter) recall(ctx context.Context, led *ledger.Reader) error {
	for record, err := range led.Records(ctx, l.run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Refused}}) {
		if err != nil {
			return err
		}
		if l.compare(ledger.Outcome{Seq: record.Seq, Status: record.Status, Reasons: record.Reasons}); l.settled {
			l.settled, l.alike = false, nil
			break
		}
	}
	l.earlier = len(l.alike)
	return nil
}

// take counts an outcome.
func (l *limiter) take(o ledger.Outcome) {
	switch o.State {
	case ledger.Accepted:
		l.accepted++
		l.settled = true
		l.lookBack(o)
	case ledger.Refused:
		l.refused++
		l.compare(o)
	case ledger.Failed:
		l.failed++
	case ledger.InDoubt:
		l.doubts++
	}
}

// compare compares a refusal with the first one. A record that the client refused to send says nothing about the
// service. If the first refusal of this start differs from those of earlier starts, somebody has changed a setting
// meanwhile, and counting starts again with it.
func (l *limiter) compare(o ledger.Outcome) {
	said := refusalOf(o)
	switch {
	case o.Status == 0 || l.settled || l.SameRefusal == 0:
	case len(l.alike) > l.earlier && said != l.said:
		l.settled = true
	case said != l.said:
		l.said, l.status, l.alike, l.earlier = said, o.Status, []int64{o.Seq}, 0
	default:
		l.alike = append(l.alike, o.Seq)
	}
}

// lookBack counts the fields in which an accepted record came back with another value.
func (l *limiter) lookBack(o ledger.Outcome) {
	if len(o.ReadBack) == 0 || l.readBack >= firstAnswers*l.SameDifference {
		return
	}
	l.readBack++
	seen := map[string]bool{}
	for _, note := range o.Reasons {
		if field := payload.FieldOf(note.Field); note.Code == reason.Differs && !seen[field] {
			seen[field] = true
			l.differ[field]++
		}
	}
}

// sameDifference returns the field in which the first records came back with another value often enough to stop.
func (l *limiter) sameDifference() (field string, ok bool) {
	for name, n := range l.differ {
		if l.SameDifference > 0 && n >= l.SameDifference && (!ok || name < field) {
			field, ok = name, true
		}
	}
	return field, ok
}

// refusalOf returns what refusals with the same meaning have in common.
func refusalOf(o ledger.Outcome) string {
	if ofRequest(o.Status) {
		return fmt.Sprintf("status %d %s", o.Status, http.StatusText(o.Status))
	}
	words := make([]string, 0, len(o.Reasons))
	for _, reason := range o.Reasons {
		words = append(words, reason.Message)
	}
	return strings.Join(words, "; ")
}

// ofRequest reports whether a status is about the request instead of the record in it.
func ofRequest(status int) bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType, http.StatusNotImplemented}, status)
}

// exceeded returns the stop code and the reason once a limit is reached, or "" before.
func (l *limiter) exceeded() (code string, why error) {
	answers := l.accepted + l.refused
	field, differs := l.sameDifference()
	switch {
	case differs:
		return stop.SameDifference, fmt.Errorf("the service stores %s with a different value than was sent in %d of the first %d records, so a switch (service.switches) or the service is probably wrong; "+
			"check these records in the service. If only its answers show a different value, set service: {not_read_back: [%s]}; if the stored value is intended, set stop_after: {same_difference: 0}; and run the job again",
			field, l.differ[field], l.readBack, field)
	case l.InDoubt > 0 && l.doubts >= l.InDoubt:
		return stop.Doubts, fmt.Errorf("this run left %d in doubt; the limit is %d (stop_after.in_doubt); settle them with 'docketsync resolve %s', or raise the limit, and run the job again",
			l.doubts, l.InDoubt, l.run.ID)
	case l.sameRefusal():
		return stop.SameRefusal, errors.New(l.suspicion())
	case l.Failed > 0 && l.failed >= l.Failed:
		return stop.Failures, fmt.Errorf("%d of this run's records failed; the limit is %d (stop_after.failed); contact the operator of the service, and run the job again",
			l.failed, l.Failed)
	case l.Rejected > 0 && answers >= leastAnswers && 100*float64(l.refused) > l.Rejected*float64(answers):
		return stop.Rejections, fmt.Errorf("the service rejected %d of the %d records that it answered; the limit is %g %% (stop_after.rejected); see the reasons in the report, correct the source or the mapping, and run the job again",
			l.refused, answers, l.Rejected)
	}
	return "", nil
}

// sameRefusal reports whether all the first records were refused alike, often enough to stop.
func (l *limiter) sameRefusal() bool {
	enough := l.SameRefusal
	if gone := l.status == http.StatusNotFound || l.status == http.StatusGone; !ofRequest(l.status) || gone && l.proven {
		enough *= wordsPerStatus
	}
	return enough > 0 && !l.settled && len(l.alike) >= enough
}

// suspicion says which settings are probably wrong if everything is refused.
func (l *limiter) suspicion() string {
	setting := "a value shared by all records (a template, a user, a status in the mapping), or a switch (service.switches, service.create_case_variant)"
	if ofRequest(l.status) {
		setting = "service.paths." + l.run.Operation + " or service.base_url"
	}
	return fmt.Sprintf("the service refused the first %d records for the same reason (%s), so a setting is probably wrong: %s; correct it and run the job again. "+
		"If the records are wrong, set stop_after: {same_refusal: 0}", len(l.alike), l.said, setting)
}
