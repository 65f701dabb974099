package ledger

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// A planned record's payload, body, previous payload and cells say much the same, and so do those of its neighbours. So they stand
// outside its row, in a bundle of some dozens of records that Add compresses and that is never changed but by a prune. The row is
// narrow then, which is what makes planning and settling it fast. What is known of an accepted record refers to its bundle for the
// payload. Replace and Unite, which write a few records anew, put everything into the row.

// bundleSize is how many records a bundle holds: more compress little better, and to read one all have to be decompressed.
const bundleSize = 32

// bundleForm is the first byte of a bundle, before it is compressed.
const bundleForm = 1

// bundled says where the content of a record is.
type bundled struct{ number, seq int64 }

// inBundle is where a row says that the content of a record is; nothing where it stands in the row.
func inBundle(number *int64, seq int64) bundled {
	if number == nil {
		return bundled{}
	}
	return bundled{*number, seq}
}

// bundlesOf are the numbers that the bundles of a run have.
func bundlesOf(run int64) (first, last int64) { return run << 32, (run+1)<<32 - 1 }

// hasContent tells whether a record has anything that goes into a bundle.
func (r *Record) hasContent() bool {
	return len(r.Payload)+len(r.Body)+len(r.Previous) > 0 || slices.ContainsFunc(r.Rows, func(row Row) bool { return len(row.Cells) > 0 })
}

// appendContent writes what a bundle holds of a record, each part behind its length.
func appendContent(to []byte, r *Record) []byte {
	for _, part := range [...]json.RawMessage{r.Payload, r.Body, r.Previous} {
		to = append(binary.AppendUvarint(to, uint64(len(part))), part...)
	}
	for _, row := range r.Rows {
		to = append(binary.AppendUvarint(to, uint64(len(row.Cells))), row.Cells...)
	}
	return to
}

// takeContent gives a record, whose rows are known but for their cells, what appendContent has written.
func (r *Record) takeContent(content []byte) error {
	read := bundleReader{rest: content}
	r.Payload, r.Body, r.Previous = read.part(), read.part(), read.part()
	for n := range r.Rows {
		r.Rows[n].Cells = read.part()
	}
	if read.bad || len(read.rest) > 0 {
		return errBundle
	}
	return nil
}

var errBundle = fmt.Errorf("%w: what a planned record holds cannot be read", fault.ErrDamaged)

// bundleReader takes a bundle apart; bad says that there was less than there should be.
type bundleReader struct {
	rest []byte
	bad  bool
}

func (r *bundleReader) uint() uint64 {
	value, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.rest, r.bad = nil, true
		return 0
	}
	r.rest = r.rest[n:]
	return value
}

// part is the next one, nil where it is empty.
func (r *bundleReader) part() []byte {
	size := r.uint()
	if size > uint64(len(r.rest)) {
		r.rest, r.bad = nil, true
	}
	if size == 0 || r.bad {
		return nil
	}
	part := r.rest[:size:size]
	r.rest = r.rest[size:]
	return part
}

// eachContent calls each for every record of a bundle. Content is the bundle's memory.
func eachContent(bundle []byte, each func(seq int64, content []byte) error) error {
	read := bundleReader{rest: bundle}
	if len(bundle) == 0 || bundle[0] != bundleForm {
		return errBundle
	}
	for read.rest = bundle[1:]; len(read.rest) > 0; {
		seq, content := int64(read.uint()), read.part()
		if read.bad {
			return errBundle
		}
		if err := each(seq, content); err != nil {
			return err
		}
	}
	return nil
}

// packed is a bundle as it is stored, and which records of a list are in it.
type packed struct {
	content []byte
	of      []int
}

// pack makes the bundles of records, in their order.
func pack(records []Record) (list []packed) {
	b, one, of := bundler{text: make([]byte, 0, bundleSize<<10)}, []byte(nil), []int(nil)
	whole := func() {
		if b.held > 0 {
			list, of = append(list, packed{b.pack(), of}), nil
		}
	}
	for n := range records {
		r := &records[n]
		if !r.hasContent() {
			continue
		}
		if b.held == bundleSize || b.held > 0 && records[of[0]].Run != r.Run {
			whole()
		}
		one = appendContent(one[:0], r)
		b.add(r.Seq, one)
		of = append(of, n)
	}
	whole()
	return list
}

// bundler writes one bundle after the other.
type bundler struct {
	text []byte
	held int // how many records
	room []byte
}

