// Package bundle stores the content of planned records: a record's payload, what goes out in its place, what was
// accepted before it and the cells of its rows. These are much alike, and alike among neighbours. So they are stored
// outside the record's row, compressed, in a bundle of some dozens of records. The row stays narrow, which makes
// planning and settling it fast.
//
// Add writes a bundle once. Records are taken out of it only by a prune, which leaves in it what is known, and when a
// client is forgotten. What is known of an accepted record refers to its bundle for the payload. Records that Replace
// and Unite rewrite, which are few, and those of older ledgers have everything in the row.
package bundle

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
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/varint"
)

// Size is how many records a bundle holds. More would compress little better, and to read one, all have to be
// decompressed.
const Size = 32

// bundleForm is the first byte of a bundle, before it is compressed.
const bundleForm = 1

// Place says where the content of a record is.
type Place struct{ number, seq int64 }

// At returns where a row says that the content of a record is, or the zero Place if it is in the row.
func At(number *int64, seq int64) Place {
	if number == nil {
		return Place{}
	}
	return Place{*number, seq}
}

// NumbersOf returns the first and last number that the bundles of a run may have.
func NumbersOf(run int64) (first, last int64) { return run << 32, (run+1)<<32 - 1 }

// InRun returns which of its run's bundles one is, counted from 1.
func InRun(number int64) int64 { return number&(1<<32-1) + 1 }

// hasContent reports whether a record has anything that goes into a bundle.
func hasContent(r *model.Record) bool {
	return len(r.Payload)+len(r.Body)+len(r.Previous) > 0 || slices.ContainsFunc(r.Rows, func(row model.Row) bool { return len(row.Cells) > 0 })
}

// appendContent writes what a bundle holds of a record, each part preceded by its length.
func appendContent(to []byte, r *model.Record) []byte {
	for _, part := range [...]json.RawMessage{r.Payload, r.Body, r.Previous} {
		to = append(binary.AppendUvarint(to, uint64(len(part))), part...)
	}
	for _, row := range r.Rows {
		to = append(binary.AppendUvarint(to, uint64(len(row.Cells))), row.Cells...)
	}
	return to
}

// Take reads into a record what appendContent has written: the cells of its rows too, if these are known.
func Take(r *model.Record, content []byte) error {
	read := varint.Reader{Rest: content}
	r.Payload, r.Body, r.Previous = read.Part(), read.Part(), read.Part()
	for n := range r.Rows {
		r.Rows[n].Cells = read.Part()
	}
	if read.Bad || len(r.Rows) > 0 && len(read.Rest) > 0 {
		return errBundle
	}
	return nil
}

var errBundle = fmt.Errorf("%w: what a planned record holds cannot be read", fault.ErrDamaged)

