package evidence

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Verified is the result of comparing a ledger with its evidence.
type Verified struct {
	Head    chain.Head `json:"-"`
	Entries int        `json:"entries"` // of all chains
	Runs    int        `json:"runs"`    // that have a chain
	Before  int        `json:"before"`  // runs that had begun before the evidence did, about which it says little or nothing
	Since   time.Time  `json:"since"`   // when the evidence began
	Misfits []Misfit   `json:"misfits"` // the first one first
}

// Verify compares a ledger with its evidence: whether each entry follows the one before, and whether the tables hold
// what the entries say. head, unless it is empty, is an earlier head of the ledger's chain, which the chain must have
// had. Verify changes nothing and reads everything, as it is at one moment, so runs may go on meanwhile.
func (l *Reader) Verify(ctx context.Context, head chain.Head) (*Verified, error) {
	v := &Verifier{Wanted: head, Verified: Verified{Misfits: []Misfit{}}}
	err := l.h.Read.Snapshot(ctx, func(query store.Query) error {
		v.Query = query
		return v.Verify()
	})
	return &v.Verified, l.h.Wrap("hold the ledger against its evidence", err)
}

// Verifier compares the tables with the evidence, in whatever Query reads: a transaction, or the ledger.
type Verifier struct {
	Verified
	Query  store.Query
	Wanted chain.Head
	chains *chain.Follower
	before int64 // the last run that began before the evidence
}

func (v *Verifier) Verify() error {
	v.chains = chain.Follow(v.Wanted)
	rows, err := checkLedgerRows(v.Query, v.chains)
	if err != nil {
		return err
	}
	v.Misfits, v.Head, v.before, v.Since = append(v.Misfits, rows.misfits...), v.chains.Head(), rows.before, rows.since
	type run struct {
		number int64
		job    string
		kind   model.Kind
	}
	runs, err := store.All(v.Query, store.Into(func(r *run) []any { return []any{&r.number, &r.job, &r.kind} }), `select number, job, kind from runs order by number`)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.number <= v.before {
			v.Before++
		}
		if err := v.run(r.number, r.job+"-"+strconv.FormatInt(r.number, 10), r.kind); err != nil {
			return err
		}
	}
	if err := v.orphans(); err != nil {
		return err
	}
	there := func(number int64) bool {
		return slices.ContainsFunc(runs, func(r run) bool { return r.number == number })
	}
	for _, number := range v.chains.Joined() {
		if !there(number) {
			v.Misfits = append(v.Misfits, Misfit{Run: strconv.FormatInt(number, 10), Of: "run", What: "the run is gone"})
		}
	}
	v.Entries = v.chains.Entries
	return nil
}

// orphans finds what is known from runs that have no evidence.
func (v *Verifier) orphans() error {
	counts, err := store.All(v.Query, store.Column[int64], `select count(*) from known where run_no > $1 and run_no not in (select run_no from evidence)`, v.before)
	if err == nil && counts[0] > 0 {
		v.Misfits = append(v.Misfits, Misfit{Of: "what is known", What: fmt.Sprintf("no run says that it sent %d of the records that the service is known to hold", counts[0])})
	}
	return err
}

// run verifies one run: its chain, and the tables.
func (v *Verifier) run(number int64, name string, kind model.Kind) error {
	t, err := readTold(v.Query, number, v.chains)
	if err != nil {
		return err
	}
	if t.first == 0 {
		if number > v.before && kind == model.Push {
			v.Misfits = append(v.Misfits, Misfit{Run: name, Entry: 1, Of: "evidence", What: "the run has no entries"})
		}
		return nil
	}
	v.Runs++
	if !t.begun && number > v.before {
		t.misfit(t.first, "evidence", "the chain does not begin with the run")
	}
	if err := t.check(v.Query); err != nil {
		return err
	}
	if err := v.known(t); err != nil {
		return err
	}
	return v.add(t, name)
}