func (b *bundler) add(seq int64, content []byte) {
	if b.held++; b.held == 1 {
		b.text = append(b.text[:0], bundleForm)
	}
	b.text = binary.AppendUvarint(b.text, uint64(seq))
	b.text = append(binary.AppendUvarint(b.text, uint64(len(content))), content...)
}

func (b *bundler) pack() []byte {
	b.held = 0
	if most := s2.MaxEncodedLen(len(b.text)); cap(b.room) < most {
		b.room = make([]byte, most)
	}
	return bytes.Clone(s2.Encode(b.room[:cap(b.room)], b.text))
}

// insertBundles writes bundles behind those that their runs have, and returns in which each record is, nil for none. runs are those of
// the records.
func (tx *transaction) insertBundles(list []packed, runs []int64) (in []any, err error) {
	last := map[int64]int64{}
	values := make([]any, 0, 3*len(list))
	in = make([]any, len(runs))
	for _, p := range list {
		run := runs[p.of[0]]
		if last[run] == 0 {
			var number int64
			least, most := bundlesOf(run)
			if err := tx.One(`select coalesce(max(number), $1) from bundles where number >= $1 and number <= $2`, []any{least, most}, &number); err != nil {
				return nil, err
			}
			last[run] = number
		}
		last[run]++
		values = append(values, last[run], int64(len(p.of)), p.content)
		if err := tx.noteAll(run, func() { tx.note(run, chain.Op{What: chain.Bundled, Seq: last[run]}, p.content) }); err != nil {
			return nil, err
		}
		for _, n := range p.of {
			in[n] = last[run]
		}
	}
	_, err = tx.Bulk(insertBundles, values, nil)
	return in, err
}

var insertBundles = &store.Bulk{Text: `insert into bundles (number, records, content) values {rows}`, Columns: make([]string, 3)}

// errUnbundled tells that a bundle has gone, or what it held of a record, since the row was read that refers to it.
var errUnbundled = fmt.Errorf("%w: what a record refers to is gone", fault.ErrDamaged)

// contents calls take with the content of each record that is asked for, n being its place in the list; the memory is take's.
func (l *Reader) contents(ctx context.Context, list []bundled, take func(n int, content []byte) error) error {
	order := make([]int, 0, len(list)) // the places of those that are in a bundle, by bundle and seq
	for n := range list {
		if list[n].number != 0 {
			order = append(order, n)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return list[a].compare(list[b]) })
	var numbers []int64
	for _, n := range order {
		if number := list[n].number; len(numbers) == 0 || numbers[len(numbers)-1] != number {
			numbers = append(numbers, number)
		}
	}
	taken := 0
	for part := range slices.Chunk(numbers, bundleSize) {
		var c store.Clauses
		store.Among(&c, "number", part)
		rows, err := l.read.QueryContext(ctx, `select number, content from bundles `+c.Text(), c.Args...)
		if err != nil {
			return err
		}
		_, err = store.Collect(rows, func(rows *sql.Rows) (struct{}, error) {
			n, err := openBundle(rows, list, order, take)
			taken += n
			return struct{}{}, err
		})
		if err != nil {
			return err
		}
	}
	if taken < len(order) {
		return errUnbundled
	}
	return nil
}

// compare orders records by their bundles, and in them by their seqs.
func (b bundled) compare(other bundled) int {
	return cmp.Or(cmp.Compare(b.number, other.number), cmp.Compare(b.seq, other.seq))
}

// openBundle gives out what is wanted of one bundle, and says for how many. order are the places of all that is wanted, by bundle and seq.
func openBundle(rows *sql.Rows, list []bundled, order []int, take func(n int, content []byte) error) (taken int, err error) {
	var number int64
	var stored sql.RawBytes
	if err := rows.Scan(&number, &stored); err != nil {
		return 0, err
	}
	text, err := s2.Decode(nil, stored)
	if err != nil {
		return 0, fmt.Errorf("%w: %v", errBundle, err)
	}
	from, _ := slices.BinarySearchFunc(order, bundled{number, 0}, func(n int, b bundled) int { return list[n].compare(b) })
	wanted := order[from:]
	end, _ := slices.BinarySearchFunc(wanted, bundled{number + 1, 0}, func(n int, b bundled) int { return list[n].compare(b) })
	wanted = wanted[:end]
	few := len(wanted) < bundleSize/2 // they must not keep the others in memory
	err = eachContent(text, func(seq int64, content []byte) error {
		at, found := slices.BinarySearchFunc(wanted, seq, func(n int, seq int64) int { return cmp.Compare(list[n].seq, seq) })
		for ; found && at < len(wanted) && list[wanted[at]].seq == seq; at++ {
			taken++
			part := content
			if few {
				part = bytes.Clone(content)
			}
			if err := take(wanted[at], part); err != nil {
				return err
			}
		}
		return nil
	})
	return taken, err
}

