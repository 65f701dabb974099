package mapping

import (
	"strings"
	"testing"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestFieldForms(t *testing.T) {
	t.Parallel()
	const lookups = `lookups: {people: {inline: {Ana Pérez: ` + idThree + `, "Doe, Jane": ` + idOne + `}}}`
	for _, c := range []struct{ name, field, cell, want string }{
		{"short form", `name: A`, "Sol", `"name":"Sol"`},
		{"header in other spelling", `name: "Á."`, "Sol", `"name":"Sol"`},
		{"column", `name: {column: A}`, " Sol ", `"name":"Sol"`},
		{"white space kept when asked", `name: {column: A, trim: false}`, " Sol ", `"name":" Sol "`},
		{"joined columns", `name: {columns: [A, B]}`, "Sol", `"name":"Sol bee"`},
		{"joined with a separator", `name: {columns: [A, B], join: "; "}`, "Sol", `"name":"Sol; bee"`},
		{"joined leaves out empty ones", `name: {columns: [A, B]}`, "", `"name":"bee"`},
		{"constant", `name: {value: Always}`, "Sol", `"name":"Always"`},
		{"constant number stays text", `name: {value: 007}`, "", `"name":"007"`},
		{"default for an empty cell", `name: {column: A, default: none}`, " ", `"name":"none"`},
		{"default not needed", `name: {column: A, default: none}`, "Sol", `"name":"Sol"`},
		{"values", `name: {column: A, values: {R: Registered}}`, "R", `"name":"Registered"`},
		{"values fold", `name: {column: A, values: {"Año": Year}}`, "ANO", `"name":"Year"`},
		{"values keep unknown", `name: {column: A, values: {R: Registered}, unknown: keep}`, "Q", `"name":"Q"`},
		{"values default unknown", `name: {column: A, values: {R: Registered}, default: Other}`, "Q", `"name":"Other"`},
		{"values to empty", `name: {column: A, values: {"-": }, default: none}`, "-", `"name":"none"`},
		{"unknown is empty", `name: {column: A, values: {R: Registered}, unknown: empty, empty: keep}`, "Q", `"name":""`},
		{"blanks", `name: {column: A, blanks: [n/a], default: none}`, "N/A", `"name":"none"`},
		{"expression", `name: {expr: 'upper(row["A"]) + "!"'}`, "sol", `"name":"SOL!"`},
		{"truncate", `name: {column: A, max: 3, truncate: true}`, "Solé", `"name":"Sol"`},
		{"truncated at a blank", `name: {column: A, max: 3, truncate: true}`, "ab cd", `"name":"ab"`},
		{"max counts characters", `name: {column: A, max: 4}`, "Solé", `"name":"Solé"`},
		{"pattern", `name: {column: A, pattern: '[A-Z]\d+'}`, "M12", `"name":"M12"`},
		{"escapes", `name: A`, "a\"b\\c\n\t\x01<\u2028é>", `"name":"a\"b\\c\n\t\u0001<` + "\u2028" + `é>"`},
		{"GUID in upper case", `user_id: A`, "{6F0C2D7E-5B0A-5C39-8A5E-0D1A36A0A001}", `"user_id":"6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001"`},
		{"GUID as URN", `user_id: A`, "urn:uuid:6F0C2D7E-5B0A-5C39-8A5E-0D1A36A0A001", `"user_id":"6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001"`},
		{"GUID of 32 digits", `user_id: A`, "6F0C2D7E5B0A5C398A5E0D1A36A0A001", `"user_id":"6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001"`},
		{"lookup", `user_id: {column: A, lookup: people}`, "Ana Pérez", `"user_id":"` + idThree + `"`},
		{"lookup folds", `user_id: {column: A, lookup: people}`, "  ANA   PEREZ ", `"user_id":"` + idThree + `"`},
		{"lookup after values", `user_id: {column: A, values: {AP: Ana Pérez}, lookup: people}`, "AP", `"user_id":"` + idThree + `"`},
		{"lookup of an expression", `user_id: {expr: 'fullName(row["A"])', lookup: people}`, "Pérez, Ana", `"user_id":"` + idThree + `"`},
		{"lookup of a default", `user_id: {column: A, lookup: people, default: Ana Pérez}`, "", `"user_id":"` + idThree + `"`},
		{"default may be a GUID", `user_id: {column: A, lookup: people, default: ` + idTwo + `}`, "", `"user_id":"` + idTwo + `"`},
		{"constant through a lookup", `user_id: {value: Ana Pérez, lookup: people}`, "", `"user_id":"` + idThree + `"`},
		{"boolean", `active: A`, "Yes", `"active":true`},
		{"boolean in Spanish", `active: A`, "SÍ", `"active":true`},
		{"boolean in German", `active: A`, "nein", `"active":false`},
		{"boolean in French", `active: A`, "Oui", `"active":true`},
		{"boolean tick", `active: A`, "✓", `"active":true`},
		{"boolean x", `active: {column: A, default: no}`, "x", `"active":true`},
		{"boolean empty default", `active: {column: A, default: no}`, "", `"active":false`},
		{"boolean of its own words", `active: {column: A, yes: [Live], no: [Dead]}`, "live", `"active":true`},
		{"boolean of its own words in capitals", `active: {column: A, yes: [Lebend], no: [Dead]}`, "LEBEND", `"active":true`},
		{"boolean with unknown words", `active: {column: A, yes: [Live], default: no}`, "Archived", `"active":false`},
		{"boolean of values", `active: {column: A, values: {Open: yes, Closed: no}}`, "closed", `"active":false`},
		{"boolean of an expression", `active: {expr: 'row["A"] != "Closed"'}`, "Open", `"active":true`},
		{"list of one", `other_supervisors: A`, idThree, `"other_supervisors":["` + idThree + `"]`},
		{"list of a split cell", `other_supervisors: {column: A, split: ";", lookup: people}`, "Doe, Jane; ana pérez;", `"other_supervisors":["` + idOne + `","` + idThree + `"]`},
		{"list of columns", `other_supervisors: {columns: [A, C], lookup: people}`, "Doe, Jane", `"other_supervisors":["` + idOne + `","` + idThree + `"]`},
		{"list without doubles", `other_supervisors: {columns: [A, C], lookup: people}`, "ANA PÉREZ", `"other_supervisors":["` + idThree + `"]`},
		{"list of constants", `other_supervisors: {value: [` + idOne + `, ` + idTwo + `]}`, "", `"other_supervisors":["` + idOne + `","` + idTwo + `"]`},
		{"list of one constant", `other_supervisors: {value: ` + idOne + `}`, "", `"other_supervisors":["` + idOne + `"]`},
		{"list of an expression", `other_supervisors: {expr: 'split(row["A"], "/")', lookup: people}`, "Doe, Jane/Ana Pérez", `"other_supervisors":["` + idOne + `","` + idThree + `"]`},
		{"empty list kept", `other_supervisors: {column: A, empty: keep}`, "", `"other_supervisors":[]`},
		{"null when empty", `client_id: {column: A, empty: null}`, "", `"client_id":null`},
		{"null always", `client_id: null`, "", `"client_id":null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith(c.field, lookups), "Ref, Name, A, B, C")
			contains(t, mustMap(t, m, textRow(2, "R1", "N", c.cell, "bee", "Ana Pérez")), c.want)
		})
	}
}

func TestFieldsThatAreRejected(t *testing.T) {
	t.Parallel()
	const lookups = `lookups: {people: {inline: {Ana Pérez: ` + idThree + `, ana perez: ` + idOne + `, ACME Limited: ` + idTwo + `}}}`
	for _, c := range []struct{ name, field, cell, want, hint string }{
		{"required and empty", `name: A`, "", "name: required_empty", "default:"},
		{"white space is empty", `name: A`, "\u00a0 ", "name: required_empty", ""},
		{"made required", `client_id: {column: A, required: true}`, "", "client_id: required_empty", ""},
		{"rejected when empty", `client_id: {column: A, empty: reject}`, "", "client_id: required_empty", ""},
		{"too long", `name: {column: A, max: 3}`, "Solé", "name: text_too_long", "truncate"},
		{"pattern covers the whole text", `name: {column: A, pattern: '[A-Z]\d+|x'}`, "M12 ", "", ""},
		{"pattern", `name: {column: A, pattern: '[A-Z]\d+|x'}`, "M12x", "name: pattern_mismatch", ""},
		{"unknown value", `name: {column: A, values: {Registered: R}}`, "Registerd", "name: value_unknown", `Did you mean "Registered"?`},
		{"unknown value although there is a default", `name: {column: A, values: {R: X}, default: Y, unknown: reject}`, "Q", "name: value_unknown", ""},
		{"an empty cell is no unknown value", `name: {column: A, values: {R: X}}`, " ", "name: required_empty", ""},
		{"the GUID of nothing", `user_id: A`, "00000000-0000-0000-0000-000000000000", "user_id: guid_invalid", "blanks"},
		{"no GUID", `user_id: A`, "12345", "user_id: guid_invalid", "lookup"},
		{"not in the lookup", `user_id: {column: A, lookup: people}`, "Acme Ltd", "user_id: lookup_unknown", `Did you mean "ACME Limited"?`},
		{"spelled like two of the lookup", `user_id: {column: A, lookup: people}`, "ANA PÉREZ", "user_id: lookup_ambiguous", ""},
		{"no boolean", `active: A`, "maybe", "active: boolean_unknown", "values:"},
		{"no boolean although there is a default", `active: {column: A, default: yes}`, "inaktiv", "active: boolean_unknown", "values:"},
		{"no boolean of its own words", `active: {column: A, yes: [Live], default: yes, unknown: reject}`, "Closed", "active: boolean_unknown", "no:"},
		{"bad UTF-8", `name: A`, "a\xffb", "name: text_invalid", ""},
		{"NUL", `name: A`, "a\x00b", "name: text_invalid", ""},
		{"a list in one cell", `other_supervisors: {column: A, lookup: people}`, "Ana; Eve", "other_supervisors: lookup_unknown", `split: ";"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith(c.field, lookups), "Ref, Name, A")
			_, reasons := m.Map([]table.Row{textRow(7, "R1", "N", c.cell)})
			same(t, strings.Join(codesOf(reasons), " "), c.want)
			if len(reasons) > 0 {
				contains(t, reasons[0].Hint, c.hint)
				same(t, reasons[0].Column, "A")
				same(t, reasons[0].Cell, "C7")
				same(t, reasons[0].Row, 7)
				if v := reasons[0].Value; !utf8.ValidString(v) || strings.Contains(v, "\x00") {
					t.Errorf("the value %q cannot be stored", v)
				}
			}
		})
	}
}

