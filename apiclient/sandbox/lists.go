package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// list is a page of GET /v1/lists/{kind}, an addition of the sandbox.
type list struct {
	Total int64 `json:"total"`
	Skip  int64 `json:"skip"`
	Take  int64 `json:"take"`
	Items any   `json:"items"`
}

// fill cuts the page out of the complete list.
func (l *list) fill(records []any) {
	l.Total = int64(len(records))
	from := min(l.Skip, l.Total)
	l.Items = records[from:min(from+l.Take, l.Total)]
}

// lists answers GET /v1/lists/{kind}?skip=&take=, with key and cookie. Files can be selected by ?number=, trademarks by
// ?number= (of the application), folders by ?name=, so that a caller can see whether a record exists. Only with
// Faults.Lists do faults strike here and requests use up a cookie; but a used-up cookie is always refused.
func (s *Server) lists(w http.ResponseWriter, r *http.Request) {
	q, uses := &request{behaviour: s.behaviour.Load()}, uint(0)
	if q.behaviour.faults.Lists {
		uses, q.fate = 1, q.behaviour.faults.fate(s.listSeq.Add(1))
	}
	_, a := s.enter(q, w.Header(), r, uses, true)
	if a == nil {
		a = s.listPage(r)
	}
	s.wait(r.Context(), q.fate.slowAfter, r.Context().Done())
	a.spoil(w, q.fate)
}

func (s *Server) listPage(r *http.Request) *answer {
	var wrong reasons
	query := r.URL.Query()
	l := list{Skip: wrong.number(query, "skip", 0, 1<<40), Take: wrong.number(query, "take", 100, 1000)}
	if len(wrong.list) > 0 {
		return invalid(wrong.list)
	}
	kind := r.PathValue("kind")
	if n := slices.IndexFunc(operations, func(op operation) bool { return op.list != "" && op.list == kind }); n >= 0 {
		if err := operations[n].page(s, &l, query); err != nil {
			return refusal(http.StatusInternalServerError, "", "the sandbox cannot read its data: %v", err)
		}
		return &answer{status: http.StatusOK, body: l}
	}
	records, known := s.index.list(kind)
	if !known {
		return refusal(http.StatusNotFound, "", "there is no list %s", quoted(kind))
	}
	l.fill(records)
	return &answer{status: http.StatusOK, body: l}
}

// stored reads a page of a table. If key is not empty, it reads only the records whose column equals it.
func stored[T any](s *Server, l *list, table, column, key string, read func(q querier, rest string, args ...any) ([]T, error)) error {
	where, args := "", []any{}
	if key != "" { // separate queries, so that each uses its index
		where, args = ` where `+column+` = ?`, []any{key}
	}
	if err := s.store.reader.QueryRow(`select count(*) from `+table+where, args...).Scan(&l.Total); err != nil {
		return err
	}
	records, err := read(s.store.reader, where+` order by seq limit ? offset ?`, append(args, l.Take, l.Skip)...)
	l.Items = records
	return err
}

func (r *reasons) number(query url.Values, name string, fallback, most int64) int64 {
	text := query.Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		r.add(name, "must be a whole number from 0 to %d, not %s", most, quoted(text))
	}
	return n
}

// list returns a list of the directory, in its order.
func (x *index) list(kind string) ([]any, bool) {
	d := x.directory
	switch kind {
	case "users":
		return listed(d.Users, func(u User) any { return x.userRecord(u.ID) }), true
	case "companies":
		return listed(d.Companies, func(c Company) any { return c }), true
	case "templates":
		return listed(d.Templates, func(t Template) any { return x.templateRecord(t.ID) }), true
	case "statuses":
		return listed(d.Statuses, func(s Status) any { return x.statusRecord(s.ID) }), true
	}
	named, known := d.named()[kind]
	if !known {
		return nil, false
	}
	return listed(*named, func(n Named) any { return n }), true
}

func listed[T any](records []T, show func(T) any) []any {
	shown := make([]any, 0, len(records))
	for _, r := range records {
		shown = append(shown, show(r))
	}
	return shown
}
