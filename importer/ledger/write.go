package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/reason"
)

// insertRecords leaves out a record whose key the run has; a seq that the run has is an error. insertPlain is the same for records of which
// there is no more to say than where what they hold is, as of nearly all: a column less is what a record costs less.
var (
	insertRecords = &store.Bulk{
		Text: `insert into records (run_no, seq, bundle, scope, key, action, state, digest, repeatable, source_rows, service_id, payload, body, previous,
			reasons, notes, entries, status, message, attempts, settled_at, rank) values {rows}` + leaveOut,
		Columns: make([]string, plainWidth+11),
	}
	insertPlain = &store.Bulk{
		Text:    `insert into records (run_no, seq, bundle, scope, key, action, state, digest, repeatable, source_rows, service_id, status, message, attempts) values {rows}` + leaveOut,
		Columns: make([]string, plainWidth),
		Rest:    `, 0, '', 0`,
	}
	// insertRanked is insertPlain for records of a plan that has an order.
	insertRanked = &store.Bulk{
		Text:    `insert into records (run_no, seq, bundle, scope, key, action, state, digest, repeatable, source_rows, service_id, rank, status, message, attempts) values {rows}` + leaveOut,
		Columns: make([]string, plainWidth+1),
		Rest:    `, 0, '', 0`,
	}
)

const (
	plainWidth = 11
	leaveOut   = ` on conflict (run_no, key) where key <> '' do nothing`
)

// Add writes records as the first pass decided them, and returns the indexes of those whose key the run already has,
// in the ledger or earlier in records: they were left out. Records without a key are never left out. The runs must have
// begun, and a seq stands for one record only.
//
// What Add wrote may be lost with the machine's power until SaveRun has returned, so that planning does not wait for
// the disk; the run is then found as it was before.
func (l *Ledger) Add(ctx context.Context, records []Record) (conflicts []int, err error) {
	numbers := make([]int64, len(records))
	for n := range records {
		if numbers[n], err = l.number(ctx, records[n].Run); err != nil {
			return nil, l.wrap("add records", err)
		}
	}
	bundles := pack(records)
	err = l.do(ctx, true, func(tx *transaction) error {
		conflicts = nil
		in, err := tx.insertBundles(bundles, numbers)
		if err != nil {
			return err
		}
		room := make([]any, 0, store.Chunk*len(insertRecords.Columns))
		for from := 0; from < len(records); from += store.Chunk {
			to := min(from+store.Chunk, len(records))
			left, err := tx.insert(room, records[from:to], numbers[from:to], in[from:to])
			if err != nil {
				return err
			}
			for _, n := range left {
				conflicts = append(conflicts, from+n)
			}
		}
		return nil
	})
	if err != nil {
		return nil, l.wrap("add records", err)
	}
	return conflicts, nil
}

