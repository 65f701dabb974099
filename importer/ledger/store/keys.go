package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
)

// Keys is a query over a list of keys, {keys} in its text. Its first parameter is the scope.
type Keys struct {
	Text  string
	mu    sync.Mutex
	sizes map[int]string
}

func (s *Keys) sized(keys int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.sizes[keys]; ok {
		return text
	}
	var list strings.Builder
	for n := range keys {
		if n > 0 {
			list.WriteString(", ")
		}
		list.WriteString("$" + strconv.Itoa(n+2))
	}
	if s.sizes == nil {
		s.sizes = map[int]string{}
	}
	s.sizes[keys] = strings.Replace(s.Text, "{keys}", list.String(), 1)
	return s.sizes[keys]
}

// Each runs the query over all keys, in lists of few different lengths; the last key fills a list up.
func (s *Keys) Each(ctx context.Context, r *Reader, scope string, keys []string, row func(*sql.Rows) error) error {
	for len(keys) > 0 {
		size := 2 * chunk
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
		if err := s.run(ctx, r, s.sized(size), args, row); err != nil {
			return err
		}
	}
	return nil
}

func (s *Keys) run(ctx context.Context, r *Reader, text string, args []any, row func(*sql.Rows) error) error {
	statement, err := r.Statement(ctx, text)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
