package mapping_test

import (
	"fmt"
	"log"

	"docketsync/mapping"
	"docketsync/mapping/table"
)

// A mapping is parsed, bound to the header of a source, and makes a record of each row, or says every reason why it cannot.
func ExampleParse() {
	m, err := mapping.Parse("matters.yaml", []byte(`
operation: create_case
key: Our Ref
dates: [DD/MM/YYYY]
fields:
  name: Title
  number: Our Ref
  active: {column: Status, values: {Open: true, Closed: false}}
  file_template_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000001}
  user_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000002}
`), mapping.Options{})
	if err != nil {
		log.Fatal(err) // every mistake of the file, each with its line and column
	}
	mapper, err := m.Bind(table.Header{Names: []string{"Our Ref", "Title", "Status"}}, nil)
	if err != nil {
		log.Fatal(err) // the columns that are missing, with the nearest names
	}
	for n, cells := range [][]string{{"00123", "Lumen v. Orbit", "Open"}, {"00124", "", "On hold"}} {
		row := table.Row{Number: n + 2}
		for _, text := range cells {
			row.Cells = append(row.Cells, table.Cell{Kind: table.Text, Text: text})
		}
		record, reasons := mapper.Map([]table.Row{row})
		if len(reasons) == 0 {
			fmt.Println(string(record.Payload))
		}
		for _, r := range reasons {
			fmt.Println(r.Cell, r.Code, r.Message)
		}
	}
	// Output:
	// {"name":"Lumen v. Orbit","number":"00123","active":true,"file_template_id":"0b5e4c5a-7f11-4b7e-9a55-000000000001","user_id":"0b5e4c5a-7f11-4b7e-9a55-000000000002"}
	// B3 required_empty "Title" is empty; name is required
	// C3 value_unknown "On hold" is not a mapped value; the mapped values are "Open", "Closed"
}

// A mistake in a mapping is shown with its place and what to do.
func ExampleParse_mistake() {
	_, err := mapping.Parse("matters.yaml", []byte("operation: create_case\nkey: Our Ref\nfields:\n  nmae: Title\n  number: Our Ref\n  active: {value: true}\n  file_template_id: T\n  user_id: U\n"), mapping.Options{})
	fmt.Println(err)
	// Output:
	// matters.yaml:4:3: create_case has no field "nmae"
	//       nmae: Title
	//       ^
	//   did you mean "name"?
}