// Each calls each for every record of a bundle. content is the bundle's memory.
func Each(bundle []byte, each func(seq int64, content []byte) error) error {
	read := varint.Reader{Rest: bundle}
	if read.Byte() != bundleForm {
		return errBundle
	}
	for len(read.Rest) > 0 {
		seq, content := int64(read.Uint()), read.Part()
		if read.Bad {
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

// Pack makes the bundles of records, in their order.
func Pack(records []model.Record) (list []packed) {
	b, one, of := bundler{text: make([]byte, 0, Size<<10)}, []byte(nil), []int(nil)
	whole := func() {
		if b.held > 0 {
			list, of = append(list, packed{b.pack(), of}), nil
		}
	}
	for n := range records {
		r := &records[n]
		if !hasContent(r) {
			continue
		}
		if b.held == Size || b.held > 0 && records[of[0]].Run != r.Run {
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

// Insert writes bundles after those that their runs have, and returns the bundle of each record, nil for none. runs are
// those of the records.
func Insert(tx *handle.Tx, list []packed, runs []int64) (in []any, err error) {
	last := map[int64]int64{}
	values := make([]any, 0, 3*len(list))
	in = make([]any, len(runs))
	for _, p := range list {
		run := runs[p.of[0]]
		if last[run] == 0 {
			var number int64
			least, most := NumbersOf(run)
			if err := tx.One(`select coalesce(max(number), $1) from bundles where number >= $1 and number <= $2`, []any{least, most}, &number); err != nil {
				return nil, err
			}
			last[run] = number
		}
		last[run]++
		values = append(values, last[run], int64(len(p.of)), p.content)
		if err := tx.NoteAll(run, func() { tx.Note(run, chain.Op{What: chain.Bundled, Seq: last[run]}, p.content) }); err != nil {
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

// ErrGone says that a bundle, or what it held of a record, has been removed since the row that refers to it was read.
var ErrGone = fmt.Errorf("%w: what a record refers to is gone", fault.ErrDamaged)

// Contents calls take with the content of each record that is asked for, n being its place in the list. take may keep
// content.
func Contents(ctx context.Context, read *store.Reader, list []Place, take func(n int, content []byte) error) error {
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
	for part := range slices.Chunk(numbers, Size) {
		var c store.Clauses
		store.Among(&c, "number", part)
		if err := store.Each(read.Asking(ctx), func(rows *sql.Rows) error {
			n, err := openBundle(rows, list, order, take)
			taken += n
			return err
		}, `select number, content from bundles `+c.Text(), c.Args...); err != nil {
			return err
		}
	}
	if taken < len(order) {
		return ErrGone
	}
	return nil
}

// compare orders records by bundle, and within a bundle by seq.
func (b Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(b.number, other.number), cmp.Compare(b.seq, other.seq))
}

// openBundle passes what is wanted of one bundle to take, and returns for how many records. order are the places of
// everything wanted, by bundle and seq.
func openBundle(rows *sql.Rows, list []Place, order []int, take func(n int, content []byte) error) (taken int, err error) {
	var number int64
	var stored sql.RawBytes
	if err := rows.Scan(&number, &stored); err != nil {
		return 0, err
	}
	text, err := s2.Decode(nil, stored)
	if err != nil {
		return 0, fmt.Errorf("%w: %v", errBundle, err)
	}
	from, _ := slices.BinarySearchFunc(order, Place{number, 0}, func(n int, b Place) int { return list[n].compare(b) })
	wanted := order[from:]
	end, _ := slices.BinarySearchFunc(wanted, Place{number + 1, 0}, func(n int, b Place) int { return list[n].compare(b) })
	wanted = wanted[:end]
	few := len(wanted) < Size/2 // they must not keep the others in memory
	err = Each(text, func(seq int64, content []byte) error {
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

// WithContents reads records, and has each take what its bundle holds. If a prune comes between the two, both are done
// again.
func WithContents(ctx context.Context, from *store.Reader, take func(*model.Record, []byte) error, read func() ([]model.Record, []Place, error)) ([]model.Record, error) {
	for again := false; ; again = true {
		list, at, err := read()
		if err == nil {
			err = Contents(ctx, from, at, func(n int, content []byte) error { return take(&list[n], content) })
		}
		if again || !errors.Is(err, ErrGone) {
			return list, err
		}
	}
}

// Prune rewrites a bundle without what a pruned run no longer needs.
func Prune(tx *handle.Tx, number int64, stored []byte) error {
	seqs := func(text string, args ...any) (map[int64]bool, error) {
		list, err := store.All(tx.Query, store.Column[int64], text, args...)
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
		err = Each(text, func(seq int64, _ []byte) error { all = append(all, seq); return nil })
	}
	if err != nil {
		return fmt.Errorf("%w: %v", errBundle, err)
	}
	whole, err := seqs(`select seq from records where run_no = $1 and seq >= $2 and seq <= $3 and bundle = $4`, number>>32, slices.Min(all), slices.Max(all), number)
	if err != nil {
		return err
	}
	var left bundler
	_ = Each(text, func(seq int64, content []byte) error { // it was read a moment ago
		switch {
		case whole[seq]:
			left.add(seq, content)
		case known[seq]:
			read := varint.Reader{Rest: content}
			left.add(seq, appendContent(nil, &model.Record{Payload: read.Part()}))
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