// add adds what does not match of a run, in the order of its entries.
func (v *Verifier) add(t *Told, name string) error {
	slices.SortStableFunc(t.misfits, func(a, b Misfit) int { return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Of, b.Of)) })
	for _, m := range t.misfits {
		m.Run = name
		v.Misfits = append(v.Misfits, m)
	}
	for n := range v.Misfits {
		if m := &v.Misfits[n]; m.Run == name && m.Entry != 0 && len(v.Misfits) < 1000 {
			if err := store.Each(v.Query, func(rows *sql.Rows) error {
				return rows.Scan(&m.Kind, (*store.Time)(&m.At))
			}, `select kind, at from evidence where run_no = $1 and number = $2`, t.Run, m.Entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// selectKnownOf finds what is known by a run, with the record that it was accepted with. The key of a record may have
// been renamed since, more than once. A page is cut before its records are looked up, each by its one key. Otherwise a
// server without statistics, as after a first import, would join everything known of a scope with all records of the
// run.
var selectKnownOf = `select k.scope, k.key, k.digest, k.service_id, k.accepted_at, k.bundle, k.bundle_seq, k.payload, r.seq, r.digest, r.service_id, r.settled_at, r.bundle, r.payload, r.state
	from (select k.*, case
			when exists (select 1 from records x where x.run_no = k.run_no and x.key <> '' and x.key = k.key and x.scope = k.scope) then k.key
			else (` + withFormer("k.scope", "k.key") + `
				select min(f.key) from former f join records x on x.run_no = k.run_no and x.key <> '' and x.key = f.key and x.scope = k.scope) end as named
		from known k where k.run_no = $1 and (k.scope, k.key) > ($2, $3) order by k.scope, k.key limit $4) k
	left join records r on r.run_no = k.run_no and r.key <> '' and r.key = k.named and r.scope = k.scope order by k.scope, k.key`

// withFormer begins a query with the keys that a renamed key had before, because what is known of a record moves along:
// the table former.
func withFormer(scope, key string) string {
	return `with recursive former (key) as (select n.former from renames n where n.scope = ` + scope + ` and n.key = ` + key + ` and n.decision = 'same'
		union select n.former from former f join renames n on n.scope = ` + scope + ` and n.key = f.key and n.decision = 'same') `
}

// known compares what the service is known to hold since a run with what became of the run's records.
func (v *Verifier) known(t *Told) error {
	if !t.begun || t.pruning {
		return nil
	}
	sums := &chain.Summer{}
	adopted := map[[2]string]string{} // digests of what was given another id since
	var renamed []givenID
	for scope, key := "", ""; ; {
		found := 0
		err := store.Each(v.Query, func(rows *sql.Rows) error {
			found++
			var digest, id string
			var at int64
			var bundle, bundleSeq, seq, settled, ofBundle *int64
			var payload, ofDigest, ofID, ofPayload, state *string
			err := rows.Scan(&scope, &key, &digest, &id, &at, &bundle, &bundleSeq, &payload, &seq, &ofDigest, &ofID, &settled, &ofBundle, &ofPayload, &state)
			if err != nil || slices.ContainsFunc(t.named[at], func(s statement) bool { return s.fits(sums, chain.Content, scope, key, id) }) {
				if digest != "" {
					adopted[[2]string{scope, key}] = digest
				}
				return err
			}
			if digest == "" && len(t.named[at]) > 0 {
				renamed = append(renamed, givenID{scope, key, id, at})
				return nil
			}
			var of any = "what is known of a key"
			if seq != nil {
				of = recordAt(*seq)
			}
			given := seq == nil || t.records[*seq] == nil || t.records[*seq].facets[chain.ID].entry == t.records[*seq].facets[chain.Answer].entry
			if seq == nil || model.State(*state) != model.Accepted || *ofDigest != digest || micros(settled) != at || *ofID != "" && *ofID != id && (id != "" || given && !t.pruned) ||
				!t.pruned && (value(bundle) != value(ofBundle) || bundleSeq != nil && *bundleSeq != *seq || value(payload) != value(ofPayload)) {
				entry := t.first
				if seq != nil && t.records[*seq] != nil {
					entry = t.records[*seq].entry
				}
				t.misfit(entry, of, "what the service is known to hold (scope %s) is not what was accepted", scope)
			}
			return nil
		}, selectKnownOf, t.Run, scope, key, rowsPerPage)
		if err != nil {
			return err
		}
		if found < rowsPerPage {
			return errors.Join(v.adopted(t, adopted), v.renamed(t, sums, renamed))
		}
	}
}

// givenID is an id that a record was given without being sent.
type givenID struct {
	scope, key, id string
	at             int64
}

// renamed checks whether ids that are known under other keys than they were given to belong to former keys of the
// records.
func (v *Verifier) renamed(t *Told, sums *chain.Summer, list []givenID) error {
	for _, g := range list {
		former, err := store.All(v.Query, store.Column[string], withFormer("$1", "$2")+`select key from former`, g.scope, g.key)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(former, func(key string) bool {
			return slices.ContainsFunc(t.named[g.at], func(s statement) bool { return s.fits(sums, chain.Content, g.scope, key, g.id) })
		}) {
			t.misfit(t.first, "what is known of a key", "no run says that the service gave this id (scope %s)", g.scope)
		}
	}
	return nil
}

// adopted checks whether what was given another id since was accepted as it is known.
func (v *Verifier) adopted(t *Told, digests map[[2]string]string) error {
	for at, digest := range digests {
		counts, err := store.All(v.Query, store.Column[int64],
			`select count(*) from records where run_no in (select number from runs) and scope = $1 and key = $2 and digest = $3 and state = 'accepted'`, at[0], at[1], digest)
		if err != nil {
			return err
		}
		if counts[0] == 0 {
			t.misfit(t.first, "what is known of a key", "no run says that what the service is known to hold (scope %s) was accepted", at[0])
		}
	}
	return nil
}

// ledgerRows is what the ledger's own chain says, and what does not match in the tables that it is about.
type ledgerRows struct {
	found
	before      int64
	since       time.Time
	audit       map[string]statement
	renames     map[int64][]statement
	renamesGone []chain.Sum
	service     statement
	forgotten   statement
}

// checkLedgerRows reads the ledger's own chain, has chains follow it, and checks the tables that it is about.
func checkLedgerRows(query store.Query, chains *chain.Follower) (*ledgerRows, error) {
	r := &ledgerRows{audit: map[string]statement{}, renames: map[int64][]statement{}}
	if err := r.read(query, chain.Ledger, chains, func(*chain.Entry) {}, r.apply); err != nil {
		return nil, err
	}
	heads, err := store.All(query, store.Into(func(h *chain.Head) []any { return []any{&h.Number, &h.Hash} }), `select number, hash from evidence_head`)
	if err != nil {
		return nil, err
	}
	if head := chains.Head(); len(heads) != 1 || heads[0].Number != head.Number || !bytes.Equal(heads[0].Hash, head.Hash) {
		r.misfit(head.Number+1, "evidence", "the ledger's own chain does not end where it was said to end")
	}
	return r, r.check(query)
}

func (r *ledgerRows) apply(e *chain.Entry, op *chain.Op, salt int) {
	s := stateFacet(e, op, salt, chain.Content)
	switch op.What {
	case chain.Opened:
		r.before, r.since = op.Seq, store.TimeOf(&e.At)
	case chain.Service:
		r.service = s
	case chain.Audited:
		r.audit[string(op.Text)] = s
	case chain.Renamed:
		if s.salt != [chain.SaltSize]byte{} {
			r.renames[op.SettledAt] = append(r.renames[op.SettledAt], s)
		}
	case chain.Forgotten:
		if r.forgotten = s; op.Count > 0 {
			r.misfit(e.Number, "forgetting", "%d things did not fit when a client was forgotten", op.Count)
		}
	}
}

func (r *ledgerRows) check(query store.Query) error {
	sums := &chain.Summer{}
	if err := eachAudit(query, func(id string, row []any) {
		s, there := r.audit[id]
		if delete(r.audit, id); there && !s.fits(sums, chain.Content, row...) || !there && microsOf(row[1]) >= r.since.UnixMicro() {
			r.misfit(s.entry, "audit entry "+id, "it is not what was put down")
		}
	}); err != nil {
		return err
	}
	for id, s := range r.audit {
		r.misfit(s.entry, "audit entry "+id, "it is gone")
	}
	if err := r.checkRenames(query, sums); err != nil {
		return err
	}
	names, err := store.All(query, store.Column[string], `select name from service`)
	if err == nil && r.service.entry != 0 && (len(names) != 1 || !r.service.fits(sums, chain.Content, names[0])) {
		r.misfit(r.service.entry, "service", "the ledger is said to be about another service")
	}
	if err != nil || r.forgotten.entry == 0 {
		return err
	}
	digest, err := forgottenDigest(query)
	if err == nil && !r.forgotten.fits(sums, chain.Content, digest) {
		r.misfit(r.forgotten.entry, "forgotten", "what is never to be sent again is not what was put down")
	}
	return err
}

func microsOf(v any) int64 {
	n, _ := v.(int64)
	return n
}

func (r *ledgerRows) checkRenames(query store.Query, sums *chain.Summer) error {
	said := map[chain.Sum]bool{} // a row appears once more for each later decision about its key
	if err := EachRename(query, `where decision <> ''`, func(at int64, row []any) {
		fits := false
		for _, s := range r.renames[at] {
			if s.fits(sums, chain.Content, row...) {
				said[s.sum], fits = true, true
			}
		}
		if !fits && at >= r.since.UnixMicro() {
			r.misfit(0, "renamed key", "no entry says what was decided about a key")
		}
	}); err != nil {
		return err
	}
	for _, list := range r.renames {
		for _, s := range list {
			if !said[s.sum] {
				r.misfit(s.entry, "renamed key", "what was decided about a key is not what was put down")
				r.renamesGone = append(r.renamesGone, s.sum)
			}
		}
	}
	return nil
}

// eachAudit calls each for the audit entries, in the form in which they are recorded.
func eachAudit(query store.Query, each func(id string, row []any)) error {
	return eachRow(query, func(row []any) {
		id, _ := row[0].(string)
		each(id, row)
	}, `select id, done_at, who, origin, action, target, result, note from audit_entries order by id`)
}

// forgottenDigest returns the digest of what is never to be sent again.
func forgottenDigest(query store.Query) ([]byte, error) {
	d := newDigest()
	err := eachRow(query, func(row []any) { d.add(row...) }, `select scope, hash, forgotten_at from forgotten order by scope, hash`)
	return d.sum(), err
}

// EvidenceHead returns the head of the ledger's own chain at the time it had taken in the chains of these runs as they
// are now. So it stays the same while other things happen.
func (l *Reader) EvidenceHead(ctx context.Context, ids []string) (h chain.Head, err error) {
	wanted := map[int64]bool{}
	for _, id := range ids {
		number, err := l.h.Number(ctx, id)
		if err != nil {
			return h, err
		}
		wanted[number] = true
	}
	for e, err := range Entries(l.h.Read.Asking(ctx), chain.Ledger) {
		if err == nil {
			err = e.Ops(func(op *chain.Op, _ int) error {
				if op.What == chain.Joined && wanted[op.Seq] || op.What == chain.Opened {
					h = e.Head()
				}
				return nil
			})
		}
		if err != nil {
			return h, l.h.Wrap("read the head of the evidence", err)
		}
	}
	return h, nil
}

// Evidence yields the entries of all chains, the ledger's first, then those of the runs by number.
func (l *Reader) Evidence(ctx context.Context) iter.Seq2[chain.Entry, error] {
	return func(yield func(chain.Entry, error) bool) {
		runs, err := store.List(ctx, l.h.Read, store.Column[int64], `select distinct run_no from evidence order by run_no`)
		if err != nil {
			yield(chain.Entry{}, l.h.Wrap("read the evidence", err))
			return
		}
		for _, run := range runs {
			for e, err := range Entries(l.h.Read.Asking(ctx), run) {
				if !yield(e, l.h.Wrap("read the evidence", err)) || err != nil {
					return
				}
			}
		}
	}
}

// EachRename calls each for what was decided about keys, and when.
func EachRename(query store.Query, where string, each func(at int64, row []any), args ...any) error {
	return eachRow(query, func(row []any) { each(microsOf(row[5]), row) },
		`select scope, key, former, decision, who, decided_at from renames `+where+` order by decided_at, scope, key, former`, args...)
}
