package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/store"
)

var evidenceCases = cases{
	"an untouched ledger fits its evidence, whatever was done":                                 anUntouchedLedgerFitsItsEvidence,
	"an answer that all records share fits its evidence after a client's words were taken out": aSharedAnswerFitsAfterForget,
	"a value that was changed past the ledger is found":                                        aChangedByteIsFound,
	"a chain of which a tail was cut off is found":                                             aTailThatWasCutOffIsFound,
	"the first entry that does not fit is named":                                               theFirstEntryThatDoesNotFitIsNamed,
	"the sums of what was forgotten cannot be tried any more":                                  whatWasForgottenLeavesNoSalt,
	"an entry of another process is not written over":                                          anEntryOfAnotherProcessIsNotWrittenOver,
	"entries of two nodes are one chain":                                                       entriesOfTwoNodesAreOneChain,
	"whoever lost a run writes no entry of it":                                                 whoeverLostARunWritesNoEntryOfIt,
	"a ledger fits its evidence while a run is pushed":                                         aLedgerFitsWhileARunIsPushed,
}

// headOf returns the head of the chain of run 1.
func headOf(t *testing.T, l *Ledger) (head chain.Head) {
	t.Helper()
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	must(t, l.h.Read.One(t.Context(), `select number, hash from evidence where run_no = $1 order by number desc limit 1`, []any{number}, &head.Number, &head.Hash))
	return head
}

func anEntryOfAnotherProcessIsNotWrittenOver(t *testing.T, l *Ledger) {
	pushed(t, l, 4)
	send(t, l, "1", 1, 2)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: InDoubt, Message: "no answer"})
	before := headOf(t, l)
	must(t, again(t, l).Resolve(t.Context(), "1", 1, decisions.Exists, "id-1", "Ann", "seen"))
	send(t, l, "1", 3)
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Accepted, ServiceID: "id-2"})
	same(t, headOf(t, l).Number, before.Number+3)
	fits(t, l)
}

func entriesOfTwoNodesAreOneChain(t *testing.T, l *Ledger) {
	list := cut(t, l, 60, 30)
	before := headOf(t, l)
	var both sync.WaitGroup
	for n, node := range []*Ledger{l, again(t, l)} {
		take(t, node, list[n])
		both.Go(func() {
			for seq := int64(30*n + 1); seq <= int64(30*n+20); seq++ {
				if err := node.Commit(context.WithoutCancel(t.Context()), nil, []Intent{{Run: "1", Seq: seq}}); err != nil {
					t.Error(err)
				}
				if err := node.Commit(context.WithoutCancel(t.Context()), []Outcome{{Run: "1", Seq: seq, State: InDoubt, Message: "no answer", At: noon}}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	same(t, headOf(t, l).Number, before.Number+80)
	fits(t, l)
}

func whoeverLostARunWritesNoEntryOfIt(t *testing.T, l *Ledger) {
	pushed(t, l, 3)
	send(t, l, "1", 1)
	_, _, err := again(t, l).Recover(t.Context(), "1")
	must(t, err)
	isTakenOver(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 2}}))
	state(t, l, "1", 2, Planned)
	fits(t, l)
}

func aLedgerFitsWhileARunIsPushed(t *testing.T, l *Ledger) {
	pushed(t, l, 150)
	var ended sync.WaitGroup
	done := make(chan struct{})
	ended.Go(func() {
		defer close(done)
		for seq := int64(1); seq <= 150; seq++ {
			if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: seq}}); err != nil {
				t.Error(err)
			}
			if err := l.Commit(t.Context(), []Outcome{{Run: "1", Seq: seq, State: Refused, Message: "no", At: noon, Attempts: []Attempt{{Number: 1, Started: noon, Status: 400, Verdict: "refused"}}}}, nil); err != nil {
				t.Error(err)
			}
		}
	})
	defer ended.Wait()
	reader := again(t, l) // as another process
	for {
		if fits(t, reader); t.Failed() {
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// fits fails the test if anything in a ledger does not match its evidence.
func fits(t testing.TB, l *Ledger) *evidence.Verified {
	t.Helper()
	v, err := l.Verify(t.Context(), chain.Head{})
	must(t, err)
	for _, m := range v.Misfits {
		t.Errorf("does not fit: %+v", m)
	}
	return v
}

// byHand are the cases that write into tables directly, so that the evidence does not match and must say so.
var byHand = map[string]bool{
	"whoever writes what is known, it is of the epoch in which it was written": true,
	"a bundle that is gone or damaged is an error, not less":                   true,
	"the first entry that does not fit is named":                               true,
	"the sums of what was forgotten cannot be tried any more":                  true,
}

// fitsAfter checks what a case has left against its evidence.
func fitsAfter(t *testing.T, l *Ledger, name string) {
	t.Helper()
	v, err := l.Verify(t.Context(), chain.Head{})
	if errors.Is(err, fault.ErrClosed) {
		return
	}
	must(t, err)
	if byHand[name] != (len(v.Misfits) > 0) {
		t.Errorf("does not fit: %+v", v.Misfits)
	}
}

func anUntouchedLedgerFitsItsEvidence(t *testing.T, l *Ledger) {
	fits(t, l)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	fits(t, l)
	send(t, l, "1", 1, 2)
	fits(t, l)
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, ServiceID: "id-1", Message: "created"})
	settle(t, l, Outcome{Run: "1", Seq: 2, State: InDoubt, Message: "no answer"})
	fits(t, l)
	must(t, l.Resolve(t.Context(), "1", 2, decisions.Exists, "id-2", "Ann", "seen"))
	fits(t, l)
}