func TestAllReasonsOfARowComeAtOnce(t *testing.T) {
	t.Parallel()
	m := bind(t, `operation: create_case
key: Ref
fields: {name: Name, number: Ref, active: Active, file_template_id: Template, user_id: User}
`, "Ref, Name, Active, Template, User")
	same(t, codes(m, textRow(2, "", "", "maybe", "x", "")), []string{"key: key_empty", "name: required_empty", "number: required_empty",
		"active: boolean_unknown", "file_template_id: guid_invalid", "user_id: required_empty"})
}

func TestCellsOfAWorkbook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, field string
		cell        table.Cell
		want        string
	}{
		{"number in a text field keeps its digits", "name: A", table.Cell{Kind: table.Number, Text: "12345678901234567890.10"}, `"name":"12345678901234567890.10"`},
		{"bool in a text field", "name: A", table.Cell{Kind: table.Bool, Text: "TRUE"}, `"name":"TRUE"`},
		{"bool", "active: A", table.Cell{Kind: table.Bool, Text: "FALSE"}, `"active":false`},
		{"number as bool", "active: A", table.Cell{Kind: table.Number, Text: "1"}, `"active":true`},
		{"clock in a text field", "name: A", table.Cell{Kind: table.Clock, Text: "13:30:00"}, `"name":"13:30:00"`},
		{"date in a text field", "name: A", table.Cell{Kind: table.Date, Text: "2024-03-04"}, "name: date_in_text"},
		{"date in a text field, asked for", "name: {column: A, date_as: D.M.YYYY}", table.Cell{Kind: table.Date, Text: "2024-03-04"}, `"name":"4.3.2024"`},
		{"date among joined columns", "name: {columns: [Name, A]}", table.Cell{Kind: table.Date, Text: "2024-03-04"}, "name: date_in_text"},
		{"date where a GUID is wanted", "user_id: A", table.Cell{Kind: table.Date, Text: "2024-03-04"}, "user_id: date_in_text"},
		{"date in an expression is its day", `name: {expr: 'row["A"]'}`, table.Cell{Kind: table.Date, Text: "2024-03-04"}, `"name":"2024-03-04"`},
		{"error", "name: A", table.Cell{Kind: table.Error, Text: "#N/A"}, "name: cell_error"},
		{"error in an expression", `name: {expr: 'row["A"] ?? ""'}`, table.Cell{Kind: table.Error, Text: "#REF!"}, "name: cell_error"},
		{"error in a list", "other_supervisors: A", table.Cell{Kind: table.Error, Text: "#REF!"}, "other_supervisors: cell_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, caseWith(c.field), "Ref, Name, A")
			row := textRow(2, "R1", "N")
			row.Cells = append(row.Cells, c.cell)
			record, reasons := m.Map([]table.Row{row})
			contains(t, string(record.Payload)+strings.Join(codesOf(reasons), " "), c.want)
		})
	}
}

