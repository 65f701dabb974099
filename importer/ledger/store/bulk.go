package store

import (
	"database/sql"
	"strings"
	"sync"
)

// chunk is how many rows one statement carries at the most. Fifty is where SQLite is fastest; the text of a statement
// with more takes longer to run than it saves.
const chunk = 50

// Bulk is a statement over many rows of parameters: {rows} in its text becomes their list. The columns' types are
// given for the first row, from which PostgreSQL takes those of the others; "" where the place of the values says it.
type Bulk struct {
	Text    string
	Columns []string

	mu    sync.Mutex
	texts map[bulkSize]string
}

type bulkSize struct {
	rows     int
	numbered bool
}

// sized is the text for so many rows.
func (b *Bulk) sized(e Engine, rows int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := bulkSize{rows, e.Param(1) != e.Param(2)}
	if text, ok := b.texts[size]; ok {
		return text
	}
	if b.texts == nil {
		b.texts = map[bulkSize]string{}
	}
	text := strings.Replace(b.Text, "{rows}", b.list(e, rows), 1)
	b.texts[size] = text
	return text
}

func (b *Bulk) list(e Engine, rows int) string {
	var list strings.Builder
	n := 0
	for row := range rows {
		if row > 0 {
			list.WriteString(", ")
		}
		list.WriteByte('(')
		for column, kind := range b.Columns {
			if column > 0 {
				list.WriteString(", ")
			}
			n++
			if row == 0 && kind != "" {
				list.WriteString("cast(" + e.Param(n) + " as " + kind + ")")
			} else {
				list.WriteString(e.Param(n))
			}
		}
		list.WriteByte(')')
	}
	return list.String()
}

// Bulk runs the statement over all rows, whose values stand one behind the other, and says how many it changed. after,
// when not nil, is called with the rows of each chunk that changed fewer than it holds.
func (tx *Tx) Bulk(b *Bulk, values []any, short func(from, to int) error) (int64, error) {
	width := len(b.Columns)
	total := int64(0)
	for from, rows := 0, len(values)/width; from < rows; {
		size := chunkSize(rows - from)
		changed, err := tx.Exec(b.sized(tx.w.engine, size), values[from*width:(from+size)*width]...)
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

// BulkRows runs a query over all rows of values, and calls each for what it reads.
func (tx *Tx) BulkRows(b *Bulk, values []any, each func(*sql.Rows) error) error {
	for width := len(b.Columns); len(values) > 0; {
		size := chunkSize(len(values) / width)
		rows, err := tx.Query(b.sized(tx.w.engine, size), values[:size*width]...)
		if err != nil {
			return err
		}
		if _, err := Collect(rows, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, each(rows) }); err != nil {
			return err
		}
		values = values[size*width:]
	}
	return nil
}

// chunkSize keeps the number of different statements small where it hardly matters: a few rows go in one statement, more
// of them in a full chunk or in as many as a power of two.
func chunkSize(rows int) int {
	if rows >= chunk {
		return chunk
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

// exactRows is up to how many rows there is a statement for every number of them.
const exactRows = 16
