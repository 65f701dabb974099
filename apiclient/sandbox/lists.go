package sandbox

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// list is a page of GET /v1/lists/{kind}, an addition of the sandbox.
type list struct {
	Total int64 `json:"total"`
	Skip  int64 `json:"skip"`
	Take  int64 `json:"take"`
	Items any   `json:"items"`
}

const (
	defaultTake = 100
	mostTake    = 1000
)

// window is the part of a list that is asked for. Key keeps only the records with that number or name.
type window struct {
	skip, take int64
	key        string
}

// lists answers GET /v1/lists/{kind}?skip=&take=, with key and cookie. Files can be asked for by ?number=, trademarks by
// ?number= (of the application), folders by ?name=, so that a caller can look whether a record is there. Faults strike
// here, and a cookie is used up, only with Faults.Lists; but one that is used up is refused in any case.
func (s *Server) lists(w http.ResponseWriter, r *http.Request) {
	q := &request{control: s.control.Load()}
	uses := 0
	if q.control.faults.Lists {
		uses, q.fate = 1, q.control.faults.fate(s.listSeq.Add(1))
	}
	a := s.beforeList(r, q, w.Header(), uses)
	if a == nil {
		page := s.listPage(r)
		a = &page
	}
	s.linger(r.Context(), q.fate.slowAfter)
	a.spoil(w, q.fate)
}

// beforeList is the answer to a request for a list that does not get as far as the list; nil lets it go on.
func (s *Server) beforeList(r *http.Request, q *request, h http.Header, uses int) *answer {
	if q.control.faults.Lists {
		if s.overRate(q.control, h) {
			q.fate = noFate
			a := refusal(http.StatusTooManyRequests, "", "too many requests")
			return &a
		}
		if a := s.before(r.Context(), q, h); a != nil {
			return a
		}
	}
	visitor, refused := s.gate.admit(r.Header, true)
	if refused == nil {
		refused = s.gate.spend(visitor, uses, q.control.faults.CookieAfter)
	}
	return refused
}

func (s *Server) listPage(r *http.Request) answer {
	var wrong reasons
	at := window{skip: wrong.number(r, "skip", 0, 1<<40), take: wrong.number(r, "take", defaultTake, mostTake)}
	if len(wrong.list) > 0 {
		return invalid(wrong.list)
	}
	l, err := s.list(r.Context(), r.PathValue("kind"), r.URL.Query(), at)
	switch {
	case errors.Is(err, errNoList):
		return refusal(http.StatusNotFound, "", "there is no list %s", quoted(r.PathValue("kind")))
	case err != nil:
		return refusal(http.StatusInternalServerError, "", "the sandbox cannot read its data: %v", err)
	}
	l.Skip, l.Take = at.skip, at.take
	return answer{status: http.StatusOK, body: l}
}

// errNoList is what list gives for a kind that there is not.
var errNoList = errors.New("no such list")

func (s *Server) list(ctx context.Context, kind string, query url.Values, at window) (list, error) {
	switch kind {
	case "files":
		at.key = query.Get("number")
		return s.fileList(ctx, at)
	case "folders":
		at.key = query.Get("name")
		return s.folderList(ctx, at)
	case "trademarks":
		at.key = query.Get("number")
		return s.trademarkList(ctx, at)
	}
	records, known := s.index.list(kind)
	if !known {
		return list{}, errNoList
	}
	return cut(records, at), nil
}

func (r *reasons) number(q *http.Request, name string, fallback, most int64) int64 {
	text := q.URL.Query().Get(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		r.add(name, "must be a whole number from 0 to %d, not %s", most, quoted(text))
	}
	return n
}

// list gives a list of the directory, in its order.
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

func cut(records []any, at window) list {
	total := int64(len(records))
	from := min(at.skip, total)
	return list{Total: total, Items: records[from:min(from+at.take, total)]}
}

// listedFile is a case in a list: the record with the id of its folder instead of the folder.
type listedFile struct {
	caseRecord
	Folder string `json:"folder_id"`
}

func (s *Server) fileList(ctx context.Context, at window) (list, error) {
	l := list{Items: []any{}}
	err := s.store.view(ctx, func(q querier) error {
		if err := q.QueryRowContext(ctx, `select count(*) from cases`+where(at.key, "number"), keyArgs(at.key)...).Scan(&l.Total); err != nil {
			return err
		}
		rows, err := cases(q, where(at.key, "number")+` order by seq limit ? offset ?`, append(keyArgs(at.key), at.take, at.skip)...)
		l.Items = listed(rows, func(r caseRow) any { return listedFile{caseRecord: s.caseRecord(r, nil), Folder: r.Folder} })
		return err
	})
	return l, err
}

// where keeps the condition apart from the lists without one, so that each uses its index.
func where(key, column string) string {
	if key == "" {
		return ""
	}
	return " where " + column + " = ?"
}

func keyArgs(key string) []any {
	if key == "" {
		return nil
	}
	return []any{key}
}

// listedFolder is a folder in a list: without its files, whose number stands instead.
type listedFolder struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	ClientID string `json:"client_id"`
	Files    int64  `json:"file_count"`
}

func (s *Server) folderList(ctx context.Context, at window) (list, error) {
	l, folders := list{}, []listedFolder{}
	err := s.store.view(ctx, func(q querier) error {
		if err := q.QueryRowContext(ctx, `select count(*) from folders`+where(at.key, "name"), keyArgs(at.key)...).Scan(&l.Total); err != nil {
			return err
		}
		return each(ctx, q, `select id, name, client, (select count(*) from cases where folder = folders.id and folder <> '') from folders`+
			where(at.key, "name")+` order by seq limit ? offset ?`, func(scan func(...any) error) error {
			var f listedFolder
			err := scan(&f.ID, &f.Name, &f.ClientID, &f.Files)
			folders = append(folders, f)
			return err
		}, append(keyArgs(at.key), at.take, at.skip)...)
	})
	l.Items = folders
	return l, err
}
