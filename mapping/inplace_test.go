package mapping

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/mapping/table"
)

// TestMapInPlaceSaysWhatMapSays asks for the key first, as an import does, and maps a row that the key is not of in between: what
// is remembered of a row must not be said of another.
func TestMapInPlaceSaysWhatMapSays(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte("operation: update_trademark\nkey: Ref\nrows: {skip: 'row[\"Title\"] == \"x\"'}\nfields:\n  mark_text: Title\n"+
		"  id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000001}\n  registry_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000002}\n"+
		"  application_number: Ref\n  do_not_create_file: {value: true}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	bind := func() *Mapper {
		mapper, err := m.Bind(table.Header{Names: []string{"Ref", "Title"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return mapper
	}
	shared := bind()
	cells := make([]table.Cell, 2) // as a source does it, one list for all rows
	for number := range 6 {
		ref := []string{"TM 1", "TM  2", "", "tm-3"}[number%4]
		cells[0], cells[1] = table.Cell{Kind: table.Text, Text: ref}, table.Cell{Kind: table.Text, Text: fmt.Sprint("title ", number)}
		row := table.Row{Number: number + 2, Cells: cells}
		want, reasons := bind().Map([]table.Row{row})
		if number%2 == 0 {
			if key, _, _ := shared.Key(row); key != want.Key {
				t.Errorf("row %d has the key %q, want %q", number, key, want.Key)
			}
		}
		other := table.Row{Number: 99, Cells: []table.Cell{{Kind: table.Text, Text: "other"}, {Kind: table.Text, Text: "title"}}}
		if number == 4 {
			shared.Map([]table.Row{other})
		}
		got, why := shared.MapInPlace([]table.Row{row})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("row %d (-Map +MapInPlace)\n%s", number, diff)
		}
		if diff := cmp.Diff(reasons, why); diff != "" {
			t.Errorf("row %d (-Map +MapInPlace)\n%s", number, diff)
		}
	}
}
