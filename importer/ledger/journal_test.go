package ledger

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// inJournal is how many groups stand in the journal.
func inJournal(t testing.TB, l *Ledger) (n int) {
	t.Helper()
	must(t, l.read.QueryRowContext(t.Context(), `select count(*) from journal`).Scan(&n))
	return n
}

// direct is SQLite without a journal.
type direct struct{ *sqlite.Engine }

func (d direct) Dialect() store.Dialect {
	own := d.Engine.Dialect()
	own.Changes = ""
	return own
}

// dump is what the tables that the journal is about hold, line by line.
func dump(t *testing.T, l *Ledger) (lines []string) {
	t.Helper()
	for _, text := range []string{
		`select run_no, seq, scope, key, state, digest, coalesce(reasons, ''), service_id, status, message, attempts, coalesce(sent_at, 0), coalesce(settled_at, 0) from records order by run_no, seq`,
		`select * from attempts order by run_no, seq, number`,
		`select scope, key, digest, coalesce(payload, ''), service_id, coalesce(entries, ''), run_no, accepted_at from known order by scope, key`,
	} {
		rows, err := l.read.QueryContext(t.Context(), text)
		must(t, err)
		columns, err := rows.Columns()
		must(t, err)
		values := make([]any, len(columns))
		for n := range values {
			values[n] = new(any)
		}
		for rows.Next() {
			must(t, rows.Scan(values...))
			line := ""
			for _, v := range values {
				line += fmt.Sprintf("%v|", *v.(*any))
			}
			lines = append(lines, line)
		}
		must(t, rows.Err())
		must(t, rows.Close())
	}
	return lines
}

// TestTheJournalChangesNothing commits the same groups of calls, possible and impossible ones, to a ledger with a journal and to
// one without. All calls are answered alike, and the tables say the same in the end, whoever wrote or folded in between.
func TestTheJournalChangesNothing(t *testing.T) {
	t.Parallel()
	for n := range longer(3, 12) {
		seed, runs := rand.Uint64(), 1+n%3
		t.Run(fmt.Sprintf("seed %d, %d runs", seed, runs), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			with := open(t, filepath.Join(dir, "with.db"))
			other := open(t, filepath.Join(dir, "with.db"))
			engine, err := sqlite.New(filepath.Join(dir, "without.db"))
			must(t, err)
			without, err := openOn(t.Context(), direct{engine})
			must(t, err)
			t.Cleanup(func() { must(t, without.Close()) })
			with.now, other.now, without.now = clock(), clock(), clock()
			both := []*Ledger{with, without}
			for _, l := range both {
				for run := range runs {
					begin(t, l, fmt.Sprint(run))
					var records []Record
					for n := range 600 / runs {
						r := planned(fmt.Sprint(run), int64(n+1), fmt.Sprint("key ", n+run*7))
						r.Repeatable = n%3 == 0
						records = append(records, r)
					}
					add(t, l, records...)
				}
			}
			random := rand.New(rand.NewPCG(seed, 0))
			noted := 0
			for step := range 200 {
				calls := somewhatPossible(t, with, random)
				var said []string
				for _, l := range both {
					said = append(said, strings.Join(answers(t, l, calls), "\n"))
				}
				same(t, said[0], said[1])
				noted += min(inJournal(t, with), 1)
				switch random.IntN(25) {
				case 0:
					must(t, with.store.Fold(t.Context()))
				case 1:
					must(t, other.store.Fold(t.Context()))
				case 2:
					must(t, other.do(t.Context(), true, func(*transaction) error { return nil }))
				case 3:
					run, after := fmt.Sprint(random.IntN(runs)), random.Int64N(8)
					for _, l := range both {
						_, err := l.Pending(t.Context(), run, after, 5)
						must(t, err)
					}
				case 4:
					run := fmt.Sprint(random.IntN(runs))
					_, _, err := other.Recover(t.Context(), run)
					must(t, err)
					_, _, err = without.Recover(t.Context(), run)
					must(t, err)
				}
				if step%100 == 99 {
					same(t, dump(t, with), dump(t, without))
				}
			}
			if noted < 10 { // the first commits of each run go into the tables
				t.Errorf("only %d groups went through the journal", noted)
			}
		})
	}
}

