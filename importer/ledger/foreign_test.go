package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/push"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

const (
	ann      = "0b5e4c5a-7f11-4b7e-9a55-0000000000aa"
	registry = "0b5e4c5a-7f11-4b7e-9a55-000000000005"
)

func markID(n int) string { return fmt.Sprintf("0b5e4c5a-7f11-4b7e-9a55-%012d", 1000+n) }

// shared is a service that docketsync shares with another user, Ann, and a ledger.
type shared struct {
	t       *testing.T
	n       int
	book    *ledger.Ledger
	ours    *apiclient.Client
	anns    *apiclient.Client
	rule    conflict.Rule
	places  map[string]string
	unknown bool
	walks   int
	mark    func() // called before each walk
}

// share starts a service of n marks. Its clock is years behind and moves on by a microsecond each time it is read.
func share(t *testing.T, dsn string, n int, rule conflict.Rule, places map[string]string) *shared {
	t.Helper()
	s := &shared{t: t, n: n, rule: rule, places: places, mark: func() {}}
	var marks []sandbox.Trademark
	for i := range n {
		marks = append(marks, sandbox.Trademark{ID: markID(i), MarkText: "A", RegistryID: registry})
	}
	var clock atomic.Int64
	clock.Store(time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	box, err := sandbox.Open(sandbox.Options{
		Data: filepath.Join(t.TempDir(), "sandbox.db"), SubscriptionKey: "key", AuthCookie: "cookie", Now: func() time.Time { return time.UnixMicro(clock.Add(1)) },
		Directory: sandbox.Directory{Users: []sandbox.User{{ID: user, FirstName: "docketsync", UserName: "us", Password: "us"}, {ID: ann, FirstName: "Ann", UserName: "ann", Password: "ann"}},
			Registries: []sandbox.Named{{ID: registry, Name: "EUIPO"}}, Trademarks: marks},
	})
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- box.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		must(t, <-served)
		must(t, box.Close())
	})
	for name, client := range map[string]**apiclient.Client{"us": &s.ours, "ann": &s.anns} {
		*client, err = apiclient.New(apiclient.Options{BaseURL: "http://" + listener.Addr().String(), SubscriptionKey: "key",
			SignIn: apiclient.SignIn{Path: "/v1/login", User: name, Password: name},
			Paths:  map[payload.Operation]string{payload.UpdateTrademark: "/v1/firms/trademark"},
			Pace:   pace.Options{Concurrency: 16, Fixed: true, Trip: 1000}})
		must(t, err)
		t.Cleanup((*client).Close)
	}
	s.book, err = ledger.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { must(t, s.book.Close()) })
	return s
}

// job returns a job in which all marks have a text and an expiry day.
func (s *shared) job(text, expires string) importer.Job {
	s.t.Helper()
	mapped := []byte("operation: update_trademark\nkey: Ref\nfields:\n  id: Id\n  registry_id: {value: " + registry + "}\n  mark_text: Mark\n  application_number: Ref\n" +
		"  expiry_date: Expires\n  do_not_create_file: {value: true}\n")
	compiled, err := mapping.Parse("marks.yaml", mapped, mapping.Options{Today: time.Now()})
	must(s.t, err)
	var list strings.Builder
	list.WriteString("Ref,Id,Mark,Expires\n")
	for i := range s.n {
		fmt.Fprintf(&list, "T-%d,%s,%s,%s\n", i, markID(i), text, expires)
	}
	path := filepath.Join(s.t.TempDir(), "marks.csv")
	must(s.t, os.WriteFile(path, []byte(list.String()), 0o600))
	return importer.Job{Name: "marks", Mapping: compiled, MappingText: mapped, Inputs: []rows.Input{{Path: path}}}
}

func (s *shared) importer() *importer.Importer {
	return &importer.Importer{Ledger: s.book, Service: push.Service{Send: s.ours.Send, SendLast: s.ours.SendLast, Concurrency: 16}, Shows: s.shows}
}

func (s *shared) shows(op payload.Operation) (*conflict.List, error) {
	spec := apiclient.ListSpec{Name: "trademarks", Path: "/v1/lists/trademarks", Take: 500, Total: "total", ID: "id", Members: []string{"updated_at", "updated_by"}, Whole: true}
	return &conflict.List{Name: "trademarks", Rule: s.rule, SendUnknown: s.unknown, Walk: func(ctx context.Context, begin func() error, page func([]ledger.Listed) error) error {
		s.walks++
		s.mark()
		return s.ours.Walk(ctx, spec, begin, func(items []apiclient.ListItem) error {
			var list []ledger.Listed
			for _, i := range items {
				l := ledger.Listed{ID: payload.PlainID(i.ID), Stamp: ledger.Stamp{At: i.Texts[0]}, Fields: apiclient.Told(op, i.Object, s.places)}
				if s.rule.By {
					l.By = i.Texts[1]
				}
				list = append(list, l)
			}
			return page(list)
		})
	}}, nil
}

