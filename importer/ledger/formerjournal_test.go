package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// appendGroup writes a row of the journal as the earlier release did.
func appendGroup(b []byte, group []*commit, now time.Time) ([]byte, error) {
	outcomes, intents := 0, 0
	for _, c := range group {
		outcomes += len(c.outcomes)
		intents += len(c.intents)
	}
	b = append(b, formerJournalVersion)
	b = binary.AppendVarint(b, int64(outcomes))
	var err error
	for _, c := range group {
		for n := range c.outcomes {
			if b, err = appendOutcome(b, &c.outcomes[n]); err != nil {
				return b, err
			}
		}
	}
	b = binary.AppendVarint(b, int64(intents))
	b = binary.AppendVarint(b, now.UnixMicro())
	for _, c := range group {
		for _, p := range c.intents {
			b = binary.AppendVarint(b, p.Number)
			b = binary.AppendVarint(b, p.Seq)
		}
	}
	return b, nil
}

func appendOutcome(b []byte, o *settled) ([]byte, error) {
	b = binary.AppendVarint(b, o.Number)
	b = binary.AppendVarint(b, o.Place.Seq)
	b = appendText(b, string(o.State))
	b = binary.AppendVarint(b, int64(o.Status))
	b = appendText(b, o.Message)
	b = appendText(b, o.ServiceID)
	b = binary.AppendVarint(b, o.At.UnixMicro())
	b, err := appendList(b, o.Reasons)
	if err != nil {
		return b, err
	}
	if b, err = appendList(b, o.Entries); err != nil {
		return b, err
	}
	b = appendText(b, strings.Join(o.ReadBack, ","))
	b = binary.AppendVarint(b, int64(len(o.Also)))
	for _, id := range o.Also {
		b = appendText(appendText(appendText(b, id.Scope), id.Key), id.ServiceID)
	}
	b = binary.AppendVarint(b, int64(len(o.Attempts)))
	for n := range o.Attempts {
		a := &o.Attempts[n]
		b = binary.AppendVarint(b, a.Started.UnixMicro())
		b = binary.AppendVarint(b, a.Duration.Microseconds())
		b = binary.AppendVarint(b, int64(a.Status))
		b = appendText(appendText(appendText(b, a.Verdict), a.Error), a.Answer)
	}
	return b, nil
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}

func appendList[T any](b []byte, list []T) ([]byte, error) {
	if len(list) == 0 {
		return appendText(b, ""), nil
	}
	data, err := json.Marshal(list)
	return appendText(b, string(data)), err
}