// clock is a clock that is the same at the same call.
func clock() func() time.Time { return func() time.Time { return noon } }

type call struct {
	outcomes []Outcome
	intents  []Intent
}

// somewhatPossible makes up the calls of a group: most of them can be done, as far as the tables and the writer know.
func somewhatPossible(t *testing.T, l *Ledger, random *rand.Rand) (calls []call) {
	t.Helper()
	var flying, ready []Record
	rows, err := l.store.Reader.Behind(t.Context(), `select run_no - 1, seq, state from records where state in ('planned', 'sending')`)
	must(t, err)
	for rows.Next() {
		var r Record
		must(t, rows.Scan(&r.Run, &r.Seq, &r.State))
		p := place{r.Run, 0, r.Seq}
		p.number, err = l.number(t.Context(), r.Run)
		must(t, err)
		if _, flies := l.journal.flying[p]; flies || r.State == Sending {
			flying = append(flying, r)
		} else if !l.journal.entered[p] {
			ready = append(ready, r)
		}
	}
	must(t, rows.Close())
	draw := func(from *[]Record) (r Record, ok bool) {
		if len(*from) == 0 {
			return r, false
		}
		at := random.IntN(len(*from))
		r = (*from)[at]
		if random.IntN(40) > 0 {
			*from = slices.Delete(*from, at, at+1)
		}
		return r, true
	}
	unsent := ready[:len(ready)/20]
	ready = ready[len(unsent):]
	states := []State{Accepted, Accepted, Accepted, Refused, Failed, InDoubt, Rejected, Held}
	for range 1 + random.IntN(4) {
		var c call
		for range random.IntN(3) {
			list := &flying
			if random.IntN(40) == 0 {
				list = &unsent
			}
			r, ok := draw(list)
			if !ok {
				continue
			}
			o := Outcome{Run: r.Run, Seq: r.Seq, State: states[random.IntN(len(states))], Status: 200 + random.IntN(300), At: noon.Add(time.Duration(random.IntN(1e6)) * time.Millisecond)}
			if random.IntN(2) == 0 {
				o.ServiceID, o.Message = fmt.Sprint("id-", random.IntN(1000)), "said \x00 \xff"
				o.Reasons = []Reason{{Code: "c", Message: "m"}}
				o.Also = []Identity{{"files", fmt.Sprint(random.IntN(5)), fmt.Sprint(random.IntN(100))}}
				o.Entries = []Entry{{"en", "9", fmt.Sprint(random.IntN(3)), random.IntN(3) == 0}}
			}
			for n := range random.IntN(3) {
				o.Attempts = append(o.Attempts, Attempt{Started: noon.Add(time.Duration(n) * time.Second), Duration: time.Millisecond, Status: 500, Verdict: "retry", Error: "e", Answer: "<\xff>"})
			}
			c.outcomes = append(c.outcomes, o)
		}
		for range random.IntN(3) {
			if r, ok := draw(&ready); ok {
				c.intents = append(c.intents, Intent{r.Run, r.Seq})
			}
		}
		calls = append(calls, c)
	}
	return calls
}

// answers commits calls as one group and says how each was answered.
func answers(t *testing.T, l *Ledger, calls []call) (said []string) {
	t.Helper()
	var group []*commit
	for _, c := range calls {
		made, err := l.newCommit(t.Context(), c.outcomes, c.intents)
		must(t, err)
		group = append(group, made)
	}
	l.commitGroup(group)
	for _, c := range group {
		err := <-c.answer
		said = append(said, fmt.Sprint(err))
		var stopped *fault.Error
		if errors.As(err, &stopped) {
			t.Fatal(err)
		}
	}
	return said
}

func TestACommitIsFlushedThoughAFoldIsNot(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	synchronous := func() (word string) {
		must(t, l.store.Connection().QueryRowContext(t.Context(), "pragma synchronous").Scan(&word))
		return word
	}
	send(t, l, "1", 1)
	must(t, l.store.Fold(t.Context()))
	if got := synchronous(); got != "1" {
		t.Errorf("a fold waits for the disk: synchronous is %s", got)
	}
	send(t, l, "1", 2)
	if got := synchronous(); got != "2" || inJournal(t, l) != 1 {
		t.Errorf("a commit to the journal does not wait for the disk: synchronous is %s", got)
	}
}

