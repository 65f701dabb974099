package mapping_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping"
	"docketsync/mapping/table"
)

// TestOriginsSayWhichColumnsAFieldIsReadFrom has one of every way in which a field comes about.
func TestOriginsSayWhichColumnsAFieldIsReadFrom(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("marks.yaml", []byte(`operation: update_trademark
key: [Family, Ref]
lookups:
  offices: {inline: {EM: 3f2504e0-4f89-41d3-9a0c-0305e82c3301}}
  classes: {inline: {Class 9: 3f2504e0-4f89-41d3-9a0c-0305e82c3309, Class 35: 3f2504e0-4f89-41d3-9a0c-0305e82c3335}}
dates: [YYYY-MM-DD]
fields:
  id: Ref
  registry_id: {column: Office, lookup: offices}
  mark_text: Mark
  application_number: App No
  expiry_date: Expires
  notes: {expr: 'row["Mark"] + row["Office"]'}
  good_and_services:
    split: {column: Goods}
    item: {search_class_id: {lookup: classes}, language_id: {value: 3f2504e0-4f89-41d3-9a0c-0305e82c3302}, text: {}, id: null}
  do_not_create_file: {value: true}
`), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Family", "Office", "Mark", "App No", "Expires", "Goods", "Owner"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]table.Origin{}
	var order []string
	for _, o := range mapper.Origins() {
		order = append(order, o.Field)
		got[o.Field] = o
	}
	if order[0] != "key" || len(order) != 12 {
		t.Errorf("the fields are %q", order)
	}
	for _, want := range []table.Origin{
		{Field: "key", From: "columns", Type: "text", Columns: []int{1, 0}},
		{Field: "registry_id", From: "column", Type: "GUID", Columns: []int{2}, Lookup: "offices"},
		{Field: "expiry_date", From: "column", Type: "date", Columns: []int{5}},
		{Field: "notes", From: "expression", Type: "text", Columns: []int{3, 2}},
		{Field: "do_not_create_file", From: "constant", Type: "yes or no"},
		{Field: "good_and_services.text", From: "part", Type: "text", Columns: []int{6}},
		{Field: "good_and_services.search_class_id", From: "part", Type: "GUID", Columns: []int{6}, Lookup: "classes",
			Names: map[string]string{"3f2504e0-4f89-41d3-9a0c-0305e82c3309": "Class 9", "3f2504e0-4f89-41d3-9a0c-0305e82c3335": "Class 35"}},
	} {
		if diff := cmp.Diff(want, got[want.Field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Field, diff)
		}
	}
}

// TestOriginsNameComponentsByTheirIds lets a component of a payload be found again, and called what the mapping calls it.
func TestOriginsNameComponentsByTheirIds(t *testing.T) {
	t.Parallel()
	m, err := mapping.Parse("cases.yaml", []byte(`operation: update_case
key: Ref
lookups:
  parts: {inline: {Next deadline: 3f2504e0-4f89-41d3-9a0c-0305e82c3301}}
dates: [YYYY-MM-DD]
fields:
  id: Ref
  name: Title
  file_status_id: Status
  file_client_id: {value: null}
  user_id: Owner
  active: {value: true}
  components:
    lookup: parts
    items:
      Next deadline: {column: Due, type: date}
`), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Title", "Status", "Owner", "Due"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := table.Origin{Field: "components.3f2504e0-4f89-41d3-9a0c-0305e82c3301", Name: "Next deadline", From: "column", Type: "date", Columns: []int{4}}
	for _, o := range mapper.Origins() {
		if o.Name == "Next deadline" {
			if diff := cmp.Diff(want, o); diff != "" {
				t.Errorf("the component (-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Errorf("no origin is called Next deadline: %+v", mapper.Origins())
}
