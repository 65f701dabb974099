package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"docketsync/apiclient/jsontext"
	"docketsync/mapping/table"
)

// cells draws what a source may hold.
func cells() *rapid.Generator[table.Cell] {
	return rapid.Custom(func(t *rapid.T) table.Cell {
		switch table.Kind(rapid.IntRange(0, 6).Draw(t, "kind")) {
		case table.Text:
			return table.Cell{Kind: table.Text, Text: rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"01/03/2024", "2024-03-01", "31/02/2024", "EUIPO", "R", "yes",
				"00123", "12.50", idOne, "9: software; 35: ads", "\u00a0", "a\xff"})).Draw(t, "text")}
		case table.Number:
			return table.Cell{Kind: table.Number, Text: rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,6})?`).Draw(t, "number")}
		case table.Date:
			return table.Cell{Kind: table.Date, Text: rapid.StringMatching(`(19|20)[0-9]{2}-0[1-9]-[12][0-8](T1[0-9]:[0-5][0-9]:[0-5][0-9])?`).Draw(t, "date")}
		case table.Clock:
			return table.Cell{Kind: table.Clock, Text: "13:30:00"}
		case table.Bool:
			return table.Cell{Kind: table.Bool, Text: rapid.SampledFrom([]string{"TRUE", "FALSE"}).Draw(t, "bool")}
		case table.Error:
			return table.Cell{Kind: table.Error, Text: "#N/A"}
		}
		return table.Cell{}
	})
}

const propertyMapping = `operation: update_trademark
key: {columns: [A, B], join: "-"}
rows: {skip: 'row["C"] == "Dead"', group: true}
dates: [DD/MM/YYYY, MM/DD/YYYY]
blanks: ["-"]
lookups:
  registries: {inline: {EUIPO: ` + idOne + `, OEPM: ` + idTwo + `}}
  classes: {inline: {"9": ` + idOne + `, "35": ` + idTwo + `}}
fields:
  id: {column: A, default: ` + idThree + `}
  registry_id: {column: B, lookup: registries, default: EUIPO}
  mark_text: {column: C, empty: keep, date_as: YYYY-MM-DD}
  application_number: {columns: [A, D], date_as: D.M.YY}
  application_date: {column: E, empty: null}
  registration_number: {expr: 'digits(row["F"]) + after(row["F"], "/")'}
  status: {column: G, values: {R: Registered}, unknown: keep, date_as: D.M.YYYY}
  notes: {column: H, date_as: D.M.YYYY, max: 10, truncate: true}
  do_not_create_file: {column: G, default: no, yes: [Live]}
  good_and_services:
    split: {column: I}
    item: {search_class_id: {lookup: classes}, language_id: {value: ` + idOne + `}}