func aSharedAnswerFitsAfterForget(t *testing.T, l *Ledger) {
	begin(t, l, "1")
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	run.Sources = []Source{{File: "export.csv", Header: []string{"Ref", "Client"}}}
	must(t, l.SaveRun(t.Context(), run))
	for seq, client := range []string{"", "ZEPHYR", "OTHER", "THIRD"} {
		if seq == 0 {
			continue
		}
		r := planned("1", int64(seq), client)
		r.Payload = json.RawMessage(fmt.Sprintf(`{"client_id":%q,"name":"Patents"}`, client))
		r.Rows[0].Cells = json.RawMessage(fmt.Sprintf(`[%q,"Patents"]`, client))
		add(t, l, r)
		send(t, l, "1", int64(seq))
		id := fmt.Sprint("id-", seq)
		settle(t, l, Outcome{Run: "1", Seq: int64(seq), State: Accepted, Status: 201, ServiceID: id,
			Attempts: []Attempt{{Started: noon, Status: 201, Verdict: "accepted", Answer: fmt.Sprintf(`{"id":%q,"template":"Patents"}`, id)}}})
	}
	finish(t, l, "1", Finished)
	fits(t, l)
	_, err = l.Forget(t.Context(), Subject{Clients: []string{"ZEPHYR"}}, func(*Traces) error { return nil })
	must(t, err)
	var answer string
	must(t, l.h.Read.QueryRowContext(t.Context(), `select answer from runs where id = '1'`).Scan(&answer))
	if answer != `{"id":"{id}","template":"[forgotten]"}` {
		t.Fatalf("the answer that the records share is %s: the test is about nothing", answer)
	}
	fits(t, l)
}

// lived fills a ledger with a little of everything.
func lived(t *testing.T, l *Ledger) {
	t.Helper()
	must(t, l.SetService(t.Context(), "https://cases.example.com"))
	night(t, l, "pruned", 3)
	night(t, l, "night", 2)
	prune1(t, l, "pruned")
	plan(t, l, "quiet", numbered(0, 8))
	begin(t, l, "1")
	var list []Record
	for seq := int64(1); seq <= 8; seq++ {
		r := planned("1", seq, fmt.Sprint("key ", seq))
		r.Repeatable = seq > 4
		list = append(list, r)
	}
	list[1].Notes, list[2].ServiceID = []Reason{{Code: "n", Message: "noted"}}, "known before"
	add(t, l, list...)
	send(t, l, "1", 1, 2, 3, 4)
	request := []Attempt{{Started: noon, Duration: time.Second, Status: 200, Verdict: "accepted", Answer: "yes"}}
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted, Status: 200, ServiceID: "id-1", Message: "created", Attempts: request, Also: []Identity{{Scope: "files", Key: "key 1/file", ServiceID: "file-1"}}})
	settle(t, l, Outcome{Run: "1", Seq: 2, State: Accepted, ServiceID: "id-2", Reasons: []Reason{{Code: "stored"}}, Attempts: append(request, request...)})
	settle(t, l, Outcome{Run: "1", Seq: 3, State: Refused, Reasons: []Reason{{Code: "c", Message: "no"}}, Message: "refused", Attempts: request})
	settle(t, l, Outcome{Run: "1", Seq: 4, State: InDoubt, Message: "no answer"})
	settle(t, l, Outcome{Run: "1", Seq: 5, State: Accepted, Status: 200, ServiceID: "id-5", Message: "created", Attempts: request, Sent: noon})
	must(t, l.Resolve(t.Context(), "1", 4, decisions.Exists, "id-4", "Ann", "seen"))
	_, err := l.Hold(t.Context(), "1")
	must(t, err)
	must(t, l.Adopt(t.Context(), "1", []Identity{{Scope: "files", Key: "adopted", ServiceID: "file-2"}}))
	must(t, l.AskRenames(t.Context(), []Rename{{Scope: "create_case", Key: "key 9", Former: "key 1"}}))
	must(t, l.DecideRename(t.Context(), Rename{Scope: "create_case", Key: "key 9", Former: "key 1"}, SameRecord, "Bob"))
	must(t, l.AskRenames(t.Context(), []Rename{{Scope: "files", Key: "adopted again", Former: "adopted"}}))
	must(t, l.DecideRename(t.Context(), Rename{Scope: "files", Key: "adopted again", Former: "adopted"}, SameRecord, "Bob"))
	must(t, l.AddAuditEntry(t.Context(), decisions.AuditEntry{At: noon, Who: "ines", Origin: "10.0.0.7", Action: "run", Target: "matters", Result: "done", Note: "n"}))
	finish(t, l, "1", Stopped)
	clientRun(t, l, "client")
	finish(t, l, "client", Finished)
	_, err = l.Forget(t.Context(), forget.Subject{Clients: []string{"ZEPHYR-CLIENT"}, Cells: []forget.Cell{{Column: "Client", Value: "ZEPHYR-NAME"}}}, func(*forget.Traces) error { return nil })
	must(t, err)
	fits(t, l)
}