func TestDateCellsAreDatesWithoutPatterns(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: A", "dates: [MM/DD/YYYY]", "checks: off"), "Ref, A")
	for cell, want := range map[table.Cell]string{
		{Kind: table.Date, Text: "2024-03-01"}:          `"application_date":"2024-03-01T00:00:00Z"`,
		{Kind: table.Date, Text: "2024-03-01T00:00:00"}: `"application_date":"2024-03-01T00:00:00Z"`,
		{Kind: table.Text, Text: "03/01/2024"}:          `"application_date":"2024-03-01T00:00:00Z"`,
	} {
		contains(t, mustMap(t, m, table.Row{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, cell}}), want)
	}
	same(t, codes(m, table.Row{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {Kind: table.Number, Text: "45352"}}}), []string{"application_date: date_unreadable"})
	same(t, codes(m, table.Row{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {Kind: table.Date, Text: "2024-03-01T10:00:00"}}}), []string{"application_date: time_without_zone"})
}

func TestDoubtOfTheSourceBecomesANote(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: {columns: [A, A]}"), "Ref, A")
	record, reasons := m.Map([]table.Row{{Number: 9, Cells: []table.Cell{{Kind: table.Text, Text: "R"}, {Kind: table.Number, Text: "1.5", Note: "trailing zeros may be lost"}}}})
	same(t, reasons, []reason.Reason(nil))
	same(t, record.Notes, []reason.Reason{{Code: "source_doubt", Field: "name", Column: "A", Cell: "B9", Row: 9, Value: "1.5", Message: "trailing zeros may be lost", Args: []string{"trailing zeros may be lost"}}})
}