// run runs a job and returns the keys in each state.
func (s *shared) run(job importer.Job) (ledger.Run, map[ledger.State][]string) {
	s.t.Helper()
	run, err := s.importer().Run(s.t.Context(), job)
	must(s.t, err)
	ended := map[ledger.State][]string{}
	for r, err := range s.book.Records(s.t.Context(), run.ID, ledger.RecordFilter{}) {
		must(s.t, err)
		ended[r.State] = append(ended[r.State], r.Key)
	}
	if v, err := s.book.Verify(s.t.Context(), chain.Head{}); err != nil || len(v.Misfits) > 0 {
		s.t.Errorf("the evidence does not fit the ledger: %v %v", v.Misfits, err)
	}
	if run.Phase != ledger.Finished {
		s.t.Fatalf("the run is %s: %s", run.Phase, run.Stop)
	}
	return run, ended
}

// edit has Ann change a mark and leave its text as the service has it.
func (s *shared) edit(n int, member, value string) {
	s.t.Helper()
	s.editKnown(n, s.stored(n)["mark_text"], member, value)
}

// editKnown is edit for a mark whose text is known: looking it up would read the whole list.
func (s *shared) editKnown(n int, text any, member, value string) {
	s.t.Helper()
	is := map[string]any{"id": markID(n), "registry_id": registry, "mark_text": text, "application_number": fmt.Sprintf("T-%d", n), "do_not_create_file": true}
	is[member] = value
	body, err := json.Marshal(is)
	must(s.t, err)
	p, err := payload.Encode(payload.UpdateTrademark, body, payload.Switches{})
	must(s.t, err)
	if result := s.anns.Send(s.t.Context(), p, true); result.Verdict != apiclient.Accepted {
		s.t.Fatalf("Ann's change was not accepted: %+v", result)
	}
}

// stored returns what the service holds of a mark.
func (s *shared) stored(n int) (is map[string]any) {
	s.t.Helper()
	must(s.t, s.ours.Walk(s.t.Context(), apiclient.ListSpec{Name: "trademarks", Path: "/v1/lists/trademarks", Take: 1000, Total: "total", ID: "id", Whole: true},
		func() error { return nil }, func(items []apiclient.ListItem) error {
			for _, i := range items {
				if i.ID == markID(n) {
					must(s.t, json.Unmarshal(i.Object, &is))
					members, _ := is["members"].(map[string]any)
					for name, value := range members {
						is[name] = value
					}
				}
			}
			return nil
		}))
	return is
}

// ledgers runs the test on both engines.
func ledgers(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, filepath.Join(t.TempDir(), "ledger.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, ledger.PostgresDatabase(t))
	})
}

var (
	byWhom = conflict.Rule{By: true, Us: []string{user}}
	atOnly = conflict.Rule{}
)

// TestForeignEditsAreHeld has Ann change a hundredth of all marks, in a field that the list does not show, before all
// of them are updated. Exactly these are held, and Ann's values stay.
func TestForeignEditsAreHeld(t *testing.T) {
	t.Parallel()
	n, edits := 500, 10
	if os.Getenv("DOCKETSYNC_LONG") == "1" {
		n, edits = 50_000, 500
	}
	for name, rule := range map[string]conflict.Rule{"by whom": byWhom, "when": atOnly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ledgers(t, func(t *testing.T, dsn string) {
				s := share(t, dsn, n, rule, nil)
				if _, ended := s.run(s.job("A", "2030-01-01")); len(ended[ledger.Accepted]) != n {
					t.Fatalf("the first run ended as %d accepted", len(ended[ledger.Accepted]))
				}
				var want []string
				for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(n)[:edits] {
					s.editKnown(i, "A", "notes", "Ann was here")
					want = append(want, fmt.Sprintf("T-%d", i))
				}
				before := s.walks
				run, ended := s.run(s.job("B", "2030-01-01"))
				slices.Sort(want)
				slices.Sort(ended[ledger.Held])
				if !slices.Equal(ended[ledger.Held], want) || len(ended[ledger.Accepted]) != n-edits {
					t.Errorf("held %d of %d, accepted %d; first held %.5q, first edited %.5q", len(ended[ledger.Held]), edits, len(ended[ledger.Accepted]), ended[ledger.Held], want)
				}
				if most := 2; s.walks-before > most {
					t.Errorf("the list was read %d times in one run, at most %d are wanted", s.walks-before, most)
				}
				open, err := s.book.OpenConflicts(t.Context(), run.ID)
				must(t, err)
				if len(open) != edits || !strings.Contains(string(open[0].Theirs), `"mark_text":"A"`) || !strings.Contains(string(open[0].Ours), `"mark_text":"B"`) {
					t.Errorf("%d conflicts are open; the first: %+v", len(open), open[0])
				}
			})
		})
	}
}

