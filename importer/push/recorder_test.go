package push

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
)

// updates is a run of so many updates, of which the third is not safe to repeat.
func updates(t *testing.T, path string, records int) (*ledger.Ledger, ledger.Run) {
	t.Helper()
	book, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	run := ledger.Run{ID: "run", Kind: ledger.Push, Scope: "s", Operation: string(payload.UpdateTrademark), Phase: ledger.Ready}
	if err := book.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var list []ledger.Record
	for n := range records {
		body := `{"id":"0b5e4c5a-7f11-4b7e-9a55-000000000001","registry_id":"0b5e4c5a-7f11-4b7e-9a55-000000000002","mark_text":"M","application_number":"1"}`
		list = append(list, ledger.Record{Run: "run", Seq: int64(n + 1), Scope: "s", Key: string(rune('a' + n)), Action: ledger.Update, State: ledger.Planned,
			Repeatable: n != 2, Digest: decide.Digest([]byte(body)), Payload: []byte(body), Rows: []ledger.Row{{Number: n + 2}}})
	}
	if _, err := book.Add(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return book, run
}

// TestThePlannedBytesGoOut shows that a push sends what the plan has kept, and nothing that it makes of it; but for plans of earlier
// releases, which the switches spell.
func TestThePlannedBytesGoOut(t *testing.T) {
	t.Parallel()
	const planned = `{ "id":"0b5e4c5a-7f11-4b7e-9a55-000000000001","registry_id":"r","mark_text":"\u00e9","application_number":"1","registration_number":"7" }`
	for _, test := range []struct {
		name    string
		respell *payload.Switches
		want    string
	}{
		{"as they are", nil, planned},
		{"spelled", &payload.Switches{RegistrationNumberAsInteger: true},
			`{"id":"0b5e4c5a-7f11-4b7e-9a55-000000000001","registry_id":"r","mark_text":"é","application_number":"1","registration_number":7}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			book, run := updates(t, filepath.Join(t.TempDir(), "ledger.db"), 1)
			record, err := book.Record(t.Context(), "run", 1)
			if err != nil {
				t.Fatal(err)
			}
			record.Body = []byte(planned)
			if err := book.Replace(t.Context(), record); err != nil {
				t.Fatal(err)
			}
			var sent payload.Payload
			p := &Pusher{Ledger: book, Log: zap.NewNop(), Now: time.Now, Tell: func(Counts) {}, Respell: test.respell,
				Service: Service{Concurrency: 1, Send: func(_ context.Context, p payload.Payload, _ bool) apiclient.Result {
					sent = p
					return apiclient.Result{Verdict: apiclient.Accepted, Status: 200}
				}}}
			if _, err := p.Push(t.Context(), &run); err != nil || string(sent.Body) != test.want || sent.ID != "0b5e4c5a-7f11-4b7e-9a55-000000000001" {
				t.Errorf("sent %s to %q: %v", sent.Body, sent.ID, err)
			}
		})
	}
}

// TestOnlyWhatWasPlannedGoesOut shows that a record is held if the ledger has another payload for it than was planned, as
// after damage to its file.
func TestOnlyWhatWasPlannedGoesOut(t *testing.T) {
	t.Parallel()
	book, run := updates(t, filepath.Join(t.TempDir(), "ledger.db"), 3)
	record, err := book.Record(t.Context(), "run", 2)
	if err != nil {
		t.Fatal(err)
	}
	record.Payload = bytes.Replace(record.Payload, []byte(`"M"`), []byte(`"N"`), 1)
	if err := book.Replace(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	sent := 0
	if err := pushOne(t, book, run, time.Now, func(int) { sent++ }); err != nil || sent != 2 {
		t.Errorf("%d records were sent: %v", sent, err)
	}
	if record, err = book.Record(t.Context(), "run", 2); err != nil || record.State != ledger.Held || !strings.Contains(record.Message, "docketsync verify") {
		t.Errorf("%s: %s %v", record.State, record.Message, err)
	}
}

// pushOne pushes one record at a time; sent is told the number of each request before it is answered with a yes.
func pushOne(t *testing.T, book *ledger.Ledger, run ledger.Run, now func() time.Time, sent func(n int)) error {
	t.Helper()
	n := 0
	p := &Pusher{Ledger: book, Log: zap.NewNop(), Now: now, Tell: func(Counts) {},
		Service: Service{Concurrency: 1, Send: func(context.Context, payload.Payload, bool) apiclient.Result {
			n++
			sent(n)
			return apiclient.Result{Verdict: apiclient.Accepted, Status: 200}
		}}}
	_, err := p.Push(t.Context(), &run)
	return err
}

func states(t *testing.T, book *ledger.Ledger) (list []ledger.State) {
	t.Helper()
	for record, err := range book.Records(t.Context(), "run", ledger.RecordFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, record.State)
	}
	return list
}

// TestOnlyWhatMayNotBeRepeatedHasAnIntent looks at the ledger while requests are under way.
func TestOnlyWhatMayNotBeRepeatedHasAnIntent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	book, run := updates(t, path, 4)
	other, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var seen []ledger.State
	err = pushOne(t, book, run, time.Now, func(n int) {
		record, err := other.Record(t.Context(), "run", int64(n))
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, record.State)
		if n == 4 {
			if before, err := other.Record(t.Context(), "run", 3); err != nil || before.State != ledger.Accepted {
				t.Errorf("when the next one is sent, the one with an intent is %s: %v", before.State, err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// The first one shows that the run is still ours.
	if want := []ledger.State{ledger.Sending, ledger.Planned, ledger.Sending, ledger.Planned}; !slices.Equal(seen, want) {
		t.Errorf("while they were sent, the records were %v, want %v", seen, want)
	}
	if end := states(t, book); slices.ContainsFunc(end, func(s ledger.State) bool { return s != ledger.Accepted }) {
		t.Errorf("in the end the records are %v", end)
	}
}

// TestAProcessThatWasFrozenSendsNothingMore has another process take up the run while the first one sleeps.
func TestAProcessThatWasFrozenSendsNothingMore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	book, run := updates(t, path, 20)
	other, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var mu sync.Mutex
	now, requests := time.Now(), 0
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	err = pushOne(t, book, run, clock, func(n int) {
		if requests = n; n == 1 {
			if _, _, err := other.Recover(t.Context(), "run"); err != nil {
				t.Error(err)
			}
			mu.Lock()
			now = now.Add(proofLasts)
			mu.Unlock()
		}
	})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the push ended with %v", err)
	}
	if requests != 1 {
		t.Errorf("%d requests went out", requests)
	}
}

// TestTwoFilesOfAFolderWithOneIdAreInDoubt has a service answer one id, in two spellings, for both files of a folder.
func TestTwoFilesOfAFolderWithOneIdAreInDoubt(t *testing.T) {
	t.Parallel()
	const id = "0b5e4c5a-7f11-4b7e-9a55-00000000000a"
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	run := ledger.Run{ID: "run", Kind: ledger.Push, Scope: "s", Operation: string(payload.CreateFolder), Phase: ledger.Ready}
	folder := []byte(`{"name":"F","files":[{"number":1},{"number":2}]}`)
	if err := book.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if _, err := book.Add(t.Context(), []ledger.Record{{Run: "run", Seq: 1, Scope: "s", Key: "F", Action: ledger.Create, State: ledger.Planned, Digest: decide.Digest(folder),
		Payload: folder, Rows: []ledger.Row{{Number: 2}}}}); err != nil {
		t.Fatal(err)
	}
	p := &Pusher{Ledger: book, Log: zap.NewNop(), Now: time.Now, Tell: func(Counts) {},
		Service: Service{Concurrency: 1, Send: func(context.Context, payload.Payload, bool) apiclient.Result {
			result := apiclient.Result{Verdict: apiclient.Accepted, Status: 201, Attempts: []apiclient.Attempt{{Status: 201}}}
			type file = struct{ ID, Number, Name string }
			result.Files = append(result.Files, file{id, "1", ""}, file{strings.ToUpper(id), "2", ""})
			return result
		}}}
	if _, err := p.Push(t.Context(), &run); err != nil {
		t.Fatal(err)
	}
	record, err := book.Record(t.Context(), "run", 1)
	if err != nil || record.State != ledger.InDoubt || !strings.Contains(record.Message, id+", which is the id of the file 1 as well as of 2") {
		t.Errorf("%s: %s %v", record.State, record.Message, err)
	}
}
