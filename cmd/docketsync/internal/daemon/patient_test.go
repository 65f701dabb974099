package daemon

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestASlowShareAnswers has a share that takes longer than a scan waits: after its first answer it is not overdue, until it takes far longer.
func TestASlowShareAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p patient[int]
		takes := 4 * time.Second
		for scan := range 8 {
			given := p.ask(t.Context(), []string{"slow"}, func(string) int { time.Sleep(takes); return 1 })
			if first := scan == 0; p.overdue("slow") != first || len(given) == 1 != (scan%2 == 1) {
				t.Errorf("scan %d: %v was given, and it is overdue: %v", scan, given, p.overdue("slow"))
			}
			time.Sleep(7 * time.Second)
		}
		takes = time.Hour
		p.ask(t.Context(), []string{"slow"}, func(string) int { time.Sleep(takes); return 1 })
		if time.Sleep(6 * time.Second); !p.overdue("slow") {
			t.Error("a share that has stopped answering is waited for")
		}
		time.Sleep(2 * time.Hour)
		p.ask(t.Context(), nil, nil)
	})
}

// TestSharesAreAskedAFewAtOnce has more names than are asked about at once: those of a share that does not answer come first, and keep no
// others from being asked about.
func TestSharesAreAskedAFewAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p patient[bool]
		var names []string
		for n := range 5 * asksAtOnce {
			names = append(names, fmt.Sprintf("%03d", n))
		}
		away := names[2*asksAtOnce]
		back := make(chan struct{})
		var running, most atomic.Int64
		given := p.ask(t.Context(), names, func(name string) bool {
			if name < away {
				<-back
				return true
			}
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(10 * time.Millisecond)
			running.Add(-1)
			return true
		})
		if len(given) != 3*asksAtOnce || most.Load() > asksAtOnce {
			t.Errorf("%d answered, %d at once", len(given), most.Load())
		}
		close(back)
		if given = p.ask(t.Context(), names[:2*asksAtOnce], nil); len(given) != 2*asksAtOnce {
			t.Errorf("then %d answered", len(given))
		}
	})
}
