package page

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// The data of a page comes in three kinds of chunks, so that it opens fast however many records there are. What the
// table shows and filters by is read at once; the text to search in, when somebody searches; the rest of a record, when
// somebody opens it.
const (
	indexChunk  = 2000 // records in a chunk of the table, and of the text to search in
	detailChunk = 200  // records in a chunk of details
)

// pageIndex is a chunk of the table, column by column.
type pageIndex struct {
	Seq     []int64    `json:"q"`
	Key     []string   `json:"k"`
	Name    []string   `json:"n"`
	Outcome []int      `json:"o"` // index into pageOutcomes
	Action  []int      `json:"a"` // index into pageActions
	Source  []int      `json:"s"` // of the first row, -1 for none
	Row     []int      `json:"r"` // number of the first row
	Rows    []int      `json:"m"` // how many rows
	Causes  [][]int    `json:"c"` // indexes into the causes and notes
	What    []string   `json:"w"` // what happened, in a line
	Tries   []int      `json:"t"`
	Settled []int64    `json:"e"` // milliseconds since the run began, -1 for never
	Facets  [][]string `json:"f"` // by facet
}

// pageDetail is the rest of a record.
type pageDetail struct {
	Rows     []any           `json:"r,omitempty"` // [source, number, cells]
	Blamed   [][]int         `json:"x,omitempty"` // [row by index, column]
	Fields   [][]any         `json:"f,omitempty"`
	Replaces bool            `json:"u,omitempty"` // there was a payload accepted before
	Body     [][]any         `json:"b,omitempty"`
	Reasons  []ledger.Reason `json:"y,omitempty"`
	Notes    []ledger.Reason `json:"z,omitempty"`
	ID       string          `json:"i,omitempty"`
	Message  string          `json:"g,omitempty"`
	Status   int             `json:"h,omitempty"`
	Attempts []any           `json:"t,omitempty"` // [number, milliseconds since the run began, duration in ms, status, verdict, error, answer]
}

var (
	pageOutcomes = slices.Concat(outcome.All, []outcome.Outcome{outcome.Planned, outcome.Sending, "other"})
	pageActions  = []ledger.Action{ledger.None, ledger.Create, ledger.Update}
)

// add adds a record to the chunk.
func (p *pageIndex) add(s *report.Summary, e report.Entry, name string, facets []string) {
	for n, value := range facets {
		if n == len(p.Facets) {
			p.Facets = append(p.Facets, nil)
		}
		p.Facets[n] = append(p.Facets[n], wording.Short(value, 120))
	}
	p.Seq = append(p.Seq, e.Seq)
	p.Key = append(p.Key, e.Key)
	if name == e.Key {
		name = ""
	}
	p.Name = append(p.Name, wording.Short(name, 120))
	p.Outcome = append(p.Outcome, outcomeIndex(outcome.Of(e.Record)))
	p.Action = append(p.Action, max(0, slices.Index(pageActions, e.Action)))
	source, row := -1, 0
	if len(e.Rows) > 0 {
		source, row = e.Rows[0].Source, e.Rows[0].Number
	}
	p.Source, p.Row, p.Rows = append(p.Source, source), append(p.Row, row), append(p.Rows, len(e.Rows))
	p.Causes = append(p.Causes, s.CausesOf(e.Record))
	what := cause.InShort(e.Record)
	if by := s.AcknowledgedBy(e.Record); by != "" {
		what = by + ": " + what
	}
	p.What = append(p.What, wording.Short(wording.UpperFirst(what), 200))
	p.Tries = append(p.Tries, e.Attempts)
	settled := int64(-1)
	if !e.Settled.IsZero() {
		settled = e.Settled.Sub(s.Run.Started).Milliseconds()
	}
	p.Settled = append(p.Settled, settled)
}

func newDetail(s *report.Summary, e report.Entry) (pageDetail, error) {
	d := pageDetail{Reasons: e.Reasons, Notes: e.Notes, ID: e.ServiceID, Message: e.Message, Status: e.Status, Replaces: len(e.Previous) > 0}
	for _, row := range e.Rows {
		d.Rows = append(d.Rows, []any{row.Source, row.Number, row.Cells})
	}
	for _, b := range cause.Blame(s.Run, e.Record) {
		if b.Column >= 0 {
			d.Blamed = append(d.Blamed, []int{b.Row, b.Column})
		}
	}
	for _, a := range e.Tries {
		d.Attempts = append(d.Attempts, []any{
			a.Number, a.Started.Sub(s.Run.Started).Milliseconds(), report.Milliseconds(a.Duration), a.Status, a.Verdict, a.Error, a.Answer,
		})
	}
	var err error
	if d.Fields, err = fields(s.Run.Operation, e.Payload, e.Previous); err != nil {
		return d, err
	}
	d.Body, err = fields(s.Run.Operation, e.Body, nil)
	return d, err
}

