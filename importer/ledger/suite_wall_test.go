package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/occurrences"
	"docketsync/importer/ledger/unchanged"
)

var wallCases = cases{
	"no method tells a reader of some jobs anything of the others": noMethodTellsOfOtherJobs,
	"the corrections of a key take the place of those before":      theCorrectionsOfAKeyTakeThePlaceOfThoseBefore,
	"a search goes on behind what is behind the wall":              aSearchGoesOnBehindTheWall,
}

// teams fills a ledger for two teams that share nothing. Everything that could tell about team b begins with canary.
func teams(t *testing.T, l *Ledger) {
	t.Helper()
	ctx := t.Context()
	begin(t, l, "a1")
	add(t, l, planned("a1", 1, "A-1"))
	send(t, l, "a1", 1)
	settle(t, l, Outcome{Run: "a1", Seq: 1, State: Accepted, ServiceID: "1b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0001"})
	end(t, l, "a1", Finished)
	quote := func(run string, seq int64, key string, state State) Record {
		r := Record{Run: run, Seq: seq, Scope: "canary-scope", Key: key, Action: Create, State: state, Digest: "canary-digest", Payload: json.RawMessage(`{"name":"canary-name","id":"0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002"}`),
			Rows: []Row{{Number: int(seq) + 1, Cells: json.RawMessage(`["canary-cell"]`)}}}
		if state == Rejected {
			r.Action, r.Payload, r.Digest, r.Reasons = None, nil, "", []Reason{{Code: "key_twice", Message: "canary-reason"}}
		}
		return r
	}
	// ids are compared as they are, so a run of one is named by what no other text has
	source := []Source{{File: "canary.csv", Header: []string{"canary-column"}}}
	must(t, l.Begin(ctx, Run{ID: "0canary1", Job: "canary-job", Kind: Push, Operation: "create_case", Scope: "canary-scope", Phase: Pushing, Started: noon, Sources: source}))
	add(t, l, quote("0canary1", 1, "canary-1", Planned), quote("0canary1", 2, "canary-2", Planned), quote("0canary1", 3, "canary-3", Rejected))
	send(t, l, "0canary1", 1, 2)
	settle(t, l, Outcome{Run: "0canary1", Seq: 1, State: Accepted, ServiceID: "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002", Attempts: []Attempt{{Started: noon, Status: 500, Verdict: "canary-verdict", Answer: "canary-answer"}}})
	settle(t, l, Outcome{Run: "0canary1", Seq: 2, State: InDoubt, Attempts: []Attempt{{Started: noon, Verdict: "canary-verdict"}}})
	must(t, l.Resolve(ctx, "0canary1", 2, decisions.Leave, "", "canary-who", "canary-note"))
	must(t, l.Acknowledge(ctx, []Record{record(t, l, "0canary1", 3)}, "canary-who", "canary-note"))
	end(t, l, "0canary1", Finished)
	must(t, l.Begin(ctx, Run{ID: "0canary2", Job: "canary-job", Kind: Push, Operation: "create_case", Scope: "canary-scope", Phase: Pushing, Started: noon, Sources: source}))
	again, err := l.Run(ctx, "0canary2")
	must(t, err)
	writer, err := l.UnchangedWriter(ctx, again)
	must(t, err)
	writer.Add(1, "canary-1", "canary-digest", "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002", []unchanged.Place{{Number: 2}})
	must(t, writer.Flush(ctx, true))
	end(t, l, "0canary2", Finished)
	must(t, l.MakeSearchable(ctx))
	must(t, l.Correct(ctx, "canary-job", "canary-1", nil, []decisions.CellCorrection{{Column: "canary-column", Old: "a", New: "canary-new", Who: "canary-who"}}))
	must(t, l.AddAuditEntry(ctx, decisions.AuditEntry{At: noon, Who: "canary-who", Action: "run", Target: "canary-job", Result: "done"}))
	must(t, l.SaveOccurrences(ctx, []occurrences.Scheduled{{Job: "canary-job", Schedule: "s", Through: noon}}, []occurrences.Occurrence{{Job: "canary-job", Schedule: "s", Local: "l", At: noon, State: occurrences.Broke, Note: "canary-note"}}))
	must(t, l.SaveNotificationState(ctx, "canary-job", "mail", occurrences.NotificationState{State: "canary-state", Since: noon, At: noon}))
}