// notEvidence are the columns about the ledger's own housekeeping, which say nothing about what happened.
var notEvidence = map[string]string{
	"runs": "number commits fence epoch prune_seq pruned_at removed answer", "records": "run_no seq", "attempts": "run_no seq", "decisions": "run_no seq", "known": "epoch entries differs",
	"ranges": "run_no segment", "bundles": "number records", "evidence_head": "", "segments": "number", "evidence": "salts", "audit_entries": "", "renames": "asked_at", "service": "", "forgotten": "",
}

// aChangedByteIsFound changes one value after another directly, in every table and column that records what happened.
func aChangedByteIsFound(t *testing.T, l *Ledger) {
	lived(t, l)
	changed := 0
	for table, left := range notEvidence {
		rows, err := l.h.Read.QueryContext(t.Context(), `select * from `+table)
		must(t, err)
		columns, err := rows.Columns()
		must(t, err)
		var all [][]any
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for n := range values {
				into[n] = &values[n]
			}
			must(t, rows.Scan(into...))
			all = append(all, values)
		}
		must(t, rows.Close())
		for n, row := range all {
			if n != 0 && n != len(all)-1 && n%longer(3, 1) != 0 {
				continue
			}
			for c, column := range columns {
				if !slices.Contains(strings.Fields(left), column) && row[c] != nil && tamper(t, l, table, columns, row, c) {
					changed++
				}
			}
		}
	}
	if changed < 100 {
		t.Errorf("%d values were changed", changed)
	}
	fits(t, l)
}

// tamper changes one value of a row, checks that this is found, and restores it. It returns false if the value cannot
// be changed.
func tamper(t *testing.T, l *Ledger, table string, columns []string, row []any, c int) bool {
	t.Helper()
	var others []any
	switch v := row[c].(type) {
	case string:
		if v == "" {
			others = []any{"x"}
		} else {
			others = []any{string(rune(v[0])^1) + v[1:]}
		}
	case []byte:
		if len(v) == 0 {
			return false
		}
		others = []any{append(bytes.Clone(v[:len(v)/2]), append([]byte{v[len(v)/2] ^ 1}, v[len(v)/2+1:]...)...)}
	case int64:
		others = []any{v + 1}
		if !l.h.Engine.Dialect().Remote { // SQLite lets a number of any kind stand in any column
			others = append(others, float64(v)+0.5)
		}
	case bool:
		others = []any{!v}
	}
	// The whole row identifies it; to restore a row, it is found by its changed value.
	set := func(from, to any) error {
		var list store.Clauses
		text := `update ` + table + ` set ` + columns[c] + ` = ` + list.Param(to)
		for n, column := range columns {
			value := row[n]
			if n == c {
				value = from
			}
			if value != nil && column != "epoch" {
				list.Where(column+" = %s", value)
			}
		}
		return l.do(t.Context(), false, func(tx *transaction) error {
			n, err := tx.Exec(text+" "+list.Text(), list.Args...)
			if err == nil && n != 1 {
				err = fmt.Errorf("%d rows", n)
			}
			return err
		})
	}
	changed := false
	for _, other := range others {
		if set(row[c], other) != nil {
			continue // a constraint is in the way
		}
		changed = true
		v, err := l.Verify(t.Context(), chain.Head{})
		if err == nil && len(v.Misfits) == 0 {
			t.Errorf("%s of %s was changed from %.60q to %.60q, and nobody noticed", columns[c], table, row[c], other)
		}
		must(t, set(other, row[c]))
	}
	return changed
}

