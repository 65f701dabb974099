package decisions

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// CellCorrection is a cell that somebody corrected in docketsync instead of in the source. It applies when the row is
// read again: a row of the job with the key, whose cell in the column still says Old.
type CellCorrection struct {
	Job    string
	Key    string // as the source has it
	Nth    int    // which row of the key: counted from 0 in their order, or a RowMark
	Column string // its name in the header
	Old    string
	New    string
	Who    string
	At     time.Time
}

// RowMark identifies a row of a key by its content, wherever it is: by its cells except those that are corrected. twin
// is how many rows with the same content come before it. only says that no other row had the key; see
// CellCorrection.OnlyRow.
func RowMark(header, texts, corrected []string, twin int, only bool) int {
	var cells []string
	for n, text := range texts {
		if text != "" && n < len(header) && !slices.Contains(corrected, header[n]) {
			cells = append(cells, fmt.Sprintf("%q %q", header[n], text))
		}
	}
	slices.Sort(cells) // columns may be moved
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", twin, cells))
	mark := -2 - int(binary.BigEndian.Uint32(sum[:])>>3)*2
	if only {
		return mark - 1
	}
	return mark
}

// Marked reports whether a correction identifies its row by a mark, and OnlyRow whether that was the only row of its
// key.
func (c CellCorrection) Marked() bool  { return c.Nth < 0 }
func (c CellCorrection) OnlyRow() bool { return c.Nth < 0 && c.Nth%2 != 0 }

// Mark returns the mark of its row among several.
func (c CellCorrection) Mark() int {
	if c.OnlyRow() {
		return c.Nth + 1
	}
	return c.Nth
}

// ErrCorrected says that cells of a key were corrected meanwhile.
var ErrCorrected = errors.New("its cells have been corrected meanwhile")

// Correct replaces the corrections of the cells of a key, before, with list. It is on disk when it returns. A zero At
// means now. If the corrections are no longer those in before, nothing is written and the error is ErrCorrected.
func (l *Writer) Correct(ctx context.Context, job, key string, before, list []CellCorrection) error {
	return l.w.Wrap("correct cells", l.w.Do(ctx, false, func(tx *handle.Tx) error {
		there, err := store.All(tx.Query, scanCorrection, selectCorrections+` and key = $2 order by nth, name`, store.Plain(job), store.StoredKey(key))
		if err != nil {
			return err
		}
		if !slices.EqualFunc(there, before, func(a, b CellCorrection) bool {
			return a.Nth == b.Nth && a.Column == b.Column && a.New == b.New && a.At.Equal(b.At)
		}) {
			return ErrCorrected
		}
		if _, err := tx.Exec(`delete from corrections where job = $1 and key = $2`, store.Plain(job), store.StoredKey(key)); err != nil {
			return err
		}
		for _, c := range list {
			if c.Who == "" || key == "" || c.Column == "" {
				return fmt.Errorf("a correction needs a key, a column and the name of the person")
			}
			if c.At.IsZero() {
				c.At = l.w.Now()
			}
			_, err := tx.Exec(`insert into corrections (job, key, nth, name, old, corrected, who, at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
				store.Plain(job), store.StoredKey(key), c.Nth, store.StoredKey(c.Column), store.StoredKey(c.Old), store.StoredKey(c.New), store.Plain(c.Who), c.At.UnixMicro())
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// CorrectedJobs returns the jobs, other than the given one, that ran with a scope and have corrected cells.
func (l *Reader) CorrectedJobs(ctx context.Context, job, scope string) ([]string, error) {
	return handle.ListForAll(ctx, l.h, "read what was corrected", store.Column[string], `select distinct c.job from corrections c where c.job <> $1
		and exists (select 1 from runs u where u.job = c.job and u.scope = $2) order by c.job`, store.Plain(job), store.Plain(scope))
}

const selectCorrections = `select job, key, nth, name, old, corrected, who, at from corrections where job = $1`

var scanCorrection = store.Into(func(c *CellCorrection) []any {
	return []any{&c.Job, (*store.Key)(&c.Key), &c.Nth, (*store.Key)(&c.Column), (*store.Key)(&c.Old), (*store.Key)(&c.New), &c.Who, (*store.Time)(&c.At)}
})

// Corrections returns the corrected cells of a job's rows, by key. Most jobs have none.
func (l *Reader) Corrections(ctx context.Context, job string) (map[string][]CellCorrection, error) {
	if !l.h.Sees(job) {
		return nil, nil
	}
	list, err := handle.List(ctx, l.h, "read what was corrected", scanCorrection, selectCorrections+` order by key, nth, name`, store.Plain(job))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	found := map[string][]CellCorrection{}
	for _, c := range list {
		found[c.Key] = append(found[c.Key], c)
	}
	return found, nil
}