// noMethodTellsOfOtherJobs asks every method for what team b has, and for everything.
func noMethodTellsOfOtherJobs(t *testing.T, l *Ledger) {
	teams(t, l)
	within, told := l.Within([]string{"matters"}), 0
	for n := range reflect.TypeOf(within).NumMethod() {
		method := reflect.TypeOf(within).Method(n)
		if method.Name == "Within" {
			continue
		}
		if len(askedOf(t, l.Reader, method)) > 0 {
			told++
		}
		for _, said := range askedOf(t, within, method) {
			t.Errorf("%s tells: %.300s", method.Name, said)
		}
	}
	if told < 25 {
		t.Errorf("only %d methods tell a reader of all jobs of the team b: the test asks wrongly", told)
	}
	for want, of := range map[int]*Reader{0: within, 1: l.Reader} {
		if n, err := of.Doubtful(t.Context()); err != nil || n != want {
			t.Errorf("%d doubts, %v, want %d", n, err, want)
		}
		if s, err := of.Searchable(t.Context()); err != nil || s.Of != 1+2*want || !s.Whole() {
			t.Errorf("%+v %v", s, err)
		}
	}
	if runs, err := l.Within(nil).Runs(t.Context(), RunFilter{}); err != nil || len(runs) != 0 {
		t.Errorf("whoever sees no job sees %d runs, %v", len(runs), err)
	}
	if known, err := within.Known(t.Context(), "create_case", []string{"A-1"}); err != nil || known["A-1"].ServiceID == "" {
		t.Errorf("the team a does not see its own: %v %v", known, err)
	}
	_, err := within.Run(t.Context(), "0canary1")
	_, missing := within.Run(t.Context(), "0canary3")
	if !errors.Is(err, handle.ErrNotFound) || strings.ReplaceAll(err.Error(), "1", "3") != missing.Error() {
		t.Errorf("%v, but %v", err, missing)
	}
}

// askedOf returns the answers of a method that tell about team b: to every question with its names, and to empty
// filters. An error that repeats the question tells nothing.
func askedOf(t *testing.T, r *Reader, method reflect.Method) (telling []string) {
	t.Helper()
	asked := []string{"0canary1", "0canary2", "canary-job-2", "canary-scope", "canary-1", "canary-2", "canary-job", "mail", "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002", "", "create_case", "canary"}
	run, err := r.Run(t.Context(), "0canary1")
	if err != nil {
		run = Run{ID: "0canary1", Job: "canary-job", Scope: "canary-scope"}
	}
	options := [][]reflect.Value{{reflect.ValueOf(r)}}
	for n := 1; n < method.Type.NumIn(); n++ {
		var values []reflect.Value
		switch of := method.Type.In(n); of {
		case reflect.TypeFor[context.Context]():
			values = append(values, reflect.ValueOf(t.Context()))
		case reflect.TypeFor[string]():
			for _, text := range asked {
				values = append(values, reflect.ValueOf(text))
			}
		case reflect.TypeFor[[]string]():
			values = append(values, reflect.ValueOf(asked))
		case reflect.TypeFor[map[string]string]():
			values = append(values, reflect.ValueOf(map[string]string{"canary-1": "0b7a1c52-0f4e-4a5e-9a65-6d1f2a1c0002"}))
		case reflect.TypeFor[int](), reflect.TypeFor[int64]():
			values = append(values, reflect.ValueOf(1).Convert(of), reflect.ValueOf(2).Convert(of), reflect.ValueOf(100).Convert(of))
		case reflect.TypeFor[[]int64]():
			values = append(values, reflect.ValueOf([]int64{1, 2, 3}))
		case reflect.TypeFor[Run]():
			values = append(values, reflect.ValueOf(run))
		case reflect.TypeFor[forget.Subject]():
			values = append(values, reflect.ValueOf(forget.Subject{Keys: []string{"canary-1"}}))
		default:
			values = append(values, reflect.Zero(of))
		}
		options = append(options, values)
	}
	for _, in := range combined(options) {
		for _, out := range method.Func.Call(in) {
			if said := spelled(out, asked); strings.Contains(said, "canary") || strings.Contains(said, "0b7a1c52") {
				telling = append(telling, said)
			}
		}
	}
	return telling
}

