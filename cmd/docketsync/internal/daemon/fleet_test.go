package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/importer/schedule"
)

// TestPlacesOfFirms has room for one firm that is open and for one large run that is led. While a large run is sent, small firms are chosen at once, one
// after the other; a second large run gives way and is chosen when the first has ended, and not before.
func TestPlacesOfFirms(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := &fleet{places: make(chan struct{}, 1), leads: make(chan struct{}, 1), wake: make(chan struct{}), firms: map[string]*firm{}}
	for n, name := range []string{"acme", "birch", "cedar", "dogwood"} {
		f.firms[name] = &firm{name: name, next: now.Add(time.Duration(n-10) * time.Second)}
	}
	enter := func(want string) *place {
		t.Helper()
		of, _, _ := f.choose("", now)
		switch {
		case of == nil && want == "":
			return nil
		case of == nil || of.name != want:
			t.Fatalf("chosen is %v, not %q", of, want)
		}
		of.next = time.Time{}
		return &place{fleet: f, leads: of.large}
	}
	acme := enter("acme")
	enter("") // there is no room while it is planned
	if !acme.lead() {
		t.Fatal("the first large run has no place to be led")
	}
	birch := enter("birch")
	if birch.lead() || !birch.gaveWay {
		t.Fatal("there is one place, and two large runs are led")
	}
	birch.leave()
	f.firms["birch"].going, f.firms["birch"].large, f.firms["birch"].next = false, true, now.Add(-time.Hour)
	enter("cedar").leave()
	enter("dogwood").leave()
	enter("") // the large firm waits for the other
	acme.plan()
	acme.leave()
	birch = enter("birch")
	if !birch.lead() {
		t.Error("a run that gave way has no place when it is taken up again")
	}
	birch.plan()
	birch.leave()
	if len(f.places)+len(f.leads) > 0 {
		t.Errorf("%d and %d places are still held", len(f.places), len(f.leads))
	}
}

// TestWhoMayServeAFirm holds nodes to the labels that firms demand.
func TestWhoMayServeAFirm(t *testing.T) {
	t.Parallel()
	f := &fleet{folder: &firms.Folder{Labels: map[string]string{"region": "eu", "disk": "fast"}}}
	for name, c := range map[string]struct {
		demands map[string]string
		want    bool
	}{
		"it demands nothing":          {nil, true},
		"one label of several":        {map[string]string{"region": "eu"}, true},
		"all":                         {map[string]string{"region": "eu", "disk": "fast"}, true},
		"another value":               {map[string]string{"region": "us"}, false},
		"a label that the node lacks": {map[string]string{"region": "eu", "tier": "gold"}, false},
	} {
		if got := f.serves(&firm{demands: c.demands}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestVisitsEndWithTheLock loses the lock by which a process leads firms while it visits one: the visit is ended, since another process may visit the same firm.
func TestVisitsEndWithTheLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{places: make(chan struct{}, 1), leads: make(chan struct{}, 1), wake: make(chan struct{}), firms: map[string]*firm{"acme": {name: "acme", next: time.Now()}}}
		lost, ended, visited := make(chan struct{}), make(chan error, 1), false
		go func() {
			ended <- f.visitDue(t.Context(), "", lost, func(ctx context.Context, _ *firm) {
				visited = true
				<-ctx.Done()
			})
		}()
		synctest.Wait()
		close(lost)
		synctest.Wait()
		select {
		case err := <-ended:
			if !visited || !errors.Is(err, schedule.ErrLockLost) {
				t.Errorf("visited %v, %v", visited, err)
			}
		default:
			t.Fatal("the visit goes on")
		}
	})
}

// TestTimeInTheQueueIsNotLate has a firm wait for a place: what was noticed in time is told to its visit as noticed then.
func TestTimeInTheQueueIsNotLate(t *testing.T) {
	t.Parallel()
	due := time.Now()
	f := &fleet{places: make(chan struct{}, 1), wake: make(chan struct{}), firms: map[string]*firm{"acme": {name: "acme", next: due}}}
	f.places <- struct{}{}
	if of, _, _ := f.choose("", due.Add(time.Second)); of != nil {
		t.Fatal("there is no place")
	}
	<-f.places
	of, _, _ := f.choose("", due.Add(time.Hour))
	if of == nil || !of.noticed.Equal(due.Add(time.Second)) {
		t.Fatalf("it is visited as %+v", of)
	}
	if of.ended(due, schedule.Timetable{}, false, nil); !of.noticed.IsZero() {
		t.Error("the next due counts as noticed then, too")
	}
}