func TestTruncationIsNotedAndKeepsLettersWhole(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: {column: A, max: 4, truncate: true}"), "Ref, A")
	record, _ := m.Map([]table.Row{textRow(2, "R", "Sole\u0301 y mar")}) // é as e and an accent: the cut would part them
	contains(t, string(record.Payload), `"name":"Sol"`)
	same(t, codesOf(record.Notes), []string{"name: text_truncated"})
}

func TestEmptyAsTheFileSays(t *testing.T) {
	t.Parallel()
	row := textRow(2, "1", "", "")
	for file, want := range map[string]string{
		"":              markStart + `}`,
		"empty: null":   markStart + `,"application_date":null,"notes":null}`,
		"empty: keep":   markStart + `,"notes":""}`,
		"empty: reject": "application_date: required_empty notes: required_empty",
	} {
		m := bind(t, markWith("notes: B\napplication_date: A", file), "Ref, A, B")
		record, reasons := m.Map([]table.Row{row})
		same(t, string(record.Payload)+strings.Join(codesOf(reasons), " "), want)
	}
}

func TestUpdateCaseAlwaysCarriesClientAndComponents(t *testing.T) {
	t.Parallel()
	m := bind(t, `operation: update_case
key: Ref
lookups: {companies: {inline: {Acme: `+idThree+`}}}
fields:
  active: {value: yes}
  components: []
  file_client_id: {column: Client, lookup: companies}
  id: {value: `+idOne+`}
  name: Ref
  file_status_id: {value: `+idTwo+`}
  user_id: {value: `+idTwo+`}
`, "Ref, Client")
	head := `{"id":"` + idOne + `","name":"R","file_status_id":"` + idTwo + `","file_client_id":`
	tail := `,"user_id":"` + idTwo + `","components":[],"active":true}`
	same(t, mustMap(t, m, textRow(2, "R", "")), head+"null"+tail)
	same(t, mustMap(t, m, textRow(2, "R", "acme")), head+`"`+idThree+`"`+tail)
}