// combined returns all ways to take one of each.
func combined(options [][]reflect.Value) (ways [][]reflect.Value) {
	ways = [][]reflect.Value{nil}
	for _, values := range options {
		var longer [][]reflect.Value
		for _, way := range ways {
			for _, v := range values {
				longer = append(longer, append(way[:len(way):len(way)], v))
			}
		}
		ways = longer
	}
	return ways
}

// spelled returns all texts in an answer.
func spelled(v reflect.Value, asked []string) string {
	var b strings.Builder
	switch {
	case v.Kind() == reflect.Func:
		for one, err := range v.Seq2() {
			b.WriteString(spelled(one, asked) + spelled(err, asked))
		}
	case v.Type() == reflect.TypeFor[error]() && !v.IsNil():
		b.WriteString(fmt.Sprint(v.Interface()))
		said := b.String()
		for _, text := range asked {
			if text != "" {
				said = strings.ReplaceAll(strings.ReplaceAll(said, text, ""), strings.ToLower(text), "")
			}
		}
		return said
	default:
		text, err := json.Marshal(v.Interface())
		b.WriteString(fmt.Sprintf("%+v", v.Interface()))
		if err == nil {
			b.Write(text)
		}
	}
	return b.String()
}

func aSearchGoesOnBehindTheWall(t *testing.T, l *Ledger) {
	ctx := t.Context()
	for n, job := range []string{"b", "a"} {
		id := "0" + job
		must(t, l.Begin(ctx, Run{ID: id, Job: job, Kind: Push, Operation: "create_case", Scope: job, Phase: Pushing, Started: noon.Add(time.Duration(n))}))
		for seq := range int64(40) {
			r := planned(id, seq+1, fmt.Sprintf("Star %02d %s", seq, job))
			r.Scope = job
			if job == "b" || seq == 39 {
				add(t, l, r)
			}
		}
		end(t, l, id, Finished)
	}
	must(t, l.MakeSearchable(ctx))
	found, more, err := l.Within([]string{"a"}).Search(ctx, "star", 2)
	must(t, err)
	if len(found) != 1 || found[0].Key != "Star 39 a" || more {
		t.Errorf("%v, more %v", found, more)
	}
}

func theCorrectionsOfAKeyTakeThePlaceOfThoseBefore(t *testing.T, l *Ledger) {
	ctx := t.Context()
	l.w.Now = func() time.Time { return noon }
	of := func(column, who string, at time.Time) decisions.CellCorrection {
		return decisions.CellCorrection{Job: "j", Key: "K\x00", Nth: -5, Column: column, Old: "x", New: "y", Who: who, At: at}
	}
	must(t, l.Correct(ctx, "j", "K2", nil, []decisions.CellCorrection{of("C", "Ines", noon)}))
	var before []decisions.CellCorrection
	for _, list := range [][]decisions.CellCorrection{{of("C", "Ines", time.Time{})}, {of("C", "Ines", noon.Add(-time.Hour)), of("D", "Bo", time.Time{})}, nil} {
		must(t, l.Correct(ctx, "j", "K\x00", before, list))
		found, err := l.Corrections(ctx, "j")
		must(t, err)
		before = found["K\x00"]
		if err := l.Correct(ctx, "j", "K\x00", []decisions.CellCorrection{of("E", "Eve", noon)}, nil); !errors.Is(err, decisions.ErrCorrected) {
			t.Errorf("what others had corrected was replaced: %v", err)
		}
		for n := range list {
			if list[n].At.IsZero() {
				list[n].At = noon
			}
		}
		same(t, found["K\x00"], list)
		same(t, len(found["K2"]), 1)
	}
	if err := l.Correct(ctx, "j", "K2", nil, []decisions.CellCorrection{of("C", "", noon)}); err == nil {
		t.Error("a correction of nobody was written down")
	}
}

// TestOnlyAWholeLedgerHasAQueue: which records are free to be sent depends on all jobs, so a reader of only some jobs
// cannot say.
func TestOnlyAWholeLedgerHasAQueue(t *testing.T) {
	t.Parallel()
	type queue interface {
		Pending(ctx context.Context, run string, after int64, limit int) ([]Record, error)
	}
	if _, ok := any(&Ledger{}).(queue); !ok {
		t.Error("a ledger has no queue, or another one")
	}
	if _, ok := any(&Reader{}).(queue); ok {
		t.Error("a reader of some jobs tells what is to be sent")
	}
}