// insert writes some records whose content is in bundles, and returns the indexes of those that were left out. room is for their values.
func (tx *transaction) insert(values []any, records []Record, runs []int64, bundles []any) (left []int, err error) {
	how := insertPlain
	if slices.ContainsFunc(records, func(r Record) bool { return r.Rank != 0 }) {
		how = insertRanked
	}
	if slices.ContainsFunc(records, func(r Record) bool { return !r.plain() }) {
		how = insertRecords
	}
	for n := range records {
		r := &records[n]
		values = plainValues(values, runs[n], r, bundles[n], storedRows(r.Rows, false))
		switch how {
		case insertPlain:
			continue
		case insertRanked:
			values = append(values, storedRank(r))
			continue
		}
		if values, err = otherValues(append(values, nil, nil, nil), r); err != nil {
			return nil, fmt.Errorf("record %d of run %s: %w", r.Seq, r.Run, err)
		}
	}
	_, err = tx.Bulk(how, values, func(from, to int) error {
		found, err := tx.leftOut(records, runs, from, to)
		left = append(left, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	for n := range records {
		v := values[n*len(how.Columns) : (n+1)*len(how.Columns)]
		if len(left) > 0 && slices.Contains(left, n) {
			continue
		}
		if err := tx.noteAll(runs[n], func() { tx.notePlanned(runs[n], v) }); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// plain tells whether insertPlain says all of a record.
func (r *Record) plain() bool {
	return len(r.Reasons)+len(r.Notes)+len(r.Entries) == 0 && r.Status == 0 && r.Message == "" && r.Attempts == 0 && r.Settled.IsZero()
}

// recordValues are the columns of a record that no bundle knows of; its rows come with their cells.
func recordValues(values []any, run int64, r *Record) ([]any, error) {
	values = plainValues(values, run, r, nil, storedRows(r.Rows, true))
	return otherValues(append(values, store.Raw(r.Payload), store.Raw(r.Body), store.Raw(r.Previous)), r)
}

func plainValues(values []any, run int64, r *Record, bundle any, rows string) []any {
	return append(values, run, r.Seq, bundle, store.Plain(r.Scope), store.StoredKey(r.Key), string(r.Action), string(r.State), r.Digest, r.Repeatable, rows, store.Plain(r.ServiceID))
}

func otherValues(values []any, r *Record) ([]any, error) {
	reasons, unreasoned := store.Listed(reason.Stored(r.Reasons))
	notes, unnoted := store.Listed(reason.Stored(r.Notes))
	entries, unlisted := store.Listed(r.Entries)
	return append(values, reasons, notes, entries, int64(r.Status), store.Plain(r.Message), int64(r.Attempts), store.Micros(r.Settled), storedRank(r)), errors.Join(unreasoned, unnoted, unlisted)
}

func storedRank(r *Record) any {
	if r.Rank == 0 {
		return nil
	}
	return r.Rank
}

// leftOut finds which of the records from … to were not inserted.
func (tx *transaction) leftOut(records []Record, runs []int64, from, to int) ([]int, error) {
	var c store.Clauses
	var pairs []string
	for n := from; n < to; n++ {
		pairs = append(pairs, fmt.Sprintf("(run_no = %s and seq = %s)", c.Param(runs[n]), c.Param(records[n].Seq)))
	}
	rows, err := tx.Query(`select run_no, seq from records where `+strings.Join(pairs, " or "), c.Args...)
	if err != nil {
		return nil, err
	}
	there := map[place]bool{}
	_, err = store.Collect(rows, func(rows *sql.Rows) (p place, err error) {
		err = rows.Scan(&p.number, &p.seq)
		there[p] = true
		return p, err
	})
	var left []int
	for n := from; n < to; n++ {
		if !there[place{number: runs[n], seq: records[n].Seq}] {
			left = append(left, n)
		}
	}
	return left, err
}

const updateRecord = `update records set bundle = $3, scope = $4, key = $5, action = $6, state = $7, digest = $8, repeatable = $9, source_rows = $10,
	service_id = $11, payload = $12, body = $13, previous = $14, reasons = $15, notes = $16, entries = $17, status = $18, message = $19, attempts = $20, settled_at = $21, rank = $22
	where run_no = $1 and seq = $2 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`

// Replace writes records anew that the first pass has added, each under its run and seq, all of them or none. A record that
// was ever about to be sent cannot be replaced: the error is a *TransitionError.
func (l *Ledger) Replace(ctx context.Context, records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	err := l.do(ctx, true, func(tx *transaction) error {
		for n := range records {
			if err := l.replace(ctx, tx, &records[n]); err != nil {
				return fmt.Errorf("record %d of run %s: %w", records[n].Seq, records[n].Run, err)
			}
		}
		return nil
	})
	return l.wrap("replace records", err)
}

func (l *Ledger) replace(ctx context.Context, tx *transaction, r *Record) error {
	number, err := l.number(ctx, r.Run)
	if err != nil {
		return err
	}
	values, err := recordValues(nil, number, r)
	if err != nil {
		return err
	}
	changed, err := tx.Exec(updateRecord, values...)
	if err != nil {
		return err
	}
	if changed == 1 {
		return tx.noteAll(number, func() { tx.notePlanned(number, values) })
	}
	from, _, err := tx.standing(place{r.Run, number, r.Seq})
	if err != nil {
		return err
	}
	return &TransitionError{Run: r.Run, Seq: r.Seq, From: from, To: r.State}
}

// Union is records of a run that turned out to be of one key: First is written in the place of its seq, and those of the seqs
// Late are gone. Nothing of them may ever have been about to be sent.
type Union struct {
	First Record
	Late  []int64
}

// Unite makes one record of the records of each union, all of them of one run, in one transaction.
func (l *Ledger) Unite(ctx context.Context, run string, unions []Union) error {
	if len(unions) == 0 {
		return nil
	}
	doing := "put records of one key in run " + run + " together"
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap(doing, err)
	}
	return l.wrap(doing, l.do(ctx, true, func(tx *transaction) error {
		var values []any
		for n := range unions {
			u := &unions[n]
			for _, seq := range append([]int64{u.First.Seq}, u.Late...) {
				if err := tx.takeOut(place{run, number, seq}); err != nil {
					return err
				}
				if err := tx.noteAll(number, func() { tx.note(number, chain.Op{What: chain.TakenOut, Seq: seq}) }); err != nil {
					return err
				}
			}
			if values, err = recordValues(values, number, &u.First); err != nil {
				return err
			}
		}
		if _, err := tx.Bulk(insertRecords, values, nil); err != nil {
			return err
		}
		return tx.noteAll(number, func() {
			for v := range slices.Chunk(values, len(insertRecords.Columns)) {
				tx.notePlanned(number, v)
			}
		})
	}))
}

// takeOut removes a record that has not been sent from its run.
func (tx *transaction) takeOut(p place) error {
	removed, err := tx.Exec(`delete from records where run_no = $1 and seq = $2 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`, p.number, p.seq)
	if err != nil || removed > 0 {
		return err
	}
	found, err := unchanged.TakeOut(tx.Tx, p.number, p.seq)
	if err == nil && !found {
		err = fmt.Errorf("record %d: %w", p.seq, ErrNotFound)
	}
	return err
}

// storedRows is a record's rows as JSON: [source, row number] or [source, row number, cells] for each. Where the cells
// are in a bundle they are not there. It is written by
// hand because it is written for every record.
func storedRows(rows []Row, cells bool) string {
	text := make([]byte, 0, 16)
	text = append(text, '[')
	for n, row := range rows {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendInt(text, int64(row.Source), 10)
		text = append(text, ',')
		text = strconv.AppendInt(text, int64(row.Number), 10)
		if cells && len(row.Cells) > 0 {
			text = append(text, ',')
			text = append(text, row.Cells...)
		}
		text = append(text, ']')
	}
	return string(append(text, ']'))
}

// rowsOf reads what storedRows wrote, by hand for the same reason. The cells, where they are asked for, lie in the bytes that were
// stored, as they were.
func rowsOf(stored []byte, cells bool) ([]Row, error) {
	s := rowScanner{text: stored}
	rows := make([]Row, 0, 1)
	for s.take('['); !s.failed && !s.is(']'); s.take(']') {
		if len(rows) > 0 {
			s.take(',')
		}
		s.take('[')
		row := Row{Source: s.number()}
		s.take(',')
		if row.Number = s.number(); s.is(',') {
			s.take(',')
			if list := s.value(); cells {
				row.Cells = list
			}
		}
		rows = append(rows, row)
	}
	if s.take(']'); s.failed || s.at != len(stored) {
		return nil, fmt.Errorf("source rows: %.100q is not a list of rows", stored)
	}
	return rows, nil
}

// rowScanner goes through stored rows. It has failed where something else stands than what is taken.
type rowScanner struct {
	text   []byte
	at     int
	failed bool
}

func (s *rowScanner) is(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

func (s *rowScanner) take(c byte) {
	s.failed = s.failed || !s.is(c)
	s.at++
}

func (s *rowScanner) number() int {
	from := min(s.at, len(s.text))
	for s.at < len(s.text) && (s.text[s.at] == '-' || s.text[s.at] >= '0' && s.text[s.at] <= '9') {
		s.at++
	}
	n, err := strconv.Atoi(string(s.text[from:min(s.at, len(s.text))]))
	s.failed = s.failed || err != nil
	return n
}

// value is the JSON that ends ahead of the bracket that closes its row.
func (s *rowScanner) value() json.RawMessage {
	from, depth := min(s.at, len(s.text)), 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.quoted()
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return s.text[from:s.at:s.at]
			}
		}
	}
	s.failed = true
	return nil
}

// quoted goes to the end of a text in quotes.
func (s *rowScanner) quoted() {
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
}