checks: warn
`

// usual are cells that the columns of propertyMapping take.
var usual = [][]string{{idThree, ""}, {"EUIPO", "oepm"}, {"SOL", "", "Luna <é>"}, {"00123", ""}, {"25/12/2014", "", "04/04/2014"}, {"M12/3", ""}, {"R", "Live", "x"},
	{"a note that is cut", ""}, {"9: software; 35: ads", "", "009: a; b"}}

// plainRows are the rows of one record, of nothing but the first usual cells.
func plainRows() []table.Row {
	rows := []table.Row{{Number: 2}, {Number: 3}}
	for i := range rows {
		for _, texts := range usual {
			rows[i].Cells = append(rows[i].Cells, table.Cell{Kind: table.Text, Text: texts[0]})
		}
	}
	return rows
}

// propertyRows draws rows of which some become records: whole rows of usual cells, with a wild one here and there.
func propertyRows(t *rapid.T) []table.Row {
	rows := make([]table.Row, rapid.IntRange(1, 2).Draw(t, "rows"))
	wild := rapid.IntRange(0, 2).Draw(t, "wild")
	for i := range rows {
		rows[i] = table.Row{Number: i + 2}
		for _, texts := range usual {
			cell := table.Cell{Kind: table.Text, Text: texts[0]}
			if n := rapid.IntRange(0, 9).Draw(t, "n"); n < wild {
				cell = cells().Draw(t, "cell")
			} else if i == 0 {
				cell.Text = rapid.SampledFrom(texts).Draw(t, "text")
			} else if n < 8 {
				cell = rows[0].Cells[len(rows[i].Cells)]
			}
			rows[i].Cells = append(rows[i].Cells, cell)
		}
	}
	return rows
}

// Mapping the same rows twice gives the same, whatever was mapped in between, and with another mapper too; a record has a
// payload or reasons, never both; a payload is canonical JSON.
func TestMappingIsAFunctionOfItsRows(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(propertyMapping), Options{Today: testDay})
	if err != nil {
		t.Fatal(err)
	}
	header := headerOf("A, B, C, D, E, F, G, H, I")
	one, err := m.Bind(header, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Bind(header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if record, reasons := one.Map(plainRows()); record.Payload == nil {
		t.Fatalf("the rows that draws vary become no record: %+v", reasons)
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, between := propertyRows(t), propertyRows(t)
		if rapid.Bool().Draw(t, "plain but for one cell") {
			rows = plainRows()
			row := &rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]
			row.Cells[rapid.IntRange(0, len(usual)-1).Draw(t, "column")] = cells().Draw(t, "cell")
		}
		key, skip, keyReasons := one.Key(rows[0])
		first, reasons := one.Map(rows)
		one.Map(between)
		again, reasonsAgain := one.Map(rows)
		elsewhere, reasonsElsewhere := other.Map(rows)
		for _, r := range []Record{again, elsewhere} {
			if !bytes.Equal(r.Payload, first.Payload) || r.Key != first.Key || fmt.Sprint(r.Notes) != fmt.Sprint(first.Notes) {
				t.Fatalf("%+v becomes %+v and then %+v", rows, first, r)
			}
		}
		if fmt.Sprint(reasons) != fmt.Sprint(reasonsAgain) || fmt.Sprint(reasons) != fmt.Sprint(reasonsElsewhere) {
			t.Fatalf("reasons %+v and then %+v and elsewhere %+v", reasons, reasonsAgain, reasonsElsewhere)
		}
		if (first.Payload == nil) != (len(reasons) > 0) {
			t.Fatalf("payload %s and reasons %v", first.Payload, reasons)
		}
		if skip == "" && key != first.Key {
			t.Fatalf("key %q, and %q of the record", key, first.Key)
		}
		if skip == "" && len(keyReasons) > 0 && len(reasons) == 0 {
			t.Fatalf("the key is rejected (%v) and the record is not", keyReasons)
		}
		for _, r := range reasons {
			if r.Code == "" || r.Message == "" || r.Row < 2 || r.Field == "" || !utf8.ValidString(r.Message) {
				t.Fatalf("a poor reason: %+v", r)
			}
		}
		if first.Payload != nil {
			canonical(t, first.Payload)
		}
	})
}

// canonical checks that a payload is JSON without white space whose strings and numbers come back as they are.
func canonical(t *rapid.T, payload []byte) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, payload); err != nil || !bytes.Equal(compact.Bytes(), payload) {
		t.Fatalf("%s is not compact JSON: %v", payload, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	written := encodeAgain(t, decoder)
	if written != string(payload) {
		t.Fatalf("%s is encoded again as %s", payload, written)
	}
}

// encodeAgain writes what a decoder reads, in its order and with its digits.
func encodeAgain(t *rapid.T, d *json.Decoder) string {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	switch token := token.(type) {
	case json.Delim:
		open := token
		out = append(out, byte(open))
		for n := 0; d.More(); n++ {
			if n > 0 {
				out = append(out, ',')
			}
			if open == '{' {
				out = append(append(out, encodeAgain(t, d)...), ':')
			}
			out = append(out, encodeAgain(t, d)...)
		}
		closing, _ := d.Token()
		return string(append(out, byte(closing.(json.Delim))))
	case string:
		return string(jsontext.AppendString(nil, token))
	case json.Number:
		return token.String()
	case bool:
		return fmt.Sprint(token)
	}
	return "null"
}

// Text and digits go through a mapping as they are.
func TestTextSurvives(t *testing.T) {
	t.Parallel()
	m := bind(t, folderMapping+"\nchecks: {text_damaged: off}\n", "Folder, Client, Matter, No, User")
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.Rune(), 1, 200, -1).Filter(func(s string) bool { return table.Trim(s) != "" && !strings.Contains(s, "\x00") }).Draw(t, "name")
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,20})?`).Draw(t, "number")
		record, reasons := m.Map([]table.Row{textRow(2, "F", "Acme", name, number, "")})
		if len(reasons) > 0 {
			t.Fatal(reasons)
		}
		var folder struct {
			Files []struct {
				Name   string
				Number json.Number
			}
		}
		if err := json.Unmarshal(record.Payload, &folder); err != nil {
			t.Fatal(err)
		}
		if folder.Files[0].Name != table.Trim(name) || folder.Files[0].Number.String() != number {
			t.Fatalf("%q, %s became %+v", name, number, folder)
		}
	})
}