// aTailThatWasCutOffIsFound removes the last entries of each chain, and their traces in the chains themselves.
func aTailThatWasCutOffIsFound(t *testing.T, l *Ledger) {
	lived(t, l)
	whole := fits(t, l)
	cut := func(run int64, from int64) *evidence.Verified {
		t.Helper()
		errUndo := errors.New("undo")
		var v *evidence.Verified
		err := l.do(t.Context(), false, func(tx *transaction) error {
			if _, err := tx.Exec(`delete from evidence where run_no = $1 and number >= $2`, run, from); err != nil {
				return err
			}
			if run == chain.Ledger {
				if _, err := tx.Exec(`update evidence_head set number = $1, hash = (select hash from evidence where run_no = 0 and number = $1)`, from-1); err != nil {
					return err
				}
			}
			within := &evidence.Verifier{Query: tx.Query, Wanted: whole.Head}
			err := within.Verify()
			v = &within.Verified
			return errors.Join(err, errUndo)
		})
		if !errors.Is(err, errUndo) {
			t.Fatal(err)
		}
		return v
	}
	for run := int64(1); ; run++ {
		var last int64
		must(t, l.h.Read.One(t.Context(), `select coalesce(max(number), 0) from evidence where run_no = $1`, []any{run}, &last))
		if last == 0 {
			break
		}
		for from := last; from > max(1, last-4); from-- {
			v := cut(run, from)
			if len(v.Misfits) == 0 || !slices.ContainsFunc(v.Misfits, func(m evidence.Misfit) bool { return (m.Entry == from || m.Entry == 1) && m.Of == "evidence" }) {
				t.Errorf("run %d cut off from %d of %d on: %+v", run, from, last, v.Misfits)
			}
		}
	}
	if v := cut(chain.Ledger, whole.Head.Number); !slices.ContainsFunc(v.Misfits, func(m evidence.Misfit) bool { return m.Entry == whole.Head.Number && m.Run == "" }) {
		t.Errorf("cut off from its last entry on: %+v", v.Misfits)
	}
}

// theFirstEntryThatDoesNotFitIsNamed changes entries in the middle of a chain.
func theFirstEntryThatDoesNotFitIsNamed(t *testing.T, l *Ledger) {
	lived(t, l)
	run, err := l.Run(t.Context(), "1")
	must(t, err)
	number, err := l.h.Number(t.Context(), "1")
	must(t, err)
	must(t, l.w.Exec(t.Context(), "tamper", `update evidence set at = at + 1 where run_no = $1 and number in (4, 6)`, number))
	v, err := l.Verify(t.Context(), chain.Head{})
	must(t, err)
	if m := v.Misfits[0]; m.Run != run.Name || m.Entry != 4 || m.Kind != "push" || m.At.IsZero() {
		t.Errorf("the first is %+v", m)
	}
	must(t, l.w.Exec(t.Context(), "put back", `update evidence set at = at - 1 where run_no = $1 and number in (4, 6)`, number))
	must(t, l.w.Exec(t.Context(), "tamper", `update records set state = 'accepted' where run_no = $1 and seq = 3`, number))
	v, err = l.Verify(t.Context(), chain.Head{})
	must(t, err)
	if m := v.Misfits[0]; len(v.Misfits) != 1 || m.Of != "record 3" || m.What != "it is accepted, the entry says refused" || m.Kind != "push" {
		t.Errorf("got %+v", v.Misfits)
	}
}

// whatWasForgottenLeavesNoSalt checks that nobody can try out values against the sums of what was forgotten.
func whatWasForgottenLeavesNoSalt(t *testing.T, l *Ledger) {
	lived(t, l)
	number, err := l.h.Number(t.Context(), "client")
	must(t, err)
	query := func(text string, args ...any) (*sql.Rows, error) {
		return l.h.Read.QueryContext(t.Context(), text, args...)
	}
	salted, erased := 0, 0
	for e, err := range evidence.Entries(query, number) {
		must(t, err)
		must(t, e.Ops(func(op *chain.Op, salt int) error {
			if salt >= 0 && (op.What == chain.Planned || op.What == chain.Settled) {
				if salted++; bytes.Equal(e.Salts[salt:salt+chain.SaltSize], make([]byte, chain.SaltSize)) {
					erased++
				}
			}
			return nil
		}))
	}
	if erased == 0 || erased < salted {
		t.Errorf("of %d salts, %d are gone", salted, erased) // the other record of that run quotes the client
	}
	other, err := l.h.Number(t.Context(), "1")
	must(t, err)
	must(t, l.w.Exec(t.Context(), "tamper", `update evidence set salts = (select e.salts from evidence e where e.run_no = $1 and e.number = evidence.number - 1) where run_no = $1 and number = 5`, other))
	if v, err := l.Verify(t.Context(), chain.Head{}); err != nil || len(v.Misfits) == 0 {
		t.Errorf("other salts are not noticed: %v", err)
	}
}
