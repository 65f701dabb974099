package planfile

import (
	"encoding/json"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// TestNamesOfIDs finds the name only where one column gave the id, and all rows agree on it.
func TestNamesOfIDs(t *testing.T) {
	t.Parallel()
	run := ledger.Run{Sources: []ledger.Source{{Origins: []ledger.Origin{
		{Field: "user_id", Type: string(payload.TypeGUID), Lookup: "users", Columns: []int{1}}, {Field: "name", Type: "text", Columns: []int{0}},
		{Field: "client_id", Type: string(payload.TypeGUID), Columns: []int{1}}, {Field: "others", Type: string(payload.TypeGUIDs), Lookup: "users", Columns: []int{1}},
	}}}}
	row := func(texts ...string) ledger.Row {
		var cells []table.Cell
		for _, text := range texts {
			cells = append(cells, table.Cell{Kind: table.Text, Text: text})
		}
		kept, err := json.Marshal(cells)
		if err != nil {
			t.Fatal(err)
		}
		return ledger.Row{Cells: kept}
	}
	id := &payload.Value{Text: "7b4a78ea-edbd-5e59-97ce-fb39c3302daa"}
	for name, test := range map[string]struct {
		field string
		rows  []ledger.Row
		want  string
	}{
		"one row":             {"user_id", []ledger.Row{row("Acme", " Ann Lee ")}, "Ann Lee"},
		"rows that agree":     {"user_id", []ledger.Row{row("Acme", "Ann Lee"), row("Beta", "Ann Lee")}, "Ann Lee"},
		"rows that do not":    {"user_id", []ledger.Row{row("Acme", "Ann Lee"), row("Beta", "Bo Ray")}, ""},
		"an empty cell":       {"user_id", []ledger.Row{row("Acme", "")}, ""},
		"a short row":         {"user_id", []ledger.Row{row("Acme")}, ""},
		"cells not kept":      {"user_id", []ledger.Row{{}}, ""},
		"no longer in a file": {"user_id", nil, ""},
		"not looked up":       {"client_id", []ledger.Row{row("Acme", "Ann Lee")}, ""},
		"several ids":         {"others", []ledger.Row{row("Acme", "Ann Lee")}, ""},
		"no id":               {"name", []ledger.Row{row("Acme", "Ann Lee")}, ""},
	} {
		if got := Named(run, ledger.Record{Rows: test.rows}, []payload.Change{{Field: test.field, New: id}}); got[0].Name != test.want {
			t.Errorf("%s: %q, want %q", name, got[0].Name, test.want)
		}
	}
}
