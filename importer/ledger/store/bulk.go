package store

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Chunk is the most rows that one statement carries. Fifty is where SQLite is fastest; the text of a longer statement
// costs more than it saves.
const Chunk = 50

// Bulk is a statement over many rows of parameters. {rows} in its text becomes their list, and other words in braces
// what the engine says for them. The columns' types are given for the first row, spelled as in a schema text;
// PostgreSQL takes those of the other rows from it. A type is "" if the place of the values implies it.
type Bulk struct {
	Text    string
	Columns []string
	Rest    string // the part of each row that is the same for all, with a comma before it
	// Same is how many leading columns mostly have the same values in all rows. If they do, a statement carries them
	// once.
	Same int

	texts sync.Map // by bulkSize
}

type bulkSize struct {
	rows     int
	numbered bool
	exact    bool
	same     int // columns that are given once
}

// sized returns the text for that many rows, of which same columns are given once; see Step for exact.
func (b *Bulk) sized(e Engine, rows, same int, exact bool) string {
	size := bulkSize{rows, e.Dialect().Numbered, exact, same}
	text, ok := b.texts.Load(size)
	if !ok {
		said := b.Text
		if exact {
			with, change, _ := strings.Cut(said, "{rows})")
			said = with + "{rows}), done as (" + change + " returning 1) select 1 / cast(count(*) = " + strconv.Itoa(rows) + " as integer) from done"
		}
		text, _ = b.texts.LoadOrStore(size, e.Dialect().Words.Replace(strings.Replace(said, "{rows}", b.list(size), 1)))
	}
	return text.(string)
}

func (b *Bulk) list(size bulkSize) string {
	var list strings.Builder
	n := 0
	for row := range size.rows {
		if row > 0 {
			list.WriteString(", ")
		}
		list.WriteByte('(')
		for column, kind := range b.Columns {
			if column > 0 {
				list.WriteString(", ")
			}
			param, number := "?", n+1
			if column < size.same {
				number = column + 1
			}
			if n = max(n, number); size.numbered || column < size.same {
				param = "$" + strconv.Itoa(number)
			}
			if row == 0 && kind != "" {
				list.WriteString("cast(" + param + " as " + kind + ")")
			} else {
				list.WriteString(param)
			}
		}
		list.WriteString(b.Rest)
		list.WriteByte(')')
	}
	return list.String()
}

// same returns in how many leading columns all rows have the same values: b.Same, or none.
func (b *Bulk) same(values []any) int {
	width := len(b.Columns)
	for row := width; row < len(values); row += width {
		if !slices.Equal(values[:b.Same], values[row:row+b.Same]) {
			return 0
		}
	}
	return b.Same
}

// Bulk runs the statement over all rows, whose values follow each other, and returns how many it changed. short, if not
// nil, is called with the rows of each chunk of which fewer were changed than it has.
func (tx *Tx) Bulk(b *Bulk, values []any, short func(from, to int) error) (int64, error) {
	width := len(b.Columns)
	total := int64(0)
	for from, rows := 0, len(values)/width; from < rows; {
		size := chunkSize(rows - from)
		args := values[from*width : (from+size)*width]
		same := b.same(args)
		if same > 0 {
			tx.w.args = append(tx.w.args[:0], args[:same]...)
			for row := range slices.Chunk(args, width) {
				tx.w.args = append(tx.w.args, row[same:]...)
			}
			args = tx.w.args
		}
		changed, err := tx.Exec(b.sized(tx.w.engine, size, same, false), args...)
		if err != nil {
			return total, err
		}
		total += changed
		if short != nil && changed < int64(size) {
			if err := short(from, from+size); err != nil {
				return total, err
			}
		}
		from += size
	}
	return total, nil
}

// Step is a Bulk with its rows, and Statement one statement of it. An exact step, which only a server can be sent
// (AtOnce), divides by zero if it does not change as many rows as it has.
type (
	Step struct {
		Bulk   *Bulk
		Values []any
		Exact  bool
	}
	Statement struct {
		Text string
		Args []any
	}
)

// Together runs steps one after the other and returns how many rows each changed. No step may need what another finds,
// because a server is sent all of them at once and answers once.
func (tx *Tx) Together(steps ...Step) (changed []int64, err error) {
	changed = make([]int64, len(steps))
	pipeline := tx.w.engine.Dialect().Pipeline
	var list []Statement
	var of []int // the step of each statement
	for n, step := range steps {
		if pipeline == nil {
			if changed[n], err = tx.Bulk(step.Bulk, step.Values, nil); err != nil {
				return nil, err
			}
			continue
		}
		for width := len(step.Bulk.Columns); len(step.Values) > 0; {
			size := chunkSize(len(step.Values) / width)
			list, of = append(list, Statement{step.Bulk.sized(tx.w.engine, size, 0, step.Exact), step.Values[:size*width]}), append(of, n)
			step.Values = step.Values[size*width:]
		}
	}
	if len(list) == 0 {
		return changed, nil
	}
	if err := tx.ctx.Err(); err != nil {
		return nil, err
	}
	rows, err := pipeline(tx.within, tx.w.conn, list)
	for n := range rows {
		changed[of[n]] += rows[n]
	}
	return changed, err
}

// chunkSize keeps the number of different statements small where it hardly matters: a few rows go in one statement,
// more of them in a full chunk or in a power of two.
func chunkSize(rows int) int {
	if rows >= Chunk {
		return Chunk
	}
	if rows <= exactRows {
		return rows
	}
	size := exactRows
	for size*2 <= rows {
		size *= 2
	}
	return size
}

// exactRows is the number of rows up to which there is a statement for every number.
const exactRows = 16

// Keys is a query over a list of keys, {keys} in its text. Its first parameter is the scope. Any, if set, asks whether
// the scope has anything of the kind at all: mostly it does not, and then the keys need not be looked up.
type Keys struct {
	Any   string
	Text  string
	sizes sync.Map // the text by the number of keys
}

func (s *Keys) sized(keys int) string {
	text, ok := s.sizes.Load(keys)
	if !ok {
		list := make([]string, keys)
		for n := range list {
			list[n] = "$" + strconv.Itoa(n+2)
		}
		text, _ = s.sizes.LoadOrStore(keys, strings.Replace(s.Text, "{keys}", strings.Join(list, ", "), 1))
	}
	return text.(string)
}

// Each runs the query over all keys, in lists of few different lengths. The last key is repeated to fill a list.
func (s *Keys) Each(ctx context.Context, r *Reader, scope string, keys []string, row func(*sql.Rows) error) error {
	if s.Any != "" && len(keys) > 0 {
		if some, err := All(r.Prepared(ctx), Column[int], s.Any, Plain(scope)); err != nil || len(some) == 0 {
			return err
		}
	}
	for len(keys) > 0 {
		size := 2 * Chunk
		for size/2 >= len(keys) {
			size /= 2
		}
		args := make([]any, size+1)
		args[0] = Plain(scope)
		taken := min(size, len(keys))
		for n := range size {
			args[n+1] = StoredKey(keys[min(n, taken-1)])
		}
		keys = keys[taken:]
		if err := Each(r.Prepared(ctx), row, s.sized(size), args...); err != nil {
			return err
		}
	}
	return nil
}
