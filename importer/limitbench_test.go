package importer_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
)

// BenchmarkUnknownLimit pushes for half a minute to a sandbox that answers 429 above an unstated rate, with and without
// Retry-After. From the attempts in the ledger it reports the requests accepted after the first ten seconds as a part
// of the limit, and the 429 answers as a part of all. The drills of apiclient test the same in simulated time, for more
// kinds of limit.
//
//	go test ./importer -run '^$' -bench UnknownLimit -benchtime 1x
func BenchmarkUnknownLimit(b *testing.B) {
	for _, limit := range []int{50, 200, 1000} {
		for _, after := range []time.Duration{0, time.Second} {
			b.Run(fmt.Sprintf("limit=%d/retry-after=%v", limit, after), func(b *testing.B) {
				for b.Loop() {
					used, refused := pushUnderLimit(b, limit, after)
					b.ReportMetric(100*used, "%used")
					b.ReportMetric(100*refused, "%refused")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func pushUnderLimit(b *testing.B, limit int, after time.Duration) (used, refused float64) {
	w := newWorld(b, sandbox.Faults{Rate: float64(limit), RateRetryAfter: sandbox.RetryAfter{After: after}})
	client := w.connect(func(o *apiclient.Options) {
		o.Pace = pace.Options{Concurrency: 32}
		o.Retry = apiclient.RetryOptions{Total: time.Minute}
	})
	i := w.importer()
	i.Send, i.Drain, i.Concurrency = client.Send, client.Drain, 32
	run, err := i.Run(b.Context(), w.job("cases", casesMapping, cases(1, 30*limit)))
	w.must(err)
	w.onceEach()
	w.expect(run, fmt.Sprintf("accepted %d", 30*limit))
	return w.paceOf(run, limit)
}

// paceOf folds the attempts of a run.
func (w *world) paceOf(run ledger.Run, limit int) (used, refused float64) {
	var first, last time.Time
	var list []ledger.Attempt
	for attempt, err := range w.book.AllAttempts(w.t.Context(), run.ID) {
		w.must(err)
		if first.IsZero() || attempt.Started.Before(first) {
			first = attempt.Started
		}
		if attempt.Started.After(last) {
			last = attempt.Started
		}
		list = append(list, attempt)
	}
	accepted, tooMany, settled := 0, 0, first.Add(10*time.Second)
	for _, attempt := range list {
		switch {
		case attempt.Status == http.StatusTooManyRequests:
			tooMany++
		case attempt.Started.After(settled):
			accepted++
		}
	}
	return float64(accepted) / last.Sub(settled).Seconds() / float64(limit), float64(tooMany) / float64(len(list))
}