// searchText returns the text that a search looks in, on one line: the key, the name, the id, the cells and what
// happened.
func searchText(e report.Entry, name string, cells [][]table.Cell) string {
	var b strings.Builder
	put := func(text string) {
		if text != "" {
			b.WriteString(folded(text))
			b.WriteByte('\t')
		}
	}
	put(e.Key)
	put(name)
	put(e.ServiceID)
	for _, row := range cells {
		for _, c := range row {
			put(c.Text)
		}
	}
	put(cause.InShort(e.Record))
	return b.String()
}

// folded makes a text comparable without regard to case and accents, and puts it on one line. The page's script does
// the same to what is searched for.
func folded(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] < utf8.RuneSelf && text[i] >= ' '
	}
	if plain {
		return strings.ToLower(text)
	}
	mapped := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r < ' ' || r == '\u2028' || r == '\u2029':
			return ' '
		}
		return r
	}, norm.NFKD.String(text))
	return strings.ToLower(mapped)
}

// fields returns the values of a payload beside those of the previously accepted one: [path, new] for an unchanged
// value, [path, new, old] for a changed one, with null for none, and a further true if it stays in the service all the
// same.
func fields(operation string, now, before json.RawMessage) ([][]any, error) {
	changes, err := payload.Compare(payload.Operation(operation), before, now)
	list := make([][]any, len(changes))
	for n, c := range changes {
		list[n] = []any{c.Field, shown(c.New)}
		if !c.Same() {
			list[n] = append(list[n], shown(c.Old))
		}
		if c.Stays {
			list[n] = append(list[n], true)
		}
	}
	return list, err
}

// shown returns a text as a string and a literal as a list of one string, so that nothing turns a number into a float
// on the way to a person; nil for no value.
func shown(v *payload.Value) any {
	switch {
	case v == nil:
		return nil
	case v.Literal:
		return []string{v.Text}
	}
	return v.Text
}

// facet is a property by which people sort a firm's records: the client, or the office. Its value is what the row says
// in one column, because people know that; the payload only has ids.
type facet struct {
	Name string
	// named are the headers of columns that have it in words. If a source has none of them, the facet uses the column
	// that one of fields is read from, which holds its id (interface.md part 4), and otherwise a column in likely.
	named, fields, likely []string
}

var facets = []facet{
	{"Office", []string{"office", "trademark office", "ip office", "registry", "amt", "oficina", "ufficio"}, []string{"registry_id"}, []string{"jurisdiction", "country"}},
	{"Client", []string{"client", "client name", "mandant", "cliente"}, []string{"client_id", "file_client_id", "client_agent_id"},
		[]string{"client no", "client number", "customer", "owner", "titular"}},
}

// facetColumns returns the columns of a run's sources that hold the facets: by source and facet, -1 for none.
func facetColumns(run ledger.Run) [][]int {
	columns := make([][]int, len(run.Sources))
	for n, source := range run.Sources {
		for _, f := range facets {
			columns[n] = append(columns[n], f.column(source))
		}
	}
	return columns
}

func (f facet) column(source ledger.Source) int {
	if column := called(source, f.named); column >= 0 {
		return column
	}
	for _, field := range f.fields {
		if columns := source.ColumnsOf(field); len(columns) == 1 {
			return columns[0]
		}
	}
	return called(source, f.likely)
}

// called returns the column with the first of these names that the source has, -1 for none.
func called(source ledger.Source, names []string) int {
	for _, name := range names {
		if column := slices.IndexFunc(source.Header, func(header string) bool { return strings.Join(strings.Fields(folded(header)), " ") == name }); column >= 0 {
			return column
		}
	}
	return -1
}

// titleOf returns the name of a record. A rejected row has no payload, so its name comes from the columns that names
// are read from. It is "" if unknown.
func titleOf(run ledger.Run, r ledger.Record, cells [][]table.Cell) string {
	if name := cmp.Or(payload.Title(r.Payload), payload.Title(r.Previous)); name != "" || len(cells) == 0 {
		return name
	}
	source := wording.SourceOf(run, r.Rows[0].Source)
	for _, column := range source.ColumnsOf(payload.Operation(run.Operation).About().Title) {
		if column < len(cells[0]) && cells[0][column].Text != "" {
			return cells[0][column].Text
		}
	}
	return ""
}

// facetsOf returns the value of each facet in a record's first row; "" for none. A row that was not kept has none.
func facetsOf(columns [][]int, rows []ledger.Row, cells [][]table.Cell) []string {
	values := make([]string, len(facets))
	if len(rows) == 0 || rows[0].Source < 0 || rows[0].Source >= len(columns) {
		return values
	}
	for n, column := range columns[rows[0].Source] {
		if column >= 0 && column < len(cells[0]) {
			values[n] = strings.TrimSpace(cells[0][column].Text)
		}
	}
	return values
}