// withContents reads records, and has each take what its bundle holds. A prune may come between the two: then both are done again.
func (l *Reader) withContents(ctx context.Context, take func(*Record, []byte) error, read func() ([]Record, []bundled, error)) ([]Record, error) {
	for again := false; ; again = true {
		list, at, err := read()
		if err == nil {
			err = l.contents(ctx, at, func(n int, content []byte) error { return take(&list[n], content) })
		}
		if again || !errors.Is(err, errUnbundled) {
			return list, err
		}
	}
}

// selectPrunable goes through the bundles of a run and of those before it. It reads what may have to be taken out of: of the run all
// of them, and of those that were pruned before it the ones that hold what was known then and is not any more.
const selectPrunable = `select b.number, case when b.number >= $2 or b.records > (select count(*) from known k where k.bundle = b.number)
		and exists (select 1 from runs r where r.number = b.number >> 32 and r.pruned_at is not null and r.prune_seq is null) then b.content end
	from bundles b where b.number >= $1 and b.number <= $3 order by b.number limit $4`

// pruneBundles takes out of bundles, from one number on, what nothing refers to any more: all but the payloads that are known, and
// what of its records a prune has left whole. next is where to go on, 0 when all are done.
func (tx *transaction) pruneBundles(run, from int64) (next int64, err error) {
	least, most := bundlesOf(run)
	rows, err := tx.Query(selectPrunable, from, least, most, prunedBundles)
	if err != nil {
		return 0, err
	}
	type stored struct {
		number int64
		text   []byte
	}
	list, err := store.Collect(rows, func(rows *sql.Rows) (s stored, err error) {
		err = rows.Scan(&s.number, &s.text)
		return s, err
	})
	for _, s := range list {
		if next = s.number + 1; s.text == nil {
			continue
		}
		if err := tx.pruneBundle(s.number, s.text); err != nil {
			return 0, err
		}
		if of := s.number >> 32; of != run {
			if err := tx.noteBundles(of, map[int64]bool{s.number: true}); err != nil {
				return 0, err
			}
		}
	}
	return next, err
}

// prunedBundles is how many bundles one transaction of a prune goes through.
const prunedBundles = pruneChunk / bundleSize

func (tx *transaction) pruneBundle(number int64, stored []byte) error {
	seqs := func(text string, args ...any) (map[int64]bool, error) {
		rows, err := tx.Query(text, args...)
		if err != nil {
			return nil, err
		}
		list, err := store.Collect(rows, store.Column[int64])
		there := map[int64]bool{}
		for _, seq := range list {
			there[seq] = true
		}
		return there, err
	}
	known, err := seqs(`select bundle_seq from known where bundle = $1`, number)
	if err != nil {
		return err
	}
	var all []int64
	text, err := s2.Decode(nil, stored)
	if err == nil {
		err = eachContent(text, func(seq int64, _ []byte) error { all = append(all, seq); return nil })
	}
	if err != nil {
		return fmt.Errorf("%w: %v", errBundle, err)
	}
	whole, err := seqs(`select seq from records where run_no = $1 and seq >= $2 and seq <= $3 and bundle = $4`, number>>32, slices.Min(all), slices.Max(all), number)
	if err != nil {
		return err
	}
	var left bundler
	_ = eachContent(text, func(seq int64, content []byte) error { // it was read a moment ago
		switch {
		case whole[seq]:
			left.add(seq, content)
		case known[seq]:
			read := bundleReader{rest: content}
			left.add(seq, appendContent(nil, &Record{Payload: read.part()}))
		}
		return nil
	})
	if held := int64(left.held); held == 0 {
		_, err = tx.Exec(`delete from bundles where number = $1`, number)
	} else {
		_, err = tx.Exec(`update bundles set records = $2, content = $3 where number = $1`, number, held, left.pack())
	}
	return err
}