func TestNumbersOfTheService(t *testing.T) {
	t.Parallel()
	folder := "operation: create_folder\nkey: F\nfields:\n  name: F\n  client_id: {value: " + idOne + "}\n  files: {item: {name: F, number: N}}\n"
	for _, c := range []struct {
		name    string
		options Options
		cell    table.Cell
		want    string
	}{
		{"whole", Options{}, table.Cell{Kind: table.Text, Text: "123"}, `"number":123}`},
		{"long", Options{}, table.Cell{Kind: table.Text, Text: "123456789012345678901234567890"}, `"number":123456789012345678901234567890}`},
		{"decimals keep their zeros", Options{}, table.Cell{Kind: table.Text, Text: "12.50"}, `"number":12.50}`},
		{"zero", Options{}, table.Cell{Kind: table.Number, Text: "0"}, `"number":0}`},
		{"leading zeros", Options{}, table.Cell{Kind: table.Text, Text: "00123"}, "files.number: number_invalid"},
		{"reference", Options{}, table.Cell{Kind: table.Text, Text: "TM-7/2024"}, "files.number: number_invalid"},
		{"exponent", Options{}, table.Cell{Kind: table.Text, Text: "1E5"}, "files.number: number_invalid"},
		{"thousands", Options{}, table.Cell{Kind: table.Text, Text: "1,234"}, "files.number: number_invalid"},
		{"no digit after the point", Options{}, table.Cell{Kind: table.Text, Text: "1."}, "files.number: number_invalid"},
		{"plus", Options{}, table.Cell{Kind: table.Text, Text: "+1"}, "files.number: number_invalid"},
		{"hexadecimal", Options{}, table.Cell{Kind: table.Text, Text: "0x1F"}, "files.number: number_invalid"},
		{"digits of another script", Options{}, table.Cell{Kind: table.Text, Text: "١٢"}, "files.number: number_invalid"},
		{"reference as text", Options{Switches: payload.Switches{FolderFileNumberAsText: true}}, table.Cell{Kind: table.Text, Text: "TM-7/2024"}, `"number":"TM-7/2024"}`},
		{"leading zeros as text", Options{Switches: payload.Switches{FolderFileNumberAsText: true}}, table.Cell{Kind: table.Text, Text: "00123"}, `"number":"00123"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := bind(t, folder, "F, N", c.options)
			record, reasons := m.Map([]table.Row{{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "Fo"}, c.cell}}})
			contains(t, string(record.Payload)+strings.Join(codesOf(reasons), " "), c.want)
		})
	}
	for cell, want := range map[string]string{"97061": `"registration_number":97061}`, "097061": "number_invalid", "97.061": "number_invalid", "97.0": "number_invalid"} {
		m := bind(t, markWith("registration_number: N", "checks: off"), "Ref, N", Options{Switches: payload.Switches{RegistrationNumberAsInteger: true}})
		record, reasons := m.Map([]table.Row{textRow(2, "1", cell)})
		contains(t, string(record.Payload)+strings.Join(codesOf(reasons), " "), want)
	}
	m := bind(t, markWith("registration_number: N", "checks: off"), "Ref, N")
	contains(t, mustMap(t, m, textRow(2, "1", "0097.061")), `"registration_number":"0097.061"`)
}

func TestImageAddress(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("image_url: U"), "Ref, U")
	contains(t, mustMap(t, m, textRow(2, "1", "https://marks.example/é.png?a=1&b=<2>")), `"image_url":"https://marks.example/é.png?a=1&b=<2>"`)
	for _, bad := range []string{"marks.example/x.png", "file:///etc/passwd", "ftp://marks.example/1.png", "https://", `C:\marks\1.png`} {
		same(t, codes(m, textRow(2, "1", bad)), []string{"image_url: url_invalid"})
	}
}
