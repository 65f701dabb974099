package sandbox

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// rowsPerPage is how many rows the page shows at once.
const rowsPerPage = 50

// view is what the page shows.
type view struct {
	Counts     State
	Tabs       []tab
	Title      string
	Columns    []string
	Rows       [][]string
	From, To   int64
	Total      int64
	Newer      string // address, empty at the start
	Older      string // address, empty at the end
	Faults     string
	Now        string
	LocalPaths Paths
}

type tab struct {
	Name, Address string
	Count         int64
	Current       bool
}

// page answers GET /: an addition of the sandbox that lists what it holds, the newest first.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	shown := or(r.URL.Query().Get("list"), "cases")
	skip, _ := strconv.ParseInt(r.URL.Query().Get("skip"), 10, 64)
	v, err := s.viewOf(r.Context(), shown, max(0, skip))
	if err != nil {
		http.Error(w, "The sandbox cannot read its data: "+err.Error(), http.StatusInternalServerError)
		return
	}
	if v.Columns == nil {
		http.Error(w, "There is no such list. Go back to /.", http.StatusNotFound)
		return
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = w.Write(b.Bytes())
}

func (s *Server) viewOf(ctx context.Context, shown string, skip int64) (view, error) {
	v := view{Faults: s.Faults().String(), Now: s.now().Format(time.DateTime), LocalPaths: s.options.Paths}
	err := s.store.view(ctx, func(q querier) (err error) {
		if v.Counts, err = tally(ctx, q); err != nil {
			return err
		}
		v.addTabs(shown)
		table, known := tables[shown]
		if !known {
			return nil
		}
		v.Columns = table.columns
		return each(ctx, q, table.query+` limit ? offset ?`, func(scan func(...any) error) error {
			row, err := s.scanRow(scan, table)
			v.Rows = append(v.Rows, row)
			return err
		}, rowsPerPage, skip)
	})
	v.addPaging(shown, skip)
	return v, err
}

func (v *view) addTabs(shown string) {
	for _, t := range []tab{
		{Name: "Cases", Address: "cases", Count: v.Counts.Cases}, {Name: "Folders", Address: "folders", Count: v.Counts.Folders},
		{Name: "Trademarks", Address: "trademarks", Count: v.Counts.Trademarks}, {Name: "Goods and services", Address: "goods", Count: v.Counts.Goods},
		{Name: "Requests", Address: "requests", Count: v.Counts.Requests},
	} {
		if t.Current = t.Address == shown; t.Current {
			v.Title, v.Total = t.Name, t.Count
		}
		t.Address = "/?list=" + t.Address
		v.Tabs = append(v.Tabs, t)
	}
}

func (v *view) addPaging(shown string, skip int64) {
	v.To = skip + int64(len(v.Rows))
	v.From = min(skip+1, v.To)
	if skip > 0 {
		v.Newer = "/?list=" + shown + "&skip=" + strconv.FormatInt(max(0, skip-rowsPerPage), 10)
	}
	if v.To < v.Total {
		v.Older = "/?list=" + shown + "&skip=" + strconv.FormatInt(v.To, 10)
	}
}

// table says how a list is read and which of its columns hold ids of the directory.
type table struct {
	columns []string
	query   string
	name    map[int]func(*index, string) string
}

var tables = map[string]table{
	"cases": {
		columns: []string{"Number", "Name", "Status", "Owner", "Client", "Active", "Made by", "At", "Id"},
		query: `select number, name, status, owner, client, iif(active, 'yes', 'no'), origin, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000000, 'unixepoch'), id
			from cases order by seq desc`,
		name: map[int]func(*index, string) string{2: (*index).statusName, 3: (*index).userName, 4: (*index).companyName},
	},
	"folders": {
		columns: []string{"Name", "Client", "Files", "At", "Id"},
		query: `select name, client, cast((select count(*) from cases where folder = folders.id and folder <> '') as text),
			strftime('%Y-%m-%d %H:%M:%S', created_at / 1000000, 'unixepoch'), id from folders order by seq desc`,
		name: map[int]func(*index, string) string{1: (*index).companyName},
	},
	"trademarks": {
		columns: []string{"Mark", "Application", "Registry", "Updates", "Goods and services", "Last at", "Id"},
		query: `select mark_text, number, registry, cast(updates as text), cast((select count(*) from goods where trademark = trademarks.id) as text),
			strftime('%Y-%m-%d %H:%M:%S', updated_at / 1000000, 'unixepoch'), id from trademarks where updates > 0 order by updated_at desc, seq`,
		name: map[int]func(*index, string) string{2: (*index).registryName},
	},
	"goods": {
		columns: []string{"Class", "Language", "Text", "Trademark", "Id"},
		query:   `select search_class, language, body, trademark, id from goods order by seq desc`,
		name:    map[int]func(*index, string) string{0: (*index).className, 1: (*index).languageName},
	},
	"requests": {
		columns: []string{"No.", "At", "Operation", "Key", "Acted", "Status", "Fault", "Message"},
		query: `select cast(seq as text), strftime('%Y-%m-%d %H:%M:%S', at / 1000000, 'unixepoch'), operation, key, iif(acted, 'yes', 'no'),
			cast(status as text), fault, message from requests order by seq desc`,
	},
}

func (s *Server) scanRow(scan func(...any) error, t table) ([]string, error) {
	row := make([]string, len(t.columns))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	if err := scan(into...); err != nil {
		return nil, err
	}
	for i, name := range t.name {
		row[i] = or(name(s.index, row[i]), row[i])
	}
	return row, nil
}

func (x *index) statusName(id string) string { return x.statusRecord(id).Name }

func (x *index) companyName(id string) string { return x.clientRecord(id).Name }

func (x *index) userName(id string) string {
	u := x.userRecord(id)
	return or(u.UserName, id)
}

func (x *index) registryName(id string) string { return nameIn(x.directory.Registries, id) }

func (x *index) className(id string) string { return nameIn(x.directory.SearchClasses, id) }

func (x *index) languageName(id string) string { return nameIn(x.directory.Languages, id) }

func nameIn(list []Named, id string) string {
	for _, n := range list {
		if n.ID == id {
			return n.Name
		}
	}
	return ""
}