// leave puts rows into the former journal, and reopens the ledger.
func leave(t *testing.T, path string, rows ...string) (*Ledger, error) {
	t.Helper()
	l := open(t, path)
	must(t, l.do(t.Context(), false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from former_journal`); err != nil {
			return err
		}
		for _, row := range rows {
			if _, err := tx.Exec(`insert into former_journal (body) values ($1)`, []byte(row)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, l.Close())
	again, err := Open(t.Context(), path)
	if err == nil {
		t.Cleanup(func() { _ = again.Close() })
	}
	return again, err
}

// TestWhatAJournalHoldsIsInTheLedger opens a ledger whose journal has commits of an earlier release: an outcome with
// its intent, an intent alone, and what two runs did to one key, one after the other.
func TestWhatAJournalHoldsIsInTheLedger(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	beginAs(t, l, "1", Push, Pushing)
	beginAs(t, l, "2", Push, Pushing)
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("2", 1, "b"), planned("2", 2, "c"))
	must(t, l.Close())
	row := func(outcomes []settled, intents ...model.Place) string {
		text, err := appendGroup(nil, []*commit{{outcomes: outcomes, intents: intents}}, noon)
		must(t, err)
		return string(text)
	}
	of := func(run, seq int64, state State) settled {
		return settled{Place: model.Place{Number: run, Seq: seq}, Outcome: Outcome{State: state, ServiceID: "id", At: noon, Attempts: []Attempt{{Started: noon, Verdict: "v"}}}}
	}
	l, err := leave(t, path, row(nil, model.Place{Number: 1, Seq: 1}, model.Place{Number: 1, Seq: 2}), row([]settled{of(1, 1, Accepted)}),
		row([]settled{of(1, 2, Failed)}, model.Place{Number: 2, Seq: 1}), row([]settled{of(2, 1, Accepted)}, model.Place{Number: 2, Seq: 2}))
	must(t, err)
	state(t, l, "1", 1, Accepted)
	state(t, l, "1", 2, Failed)
	state(t, l, "2", 1, Accepted)
	state(t, l, "2", 2, Sending)
	same(t, known(t, l, "a").ServiceID, "id")
	var left int
	must(t, l.h.Read.One(t.Context(), `select count(*) from former_journal`, nil, &left))
	same(t, left, 0)
	_, doubt, err := l.Recover(t.Context(), "2")
	must(t, err)
	same(t, doubt, 1)
}

// TestALedgerStaysAsItIsWhileAProcessOfTheReleaseBeforePushes opens a ledger of version 16 while the lock of its run is
// held, and again afterwards.
func TestALedgerStaysAsItIsWhileAProcessOfTheReleaseBeforePushes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	beginAs(t, l, "1", Push, Pushing)
	add(t, l, planned("1", 1, "a"))
	unbundle(t, l, "1")
	release, _, err := l.h.Engine.Lock(t.Context(), "create_case", store.TryLock)
	must(t, err)
	var busy *fault.BusyError
	if _, err := Open(t.Context(), path); !errors.As(err, &busy) || busy.Name != "create_case" {
		t.Errorf("got %v", err)
	}
	var rows int
	must(t, l.h.Read.One(t.Context(), `select count(*) from journal`, nil, &rows))
	must(t, release())
	must(t, l.Close())
	state(t, open(t, path), "1", 1, Planned)
}

func TestADamagedJournalIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	beginAs(t, l, "1", Push, Pushing)
	add(t, l, planned("1", 1, "a"))
	must(t, l.Close())
	text, err := appendGroup(nil, []*commit{{intents: []model.Place{{Number: 1, Seq: 1}}}}, noon)
	must(t, err)
	whole := string(text)
	for _, body := range []string{"", "\x03" + whole[1:], whole[:len(whole)-1], whole + "\x00", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", strings.Replace(whole, whole[len(whole)-1:], "\x7e", 1)} {
		dir := t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS(filepath.Dir(path))))
		_, err := leave(t, filepath.Join(dir, "ledger.db"), body)
		advice(t, err, fault.ErrCorrupt, "backup")
	}
}

// TestAJournalFromBeforeAnswersWereCompared reads a row of the first version, which has no fields read back from
// answers.
func TestAJournalFromBeforeAnswersWereCompared(t *testing.T) {
	t.Parallel()
	c := &commit{outcomes: []settled{{Place: model.Place{Run: "1", Number: 1, Seq: 2}, Outcome: Outcome{State: Accepted, ServiceID: "id", At: noon, Attempts: []Attempt{{Started: noon, Verdict: "v"}}}}}}
	now, err := appendGroup(nil, []*commit{c}, noon)
	must(t, err)
	at := bytes.Index(now, []byte("\x04id")) + len("\x04id") + len(binary.AppendVarint(nil, noon.UnixMicro())) + 2 // behind reasons and entries
	before := "\x01" + string(now[1:at]) + string(now[at+1:])
	want, err := readGroup(string(now))
	must(t, err)
	got, err := readGroup(before)
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := readGroup("\x01" + string(now[1:])); !errors.Is(err, fault.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// FuzzReadGroup reads rows that are not journal rows. It returns an error or a result, and never panics or uses much
// memory.
func FuzzReadGroup(f *testing.F) {
	c := &commit{
		outcomes: []settled{{Place: model.Place{Run: "1", Number: 1, Seq: 2}, Outcome: Outcome{State: Accepted, Message: "m", At: noon, Reasons: []Reason{{Code: "c"}}, ReadBack: []string{"name", "files.number"},
			Also: []Identity{{Scope: "s", Key: "k", ServiceID: "i"}}, Attempts: []Attempt{{Started: noon, Verdict: "v"}}}}},
		intents: []model.Place{{Run: "1", Number: 1, Seq: 3}},
	}
	text, err := appendGroup(nil, []*commit{c, c}, noon)
	must(f, err)
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := readGroup(text); err != nil && !errors.Is(err, fault.ErrCorrupt) {
			t.Error(err)
		}
	})
}

func TestALedgerFromBeforeTheJournalOpens(t *testing.T) {
	t.Parallel()
	path := ledgerFile(t)
	l := open(t, path)
	unbundle(t, l, "1")
	must(t, l.do(context.Background(), false, func(tx *transaction) error {
		for _, text := range []string{`alter table segments rename to blocks`, `alter table ranges rename column segment to block`, `alter table ranges rename to stretches`,
			`alter table notifications rename to told`, `alter table occurrences rename to dues`, `alter table audit_entries rename to deeds`,
			`drop table journal`, `drop table renames`, `alter table runs drop column commits`, `alter table records drop column read_back`, `delete from ` + store.VersionTable + ` where version_id >= 9`} {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, l.Close())
	l = open(t, path)
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	state(t, l, "1", 1, Accepted)
}