func TestAnotherConnectionTakesNothingForCertain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	_, err := l.Pending(t.Context(), "1", 0, 10)
	must(t, err)
	_, err = open(t, path).Hold(t.Context(), "1")
	must(t, err)
	must(t, l.store.Connection().Close()) // the next connection counts the changes of others from the beginning
	var refused *TransitionError
	if err := l.Commit(t.Context(), nil, []Intent{{"1", 2}}); !errors.As(err, &refused) || refused.From != Held {
		t.Errorf("got %v", err)
	}
	state(t, l, "1", 2, Held)
}

// A page of Pending that is not the first may be read from tables that are behind the journal.
func TestWhatWasSentIsNotOnOfferAgain(t *testing.T) {
	t.Parallel()
	for _, settled := range []string{"before the page is read", "after", "while it is read", "while it is read, folded after"} {
		t.Run(settled, func(t *testing.T) {
			t.Parallel()
			l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
			begin(t, l, "1")
			add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("1", 3, "c"), planned("1", 4, "d"))
			send(t, l, "1", 4) // the first commit of a run goes into the tables
			send(t, l, "1", 2)
			send(t, l, "1", 3)
			if inJournal(t, l) != 2 {
				t.Fatal("the intents are not in the journal")
			}
			accept := func() { settle(t, l, Outcome{Run: "1", Seq: 3, State: Accepted, At: noon}) }
			fold := func() { must(t, l.store.Fold(t.Context())) }
			page := func() {
				list, err := l.Pending(t.Context(), "1", 1, 10)
				must(t, err)
				if len(list) != 2 || list[1].Seq != 3 {
					t.Fatalf("the page is %v", list)
				}
			}
			offers, of := &l.journal.offers, map[place]name{{number: 1, seq: 3}: {"create_case", "c"}}
			switch settled {
			case "before the page is read":
				accept()
				page()
				fold()
			case "after":
				page()
				accept()
				fold()
			case "while it is read":
				round := offers.ask()
				accept()
				fold()
				offers.make(round, of)
			default:
				round := offers.ask()
				accept()
				offers.make(round, of)
				fold()
			}
			var refused *TransitionError
			if err := l.Commit(t.Context(), nil, []Intent{{"1", 3}}); !errors.As(err, &refused) || refused.From != Accepted {
				t.Errorf("an accepted record may be sent: %v", err)
			}
			state(t, l, "1", 3, Accepted)
		})
	}
}

// The tables may be behind the journal in what another run has sent as well: its key is in doubt all the same.
func TestWhatOneRunHasSentIsInDoubtForAnother(t *testing.T) {
	t.Parallel()
	for _, offered := range []bool{false, true} {
		l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
		begin(t, l, "1")
		begin(t, l, "2")
		add(t, l, planned("1", 1, "a"), planned("1", 2, "b"), planned("2", 1, "c"), planned("2", 2, "b"))
		send(t, l, "1", 1) // the first commit of a run goes into the tables
		send(t, l, "2", 1)
		if offered {
			_, err := l.Pending(t.Context(), "2", 1, 10)
			must(t, err)
		}
		send(t, l, "1", 2)
		if inJournal(t, l) != 1 {
			t.Fatal("the intent is not in the journal")
		}
		var doubt *DoubtError
		if err := l.Commit(t.Context(), nil, []Intent{{"2", 2}}); !errors.As(err, &doubt) || doubt.Doubt.Run != "1" || doubt.Doubt.Seq != 2 {
			t.Errorf("on offer %v: what another run has sent may be sent: %v", offered, err)
		}
		state(t, l, "2", 2, Planned)
	}
}

// However long a reading takes, what is remembered for its sake is bounded, and then it offers nothing.
func TestWhatIsRememberedForAReadingIsBounded(t *testing.T) {
	t.Parallel()
	var o offers
	round := o.ask()
	for seq := range int64(offersLimit + 1) {
		o.take(place{number: 1, seq: seq})
	}
	o.folded()
	if len(o.sent) > 0 {
		t.Errorf("%d places are remembered", len(o.sent))
	}
	o.make(round, map[place]name{{number: 1, seq: 1}: {"s", "a"}})
	if _, ok := o.take(place{number: 1, seq: 1}); ok || o.reading != 0 {
		t.Errorf("what was sent is on offer: %v; %d readings have not ended", ok, o.reading)
	}
}

