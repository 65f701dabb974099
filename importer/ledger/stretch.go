package ledger

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"docketsync/importer/ledger/store"
)

// stretch is a part of a block that stands in a run, one record behind the other.
type stretch struct {
	first  int64 // seq of its first record
	count  int
	number int64 // of its block
	start  int   // index of its first record there
	shift  int
	block  *block
}

// stretchPage is how many stretches are read at once, without their blocks.
const stretchPage = 256

const selectStretches = `select first_seq, records, block, start, shift from stretches where run_no = $1 and first_seq > $2 order by first_seq limit $3`

func scanStretch(rows *sql.Rows) (s stretch, err error) {
	err = rows.Scan(&s.first, &s.count, &s.number, &s.start, &s.shift)
	return s, err
}

// stretchRows yields the stretches of a run that reach behind a seq, in order, without their blocks.
func (l *Reader) stretchRows(ctx context.Context, run, after int64) iter.Seq2[stretch, error] {
	return func(yield func(stretch, error) bool) {
		first, err := l.stretchAt(ctx, run, after)
		if err != nil {
			yield(stretch{}, err)
			return
		}
		for from := first - 1; ; {
			page, err := l.stretches(ctx, run, from)
			if err != nil {
				yield(stretch{}, err)
				return
			}
			for _, s := range page {
				from = s.first
				if s.first+int64(s.count) > after+1 && !yield(s, nil) {
					return
				}
			}
			if len(page) < stretchPage {
				return
			}
		}
	}
}

func (l *Reader) stretches(ctx context.Context, run, after int64) ([]stretch, error) {
	statement, err := l.read.Statement(ctx, selectStretches)
	if err != nil {
		return nil, err
	}
	rows, err := statement.QueryContext(ctx, run, after, stretchPage)
	if err != nil {
		return nil, err
	}
	return store.Collect(rows, scanStretch)
}

// stretchAt is where the last stretch begins that begins at a seq or before, 0 for none.
func (l *Reader) stretchAt(ctx context.Context, run, seq int64) (first int64, err error) {
	statement, err := l.read.Statement(ctx, `select coalesce(max(first_seq), 0) from stretches where run_no = $1 and first_seq <= $2`)
	if err == nil {
		err = statement.QueryRowContext(ctx, run, seq).Scan(&first)
	}
	return first, err
}

// blockShelf reads blocks, and keeps the last few: the stretches between two changes are parts of one block.
type blockShelf struct {
	ledger  *Reader
	kept    [8]*block
	numbers [8]int64
	next    int
}

// errBlockGone tells that a block was removed since the stretch that needed it was read.
var errBlockGone = errors.New("a block of unchanged records is gone")

func (s *blockShelf) block(ctx context.Context, number int64) (*block, error) {
	for n, b := range s.kept {
		if b != nil && s.numbers[n] == number {
			return b, nil
		}
	}
	statement, err := s.ledger.read.Statement(ctx, `select content from blocks where number = $1`)
	if err != nil {
		return nil, err
	}
	var content []byte
	if err := statement.QueryRowContext(ctx, number).Scan(&content); errors.Is(err, sql.ErrNoRows) {
		return nil, errBlockGone
	} else if err != nil {
		return nil, err
	}
	b, err := decodeBlock(number, string(content))
	if err != nil {
		return nil, err
	}
	s.kept[s.next], s.numbers[s.next] = b, number
	s.next = (s.next + 1) % len(s.kept)
	return b, nil
}

// place brings the block of a stretch.
func (s *blockShelf) place(ctx context.Context, at *stretch) (err error) {
	if at.block, err = s.block(ctx, at.number); err == nil && (at.start < 0 || at.start+at.count > len(at.block.entries)) {
		err = errBlock
	}
	return err
}

// Quiet is a quiet record of a run: one that is unchanged, and of which there is nothing more to say.
type Quiet struct {
	Seq   int64
	Key   string
	entry *blockEntry
	shift int
}

// Rows yields where the record came from, as Row.Source and Row.Number have it.
func (q Quiet) Rows() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, row := range q.entry.rows {
			if !yield(row.source, row.number+q.shift) {
				return
			}
		}
	}
}

// QuietRecords yields the quiet records of a run, in order. It costs far less than Records. Those that a ledger kept as
// records, as all did once, are not among them.
func (l *Reader) QuietRecords(ctx context.Context, run string) iter.Seq2[Quiet, error] {
	return func(yield func(Quiet, error) bool) {
		number, err := l.number(ctx, run)
		if err != nil {
			yield(Quiet{}, l.wrap("read records", err))
			return
		}
		for q, err := range l.quiet(ctx, number, 0) {
			if err != nil {
				yield(q, l.wrap("read records", err))
				return
			}
			if !yield(q, nil) {
				return
			}
		}
	}
}

// quiet yields the quiet records of a run behind a seq.
func (l *Reader) quiet(ctx context.Context, run, after int64) iter.Seq2[Quiet, error] {
	return func(yield func(Quiet, error) bool) {
		shelf := blockShelf{ledger: l}
		for s, err := range l.stretchRows(ctx, run, after) {
			if err == nil {
				err = shelf.place(ctx, &s)
			}
			if errors.Is(err, errBlockGone) {
				return // with its run: the records were removed meanwhile, which may or may not be seen
			}
			if err != nil {
				yield(Quiet{}, err)
				return
			}
			for n := range s.count {
				seq := s.first + int64(n)
				if seq <= after {
					continue
				}
				e := &s.block.entries[s.start+n]
				if !yield(Quiet{Seq: seq, Key: e.key, entry: e, shift: s.shift}, nil) {
					return
				}
			}
		}
	}
}
