package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Snapshot is everything that a sandbox holds, in an order that does not depend on when it came: cases by origin, first
// number and name, folders by name, trademarks by id, and then the request log. Ids that the sandbox gave are only in
// members named ID, and in Case.Folder; so the snapshots of two sandboxes can be compared once those are blanked.
type Snapshot struct {
	Cases      []Case    `json:"cases"`
	Folders    []Folder  `json:"folders"`
	Trademarks []Mark    `json:"trademarks"`
	Requests   []Request `json:"requests"`
}

// Request is a line of the request log, written in the same transaction as what the request did.
type Request struct {
	Seq       int64     `json:"seq"`
	At        time.Time `json:"at"`
	Operation Operation `json:"operation"`
	// Key is the number of a case, the name of a folder, or the id of the record to update; empty if it was not read.
	Key string `json:"key"`
	// Target is the id of what was created or changed.
	Target string `json:"target"`
	Acted  bool   `json:"acted"`
	// Status is the status of the true answer, 0 for a request that was dropped before acting. A fault may have
	// replaced it.
	Status  int    `json:"status"`
	Fault   string `json:"fault"`
	Message string `json:"message"`
	session string
}

func (t tx) insertRequest(r Request) error {
	err := t.exec(`insert into requests (seq, at, operation, key, target, acted, status, fault, message, session)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Seq, r.At.UnixMicro(), string(r.Operation), r.Key, r.Target, r.Acted, r.Status, r.Fault, r.Message, r.session)
	if err != nil {
		return fmt.Errorf("log request %d: %w", r.Seq, err)
	}
	return nil
}

// Snapshot reads everything into memory: it is meant for sandboxes of a test's size. It reads the lists one after the
// other, so they agree with each other only while nothing is sent.
func (s *Server) Snapshot() (Snapshot, error) {
	b, faults, q := Snapshot{}, [4]error{}, s.store.reader
	b.Cases, faults[0] = cases(q, `order by origin, first_number, name, seq`)
	b.Folders, faults[1] = folders(q, `order by name, seq`)
	b.Trademarks, faults[2] = marks(q, `order by id`)
	b.Requests, faults[3] = query(q, `select seq, at, operation, key, target, acted, status, fault, message from requests order by seq`, func(scan func(...any) error) (r Request, err error) {
		var at int64
		err = scan(&r.Seq, &at, &r.Operation, &r.Key, &r.Target, &r.Acted, &r.Status, &r.Fault, &r.Message)
		r.At = time.UnixMicro(at).UTC()
		return r, err
	})
	for _, m := range b.Trademarks {
		slices.SortStableFunc(m.Goods, func(a, b Goods) int {
			return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Text, b.Text))
		})
	}
	return b, errors.Join(faults[:]...)
}

// State counts what a sandbox holds.
type State struct {
	Cases      int64 `json:"cases"`
	Folders    int64 `json:"folders"`
	Trademarks int64 `json:"trademarks"` // those updated at least once
	Goods      int64 `json:"goods_and_services"`
	Requests   int64 `json:"requests"`
	// Origins counts the cases by the operation that created them.
	Origins map[Operation]int64 `json:"cases_by_operation"`
	// Outcomes counts the request log.
	Outcomes []outcomeCount `json:"outcomes"`
	// Repeated are the case numbers, folder names and goods and services entries that were created more than once, at
	// most a hundred of each.
	Repeated []Repeated `json:"repeated"`
}

// outcomeCount counts requests of one operation that ended in the same way.
type outcomeCount struct {
	Operation Operation `json:"operation"`
	Acted     bool      `json:"acted"`
	Status    int       `json:"status"`
	Fault     string    `json:"fault"`
	Count     int64     `json:"count"`
}

// Repeated is something that exists more than once. Kind is "case", "folder" or "goods_and_services". Key is the
// number, the name, or trademark, language, search class and text, separated by " / ".
type Repeated struct {
	Kind  string `json:"kind"`
	Key   string `json:"key"`
	Count int64  `json:"count"`
}

// State counts what the sandbox holds. It reads everything, which takes seconds for millions of records.
func (s *Server) State() (State, error) {
	st, q := State{Origins: map[Operation]int64{}}, s.store.reader
	counted := q.QueryRow(`select (select count(*) from cases), (select count(*) from folders), (select count(*) from trademarks where updates > 0),
		(select count(*) from goods), (select count(*) from requests)`).Scan(&st.Cases, &st.Folders, &st.Trademarks, &st.Goods, &st.Requests)
	origins := each(q, `select origin, count(*) from cases group by origin`, func(scan func(...any) error) error {
		var op Operation
		var n int64
		err := scan(&op, &n)
		st.Origins[op] = n
		return err
	})
	var outcomes, repeated error
	st.Outcomes, outcomes = query(q, `select operation, acted, status, fault, count(*) from requests group by 1, 2, 3, 4 order by 1, 2, 3, 4`, func(scan func(...any) error) (o outcomeCount, err error) {
		err = scan(&o.Operation, &o.Acted, &o.Status, &o.Fault, &o.Count)
		return o, err
	})
	st.Repeated, repeated = query(q, `
		select * from (select 'case', first_number as key, count(*) from cases group by 2 having count(*) > 1 order by 2 limit 100) union all
		select * from (select 'folder', name, count(*) from folders group by 2 having count(*) > 1 order by 2 limit 100) union all
		select * from (select 'goods_and_services', trademark || ' / ' || language || ' / ' || search_class || ' / ' || body, count(*) from goods
			group by 2 having count(*) > 1 order by 2 limit 100)`, func(scan func(...any) error) (r Repeated, err error) {
		err = scan(&r.Kind, &r.Key, &r.Count)
		return r, err
	})
	return st, errors.Join(counted, origins, outcomes, repeated)
}
