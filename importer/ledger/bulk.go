package ledger

import (
	"database/sql"
	"strings"
	"sync"
)

// chunk is how many rows one statement carries at the most. Fifty is where SQLite is fastest; the text of a statement
// with more takes longer to run than it saves.
const chunk = 50

// bulk is a statement over many rows of parameters: {rows} in its text becomes their list. The columns' types are
// given for the first row, from which PostgreSQL takes those of the others; "" where the place of the values says it.
type bulk struct {
	text    string
	columns []string

	mu    sync.Mutex
	texts map[bulkSize]string
}

type bulkSize struct {
	rows     int
	numbered bool
}

// sized is the text for so many rows.
func (b *bulk) sized(e engine, rows int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := bulkSize{rows, e.param(1) != e.param(2)}
	if text, ok := b.texts[size]; ok {
		return text
	}
	if b.texts == nil {
		b.texts = map[bulkSize]string{}
	}
	text := strings.Replace(b.text, "{rows}", b.list(e, rows), 1)
	b.texts[size] = text
	return text
}

func (b *bulk) list(e engine, rows int) string {
	var list strings.Builder
	n := 0
	for row := range rows {
		if row > 0 {
			list.WriteString(", ")
		}
		list.WriteByte('(')
		for column, kind := range b.columns {
			if column > 0 {
				list.WriteString(", ")
			}
			n++
			if row == 0 && kind != "" {
				list.WriteString("cast(" + e.param(n) + " as " + kind + ")")
			} else {
				list.WriteString(e.param(n))
			}
		}
		list.WriteByte(')')
	}
	return list.String()
}

// bulk runs the statement over all rows, whose values stand one behind the other, and says how many it changed. after,
// when not nil, is called with the rows of each chunk that changed fewer than it holds.
func (tx *transaction) bulk(b *bulk, values []any, short func(from, to int) error) (int64, error) {
	width := len(b.columns)
	total := int64(0)
	for from, rows := 0, len(values)/width; from < rows; {
		size := chunkSize(rows - from)
		changed, err := tx.exec(b.sized(tx.w.engine, size), values[from*width:(from+size)*width]...)
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

// bulkRows runs a query over all rows of values, and calls each for what it reads.
func (tx *transaction) bulkRows(b *bulk, values []any, each func(*sql.Rows) error) error {
	for width := len(b.columns); len(values) > 0; {
		size := chunkSize(len(values) / width)
		rows, err := tx.query(b.sized(tx.w.engine, size), values[:size*width]...)
		if err != nil {
			return err
		}
		if _, err := collect(rows, func(rows *sql.Rows) (struct{}, error) { return struct{}{}, each(rows) }); err != nil {
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
