package mapping

import (
	"encoding/json"
	"fmt"
	"testing"

	"docketsync/mapping/table"
)

func TestExplainShowsWhereEachValueComesFrom(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: Filed\nnotes: {columns: [A, B, A]}\nstatus: {expr: 'upper(row[\"A\"])'}\ndo_not_create_file: {value: true}\n"+
		"good_and_services: {split: {column: C}, item: {language_id: {value: "+idOne+"}, search_class_id: {lookup: classes}}}", goodsLookups), "Ref, Filed, A, B, C")
	data, err := json.Marshal(m.Explain([]table.Row{{Number: 7, Cells: []table.Cell{{Kind: table.Text, Text: "R1"}, {Kind: table.Date, Text: "2024-02-30"}, {Kind: table.Text, Text: "a"}, {}, {Kind: table.Text, Text: "9: x"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(data),
		`{"field":"key","from":"column","cells":[{"column":"Ref","cell":"A7","content":"R1"}],"value":"R1"}`,
		`{"field":"registry_id","from":"constant","value":"`+idTwo+`"}`,
		`{"field":"application_date","from":"column","cells":[{"column":"Filed","cell":"B7","content":{"d":"2024-02-30"}}],"reasons":[{"code":"date_impossible"`,
		`{"field":"status","from":"expression","cells":[{"column":"A","cell":"C7","content":"a"}],"expression":"upper(row[\"A\"])","value":"A"}`,
		`{"field":"good_and_services","from":"entries","cells":[{"column":"C","cell":"E7","content":"9: x"}],"value":[{"id":null`,
		`{"field":"notes","from":"columns","cells":[{"column":"A","cell":"C7","content":"a"},{"column":"B","cell":"D7","content":null}],"value":"a a"}`)
	same(t, len(m.Explain(nil)), 0)
}

func TestExplainNamesWhatALookupFound(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("status: {column: Status, values: {R: Registered}, default: Unknown}\nnotes: {column: Notes, default: none}\n"+
		"client_agent_id: {column: Agent, lookup: agents}\n"+
		"good_and_services: {split: {column: C}, item: {language_id: {value: ENGLISH, lookup: languages}, search_class_id: {lookup: classes}}}",
		"lookups: {agents: {inline: {Società Rossi: "+idOne+"}}, languages: {inline: {English: "+idTwo+"}}, classes: {inline: {Class 9: "+idOne+"}}}"),
		"Ref, Status, Notes, Agent, C")
	steps := map[string]Step{}
	for _, s := range m.Explain([]table.Row{textRow(7, "R1", "X", "", "SOCIETA  rossi", "009: x")}) {
		steps[s.Field] = s
		for _, part := range s.Parts {
			steps[part.Field] = part
		}
	}
	same(t, steps["status"].Default, true)
	same(t, steps["notes"].Default, true)
	same(t, string(steps["notes"].Value), `"none"`)
	same(t, steps["client_agent_id"].Lookup+": "+steps["client_agent_id"].Name, "agents: Società Rossi")
	same(t, steps["good_and_services.search_class_id"].Name, "Class 9")
	same(t, steps["good_and_services.search_class_id"].Cells[0].Cell, "E7")
	same(t, steps["good_and_services.language_id"].Name, "English")
	same(t, steps["good_and_services.id"].From, "nothing")
	for _, s := range m.Explain([]table.Row{textRow(8, "R1", "R", "n", "Rossi", "")}) {
		steps[s.Field] = s
	}
	same(t, steps["status"].Default, false)
	same(t, steps["notes"].Default, false)
	same(t, len(steps["client_agent_id"].Reasons), 1)
	for _, s := range m.Explain([]table.Row{textRow(9, "R1", "R", "n", "", "99: x")}) {
		if s.Field == "good_and_services" {
			part := s.Parts[len(s.Parts)-1]
			same(t, part.Field+": "+part.Reasons[0].Code, "good_and_services.search_class_id: lookup_unknown")
		}
	}
}

func TestTwinKeys(t *testing.T) {
	t.Parallel()
	for _, twins := range [][2]string{{"TM-007", "tm 7"}, {"A/0100", "a0100"}, {"Ñu 1", "NU1"}, {"000", "0"}, {"TM007/010", "tm7/10"}, {"ТM-1", "TM-1"}, {"ΤΜ-1", "tm 1"}} {
		same(t, table.TwinKey(twins[0]), table.TwinKey(twins[1]))
	}
	for _, others := range [][2]string{{"TM-70", "TM-7"}, {"100", "10"}, {"A1", "B1"}, {"0", ""}, {"TM 7", "TM 71"}, {"Ж1", "Z1"}} {
		if table.TwinKey(others[0]) == table.TwinKey(others[1]) {
			t.Errorf("%q and %q are taken for twins: %s", others[0], others[1], fmt.Sprint(table.TwinKey(others[0])))
		}
	}
}
