package page

import (
	"cmp"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

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