func TestTheJournalIsFoldedWhenMuchHasComeTogether(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	begin(t, l, "1")
	var records []Record
	for n := range int64(3 * foldAfter) {
		records = append(records, planned("1", n+1, fmt.Sprint("key ", n+1)))
	}
	add(t, l, records...)
	var last []Outcome
	for n := range int64(3 * foldAfter) {
		must(t, l.Commit(t.Context(), last, []Intent{{"1", n + 1}}))
		last = []Outcome{{Run: "1", Seq: n + 1, State: Accepted, At: noon}}
		if there := inJournal(t, l); there > foldAfter {
			t.Fatalf("%d groups stand in the journal", there)
		}
	}
	must(t, l.Commit(t.Context(), last, nil))
	counts, err := l.Tally(t.Context(), "1")
	must(t, err)
	same(t, counts, []Count{{Create, Accepted, 3 * foldAfter}})
	if there := inJournal(t, l); there != 0 {
		t.Errorf("%d groups stand in the journal after a reading", there)
	}
}

func TestAFoldThatFailsStopsCommitsAndLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id"})
	trigger := func(text string) {
		_, err := l.store.Connection().ExecContext(t.Context(), text)
		must(t, err)
	}
	trigger(`create trigger full before insert on known begin select raise(abort, 'no room'); end`)
	l.journal.size.Store(foldAfter)
	l.foldMany()
	if err := l.Commit(t.Context(), nil, []Intent{{"1", 2}}); !errors.Is(err, fault.ErrStopped) || !strings.Contains(err.Error(), "no room") {
		t.Errorf("got %v", err)
	}
	if _, err := l.Record(t.Context(), "1", 1); err == nil {
		t.Error("a record was read without what was committed about it")
	}
	trigger(`drop trigger full`)
	state(t, open(t, path), "1", 1, Accepted)
	state(t, l, "1", 2, Planned)
	release, err := l.Lock(t.Context(), "matters")
	must(t, err)
	defer release()
	send(t, l, "1", 2)
	state(t, l, "1", 2, Sending)
}

func TestADamagedJournalIsNamed(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "ledger.db"))
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 2) // the first commit of a run goes into the tables
	send(t, l, "1", 1)
	var whole string
	must(t, l.read.QueryRowContext(t.Context(), `select body from journal`).Scan(&whole))
	for _, body := range []string{"", "\x03" + whole[1:], whole[:len(whole)-1], whole + "\x00", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", strings.Replace(whole, whole[len(whole)-1:], "\x7e", 1)} {
		_, err := l.store.Connection().ExecContext(t.Context(), `update journal set body = ?`, []byte(body))
		must(t, err)
		_, err = l.Record(t.Context(), "1", 1)
		advice(t, err, fault.ErrCorrupt, "backup")
	}
}

// TestAJournalFromBeforeAnswersWereCompared reads a row of the first version, which has no fields that were read back.
func TestAJournalFromBeforeAnswersWereCompared(t *testing.T) {
	t.Parallel()
	c := &commit{outcomes: []settled{{place: place{"1", 1, 2}, Outcome: Outcome{State: Accepted, ServiceID: "id", At: noon, Attempts: []Attempt{{Started: noon, Verdict: "v"}}}}}}
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

// FuzzReadGroup reads what is no row of a journal: it ends in an error or in something, never in a panic or in much memory.
func FuzzReadGroup(f *testing.F) {
	c := &commit{
		outcomes: []settled{{place: place{"1", 1, 2}, Outcome: Outcome{State: Accepted, Message: "m", At: noon, Reasons: []Reason{{Code: "c"}}, ReadBack: []string{"name", "files.number"},
			Also: []Identity{{"s", "k", "i"}}, Attempts: []Attempt{{Started: noon, Verdict: "v"}}}}},
		intents: []place{{"1", 1, 3}},
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
			`delete from journal`, `drop table journal`, `drop table renames`, `alter table runs drop column commits`, `alter table records drop column read_back`, `delete from ` + store.VersionTable + ` where version_id >= 9`} {
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