// TestAConflictIsSettledEitherWay has Ann change four marks, and a person decide about three of them.
func TestAConflictIsSettledEitherWay(t *testing.T) {
	t.Parallel()
	ledgers(t, func(t *testing.T, dsn string) {
		s := share(t, dsn, 6, byWhom, map[string]string{"expiry_date": "members.expiry_date"})
		s.run(s.job("A", "2030-01-01"))
		for i := range 4 {
			s.edit(i, "expiry_date", "2035-05-05T00:00:00Z")
		}
		run, ended := s.run(s.job("B", "2031-01-01"))
		if len(ended[ledger.Held]) != 4 {
			t.Fatalf("ended as %v", ended)
		}
		held, err := s.book.RecordByKey(t.Context(), run.ID, "T-2")
		must(t, err)
		sides := map[string]string{}
		for _, note := range held.Notes {
			sides[note.Field] = note.Value + " / " + note.Stored
		}
		if sides["mark_text"] != "B / A" || sides["expiry_date"] != "2031-01-01T00:00:00Z / 2035-05-05T00:00:00Z" || !strings.Contains(held.Message, ann) {
			t.Errorf("the held record says %q, and of both sides %v", held.Message, sides)
		}
		open, err := s.book.OpenConflicts(t.Context(), "")
		must(t, err)
		settle := func(n int, decided ledger.Settled) {
			decided.Who = "Bo"
			must(t, s.book.SettleConflict(t.Context(), open[n], decided))
		}
		settle(0, ledger.Settled{Side: ledger.Ours})
		settle(1, ledger.Settled{Side: ledger.Theirs})
		settle(2, ledger.Settled{Side: ledger.Theirs, Fields: []string{"expiry_date"}})
		if err := s.book.SettleConflict(t.Context(), open[0], ledger.Settled{Side: ledger.Theirs, Who: "Cy"}); !errors.Is(err, ledger.ErrNoConflict) {
			t.Errorf("a conflict was settled twice: %v", err)
		}
		_, ended = s.run(s.job("B", "2031-01-01"))
		if !slices.Equal(ended[ledger.Accepted], []string{"T-0", "T-2"}) || !slices.Equal(ended[ledger.Held], []string{"T-3"}) || !slices.Contains(ended[ledger.Unchanged], "T-1") {
			t.Fatalf("after the decisions they ended as %v", ended)
		}
		for n, want := range []string{"B 2031-01-01T00:00:00Z", "A 2035-05-05T00:00:00Z", "B 2035-05-05T00:00:00Z", "A 2035-05-05T00:00:00Z", "B 2031-01-01T00:00:00Z"} {
			if is := s.stored(n); fmt.Sprint(is["mark_text"], " ", is["expiry_date"]) != want {
				t.Errorf("mark %d is %v %v in the service, want %s", n, is["mark_text"], is["expiry_date"], want)
			}
		}
		// Our side changes another field: a field left to Ann stays hers, and a record left to her as a whole is held
		// again.
		_, ended = s.run(s.job("C", "2031-01-01"))
		if !slices.Equal(ended[ledger.Held], []string{"T-1", "T-3"}) || !slices.Contains(ended[ledger.Accepted], "T-2") {
			t.Errorf("a later export ended as %v", ended)
		}
		if is := s.stored(2); is["expiry_date"] != "2035-05-05T00:00:00Z" || is["mark_text"] != "C" {
			t.Errorf("mark 2 is %v", is)
		}
		// And in the field itself: the export has a newer value, so it counts.
		if s.run(s.job("C", "2032-01-01")); s.stored(2)["expiry_date"] != "2032-01-01T00:00:00Z" {
			t.Errorf("mark 2 is %v", s.stored(2))
		}
	})
}

