package mapping

import (
	"maps"
	"testing"
)

func TestFieldsOfOneColumnAreTaken(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: Filed\nnotes: {columns: [A, B]}\nstatus: {expr: 'upper(row[\"A\"])'}\ndo_not_create_file: {value: true}\n"+
		"client_agent_id: {column: Agent, lookup: agents}\n"+
		"good_and_services: {split: {column: C}, item: {language_id: {value: "+idOne+"}, search_class_id: {lookup: classes}}}",
		"lookups: {agents: {inline: {Rossi: "+idOne+"}}, classes: {inline: {Class 9: "+idOne+"}}}"), "Agent, Ref, Filed, A, B, C")
	want := map[string]int{"client_agent_id": 0, "application_date": 2}
	got := m.Taken()
	maps.DeleteFunc(got, func(field string, column int) bool { return column == 1 }) // what all marks of these tests take from Ref
	if !maps.Equal(got, want) {
		t.Errorf("taken: %v, want %v", got, want)
	}
}
