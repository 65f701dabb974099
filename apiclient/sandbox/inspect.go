package sandbox

import (
	"context"
	"time"
)

// Request is a line of the request log. It was written in the same transaction as what the request did.
type Request struct {
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Operation Operation `json:"operation"`
	// Key is the number of a case, the name of a folder, or the id of what is updated; empty when it was not read.
	Key string `json:"key"`
	// Target is the id of what was made or changed.
	Target string `json:"target"`
	Acted  bool   `json:"acted"`
	// Status is the status of the true answer, 0 for a request that was dropped before. A fault may have replaced it.
	Status  int    `json:"status"`
	Fault   string `json:"fault"`
	Message string `json:"message"`
	session string
}

// RequestFilter chooses lines of the request log; its zero value chooses all.
type RequestFilter struct {
	Key   string // only those with this key
	After int64  // only those with a greater sequence number
	Limit int    // at most so many; 0 is no limit
}

// Requests gives lines of the request log in order.
func (s *Server) Requests(ctx context.Context, f RequestFilter) ([]Request, error) {
	var list []Request
	err := s.store.view(ctx, func(q querier) (err error) {
		list, err = requests(ctx, q, `where (?1 = '' or key = ?1) and seq > ?2 order by seq limit ?3`, f.Key, f.After, or(f.Limit, -1))
		return err
	})
	return list, err
}

func requests(ctx context.Context, q querier, rest string, args ...any) ([]Request, error) {
	rows, err := q.QueryContext(ctx, `select seq, at, operation, key, target, acted, status, fault, message from requests `+rest, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	list := []Request{}
	for rows.Next() {
		var r Request
		var at int64
		if err := rows.Scan(&r.Seq, &at, &r.Operation, &r.Key, &r.Target, &r.Acted, &r.Status, &r.Fault, &r.Message); err != nil {
			return nil, err
		}
		r.At = time.UnixMicro(at).UTC()
		list = append(list, r)
	}
	return list, rows.Err()
}

// Created tells how many cases were created with a number, by whichever operation and whatever their number is now.
func (s *Server) Created(ctx context.Context, number string) (int, error) {
	var n int
	err := s.store.view(ctx, func(q querier) error {
		return q.QueryRowContext(ctx, `select count(*) from cases where first_number = ?`, number).Scan(&n)
	})
	return n, err
}

// State counts what a sandbox holds.
type State struct {
	Cases      int64 `json:"cases"`
	Folders    int64 `json:"folders"`
	Trademarks int64 `json:"trademarks"` // that were updated at least once
	Goods      int64 `json:"goods_and_services"`
	Requests   int64 `json:"requests"`
	// Origins counts the cases by the operation that made them.
	Origins map[Operation]int64 `json:"cases_by_operation"`
	// Outcomes counts the request log.
	Outcomes []OutcomeCount `json:"outcomes"`
	// Repeated are the case numbers, folder names and goods and services entries that were created more than once, at
	// most RepeatedLimit of each.
	Repeated []Repeated `json:"repeated"`
}

// RepeatedLimit is how many repetitions of each kind State lists.
const RepeatedLimit = 100

// OutcomeCount counts requests of one operation that ended alike.
type OutcomeCount struct {
	Operation Operation `json:"operation"`
	Acted     bool      `json:"acted"`
	Status    int       `json:"status"`
	Fault     string    `json:"fault"`
	Count     int64     `json:"count"`
}

// Repeated is something that exists more than once. Kind is "case", "folder" or "goods_and_services"; Key is the number,
// the name, or trademark, language, search class and text, separated by " / ".
type Repeated struct {
	Kind  string `json:"kind"`
	Key   string `json:"key"`
	Count int64  `json:"count"`
}

// State counts what the sandbox holds. It reads everything, which takes seconds for millions of records.
func (s *Server) State(ctx context.Context) (State, error) {
	st := State{Origins: map[Operation]int64{}, Outcomes: []OutcomeCount{}, Repeated: []Repeated{}}
	err := s.store.view(ctx, func(q querier) error {
		counts, err := tally(ctx, q)
		if err != nil {
			return err
		}
		st.Cases, st.Folders, st.Trademarks, st.Goods, st.Requests = counts.Cases, counts.Folders, counts.Trademarks, counts.Goods, counts.Requests
		if err := st.readOrigins(ctx, q); err != nil {
			return err
		}
		if err := st.readOutcomes(ctx, q); err != nil {
			return err
		}
		return st.readRepeated(ctx, q)
	})
	return st, err
}

// tally counts the tables.
func tally(ctx context.Context, q querier) (State, error) {
	var st State
	err := q.QueryRowContext(ctx, `select (select count(*) from cases), (select count(*) from folders), (select count(*) from trademarks where updates > 0),
		(select count(*) from goods), (select count(*) from requests)`).Scan(&st.Cases, &st.Folders, &st.Trademarks, &st.Goods, &st.Requests)
	return st, err
}

func (st *State) readOrigins(ctx context.Context, q querier) error {
	return each(ctx, q, `select origin, count(*) from cases group by origin`, func(scan func(...any) error) error {
		var op Operation
		var n int64
		err := scan(&op, &n)
		st.Origins[op] = n
		return err
	})
}

func (st *State) readOutcomes(ctx context.Context, q querier) error {
	return each(ctx, q, `select operation, acted, status, fault, count(*) from requests group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
		func(scan func(...any) error) error {
			var o OutcomeCount
			err := scan(&o.Operation, &o.Acted, &o.Status, &o.Fault, &o.Count)
			st.Outcomes = append(st.Outcomes, o)
			return err
		})
}

func (st *State) readRepeated(ctx context.Context, q querier) error {
	for kind, query := range map[string]string{
		"case":   `select first_number, count(*) from cases group by 1 having count(*) > 1 order by 1 limit ?`,
		"folder": `select name, count(*) from folders group by 1 having count(*) > 1 order by 1 limit ?`,
		"goods_and_services": `select trademark || ' / ' || language || ' / ' || search_class || ' / ' || body, count(*) from goods
			group by 1 having count(*) > 1 order by 1 limit ?`,
	} {
		err := each(ctx, q, query, func(scan func(...any) error) error {
			r := Repeated{Kind: kind}
			err := scan(&r.Key, &r.Count)
			st.Repeated = append(st.Repeated, r)
			return err
		}, RepeatedLimit)
		if err != nil {
			return err
		}
	}
	return nil
}

// each runs a query and hands over its rows.
func each(ctx context.Context, q querier, query string, row func(scan func(...any) error) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