// TestADecisionHoldsForWhatWasSeen settles a conflict, and has Ann change the record again before the next run.
func TestADecisionHoldsForWhatWasSeen(t *testing.T) {
	t.Parallel()
	ledgers(t, func(t *testing.T, dsn string) {
		for _, rule := range []conflict.Rule{byWhom, atOnly} {
			s := share(t, dsn, 2, rule, nil)
			s.run(s.job("A", ""))
			s.edit(1, "notes", "one")
			s.run(s.job("B", ""))
			open, err := s.book.OpenConflicts(t.Context(), "")
			must(t, err)
			must(t, s.book.SettleConflict(t.Context(), open[0], ledger.Settled{Side: ledger.Ours, Who: "Bo"}))
			s.edit(1, "notes", "two")
			if _, ended := s.run(s.job("B", "")); !slices.Equal(ended[ledger.Held], []string{"T-1"}) {
				t.Errorf("ended as %v", ended)
			}
			// An export that returns to what was accepted has nothing to send, so the question is closed.
			s.run(s.job("A", ""))
			if open, err = s.book.OpenConflicts(t.Context(), ""); err != nil || len(open) != 0 {
				t.Errorf("%d conflicts are open, %v", len(open), err)
			}
			if dsn = filepath.Join(t.TempDir(), "another.db"); rule.By {
				continue
			}
		}
	})
}

// TestWhatWasSentByARunThatWasCutOffIsOurs has a run end before it has read the times of its updates, and Ann change
// one of its marks.
func TestWhatWasSentByARunThatWasCutOffIsOurs(t *testing.T) {
	t.Parallel()
	ledgers(t, func(t *testing.T, dsn string) {
		s := share(t, dsn, 4, atOnly, nil)
		s.run(s.job("A", ""))
		i, seen := s.importer(), i0(s)
		i.Shows = func(op payload.Operation) (*conflict.List, error) { return seen(op) }
		_, err := i.Run(t.Context(), s.job("B", ""))
		must(t, err)
		s.edit(2, "mark_text", "ANN")
		if _, ended := s.run(s.job("C", "")); !slices.Equal(ended[ledger.Held], []string{"T-2"}) || len(ended[ledger.Accepted]) != 3 {
			t.Errorf("ended as %v", ended)
		}
	})
}

// i0 shows the list before a push and fails after it.
func i0(s *shared) func(payload.Operation) (*conflict.List, error) {
	asked := 0
	return func(op payload.Operation) (*conflict.List, error) {
		if asked++; asked > 1 {
			return nil, errors.New("the process ended")
		}
		return s.shows(op)
	}
}

// TestAResumedRunLooksAgain interrupts a run and has Ann change a mark before it is resumed.
func TestAResumedRunLooksAgain(t *testing.T) {
	t.Parallel()
	ledgers(t, func(t *testing.T, dsn string) {
		s := share(t, dsn, 8, byWhom, nil)
		s.run(s.job("A", ""))
		job := s.job("B", "")
		ctx, cancel := context.WithCancel(t.Context())
		i := s.importer()
		i.Concurrency = 1
		send, n := i.Send, 0
		i.Send = func(ctx context.Context, p payload.Payload, repeatable bool) apiclient.Result {
			if n++; n == 4 {
				cancel()
			}
			return send(ctx, p, repeatable)
		}
		stopped, err := i.Run(ctx, job)
		must(t, err)
		s.edit(6, "notes", "Ann was here")
		run, ended := s.run(job)
		if run.ID != stopped.ID || !slices.Equal(ended[ledger.Held], []string{"T-6"}) || len(ended[ledger.Accepted]) != 7 {
			t.Errorf("run %s, after %s, ended as %v", run.ID, stopped.ID, ended)
		}
	})
}

// TestWhatNobodyCanTellIsHeld has a list without one record, and a list that shows nothing but times.
func TestWhatNobodyCanTellIsHeld(t *testing.T) {
	t.Parallel()
	s := share(t, filepath.Join(t.TempDir(), "ledger.db"), 3, atOnly, map[string]string{"mark_text": "no_such", "registry_id": "no_such", "application_number": "no_such", "good_and_services": "no_such"})
	i := s.importer()
	i.Shows = nil // nothing is learnt
	_, err := i.Run(t.Context(), s.job("A", ""))
	must(t, err)
	run, ended := s.run(s.job("B", ""))
	if len(ended[ledger.Held]) != 3 {
		t.Fatalf("ended as %v", ended)
	}
	r, err := s.book.RecordByKey(t.Context(), run.ID, "T-0")
	must(t, err)
	if !strings.Contains(r.Message, "not known whether somebody else changed it") || len(r.Notes) == 0 || !strings.Contains(r.Notes[0].Hint, "docketsync resolve") {
		t.Errorf("it says %q %+v", r.Message, r.Notes)
	}
	s.unknown = true
	if _, ended = s.run(s.job("B", "")); len(ended[ledger.Accepted]) != 3 {
		t.Errorf("with unknown: send they ended as %v", ended)
	}
	s.unknown = false
	if _, ended = s.run(s.job("C", "")); len(ended[ledger.Held]) != 3 {
		t.Errorf("where the list shows nothing of what was sent, its stamps were taken for ours: %v", ended)
	}
}
