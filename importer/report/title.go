package report

import (
	"cmp"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// titles finds what a record is called. A payload says it (name, or mark_text); a rejected row has no payload, so its
// name is taken from the column in which, among the first records that have one, the name was found.
type titles struct {
	votes map[int]map[int]int // source → column → how often its cell was the name
	seen  int
}

// titleSample is how many records with a payload are looked at.
const titleSample = 100

// learn looks at a record for the column that holds the name.
func (t *titles) learn(r ledger.Record) {
	if t.seen >= titleSample || len(r.Rows) == 0 || len(r.Rows[0].Cells) == 0 {
		return
	}
	name := payload.Title(r.Payload)
	if name == "" {
		return
	}
	t.seen++
	cells, err := table.StoredCells(r.Rows[0].Cells)
	if err != nil {
		return
	}
	for column, c := range cells {
		if c.Text != name {
			continue
		}
		source := r.Rows[0].Source
		if t.votes == nil {
			t.votes = map[int]map[int]int{}
		}
		if t.votes[source] == nil {
			t.votes[source] = map[int]int{}
		}
		t.votes[source][column]++
	}
}

// Of is what the record is called, "" when nobody knows.
func (t *titles) Of(r ledger.Record, cells [][]table.Cell) string {
	if name := cmp.Or(payload.Title(r.Payload), payload.Title(r.Previous)); name != "" {
		return name
	}
	if len(cells) == 0 {
		return ""
	}
	best, most := -1, 0
	for column, votes := range t.votes[r.Rows[0].Source] {
		if votes > most || votes == most && column < best {
			best, most = column, votes
		}
	}
	if best < 0 || best >= len(cells[0]) {
		return ""
	}
	return cells[0][best].Text
}
