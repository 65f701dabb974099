package mapping

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docketsync/apiclient/payload"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// updateWith is an update_case mapping with one component for the column Amount.
func updateWith(component string, more ...string) string {
	return "operation: update_case\nkey: Ref\n" + strings.Join(more, "\n") + `
fields:
  id: {value: ` + idOne + `}
  name: Ref
  number: Ref
  active: {value: true}
  file_status_id: {value: ` + idOne + `}
  user_id: {value: ` + idOne + `}
  file_client_id: null
  components: {items: {` + idTwo + ": " + component + "}}\n"
}

func TestNumbersAreReadByTheStatedConvention(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ convention, text, want string }{
		{"1.234,56", "1.234,56", "1234.56"},
		{"1.234,56", "1.234", "1234"},
		{"1.234,56", "1234", "1234"},
		{"1.234,56", "1234,50", "1234.50"},
		{"1.234,56", "-1.234.567,8", "-1234567.8"},
		{"1.234,56", "0,5", "0.5"},
		{"1.234,56", "9.007.199.254.740.993,10", "9007199254740993.10"},
		{"1.234,56", "1.23,4", ""},
		{"1.234,56", "1,234.56", ""},
		{"1.234,56", "1234.567,8", ""},
		{"1.234,56", ".234", ""},
		{"1.234,56", "1..234", ""},
		{"1.234,56", "1,", ""},
		{"1.234,56", ",5", ""},
		{"1.234,56", "1,2,3", ""},
		{"1.234,56", "0.123", ""},
		{"1.234,56", "1 234", ""},
		{"1.234,56", "1E5", ""},
		{"1.234,56", "--1", ""},
		{"1,234.56", "1.234", "1.234"},
		{"1,234.56", "1,234", "1234"},
		{"1,234.56", "12,34", ""},
		{"1 234,56", "1\u00a0234\u202f567,5", "1234567.5"},
		{"1'234.56", "1’234.5", "1234.5"},
		{"1234,56", "1234,5", "1234.5"},
		{"1234,56", "1.234,5", ""},
		{"", "1234", "1234"},
		{"", "-12.50", "-12.50"},
		{"", "1234.567", "1234.567"},
		{"", "0.125", "0.125"},
		{"", "1.234", ""},
		{"", "1,234", ""},
		{"", "12,5", ""},
	} {
		t.Run(c.convention+" "+c.text, func(t *testing.T) {
			t.Parallel()
			said := ""
			if c.convention != "" {
				said = `numbers: "` + c.convention + `"`
			}
			m := bind(t, updateWith("{column: Amount, type: number}", said), "Ref, Amount")
			record, reasons := m.Map([]table.Row{textRow(2, "1", c.text)})
			if c.want == "" {
				same(t, codesOf(reasons), []string{"components." + idTwo + ": number_invalid"})
				contains(t, reasons[0].Message, strconv.Quote(c.text))
				contains(t, reasons[0].Hint+reasons[0].Message, map[bool]string{true: "numbers:", false: ""}[c.convention == "" && strings.ContainsAny(c.text, ",.")])
				return
			}
			contains(t, string(record.Payload), `"value":"`+c.want+`"`)
		})
	}
}

func TestNumberCellsNeedNoConvention(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", `numbers: "1.234,56"`} {
		m := bind(t, updateWith("{column: Amount, type: number}", said), "Ref, Amount")
		row := table.Row{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {Kind: table.Number, Text: "1.234"}}}
		contains(t, mustMap(t, m, row), `"value":"1.234"`)
	}
}

func TestNumbersThatAreNoTextOfTheColumnNeedNoConvention(t *testing.T) {
	t.Parallel()
	for _, component := range []string{"{value: 1.234, type: number}", "{column: Amount, default: 1.234, type: number}"} {
		m := bind(t, updateWith(component, `numbers: "1.234,56"`), "Ref, Amount")
		contains(t, mustMap(t, m, textRow(2, "1", "")), `"value":"1.234"`)
	}
}

// What identifies a record keeps its signs, whatever is said about amounts; a field can say otherwise for itself.
func TestConventionOfTheFileLeavesReferencesAlone(t *testing.T) {
	t.Parallel()
	folder := func(number string) string {
		return "operation: create_folder\nkey: Folder\nnumbers: \"1.234,56\"\nfields:\n  name: Folder\n  client_id: {value: " + idOne +
			"}\n  files:\n    item: {name: Name, number: " + number + "}\n"
	}
	row := textRow(2, "F", "N", "1.234")
	contains(t, mustMap(t, bind(t, folder("No"), "Folder, Name, No"), row), `"number":1.234`)
	contains(t, mustMap(t, bind(t, folder(`{column: No, numbers: "1.234,56"}`), "Folder, Name, No"), row), `"number":1234`)

	integer := Options{Switches: payload.Switches{RegistrationNumberAsInteger: true}}
	row = textRow(2, "1", "1.234.567")
	same(t, codes(bind(t, markWith("registration_number: Reg", `numbers: "1.234,56"`, "checks: off"), "Ref, Reg", integer), row), []string{"registration_number: number_invalid"})
	contains(t, mustMap(t, bind(t, markWith(`registration_number: {column: Reg, numbers: "1.234,56"}`, "checks: off"), "Ref, Reg", integer), row), `"registration_number":1234567`)
}

func TestConventionsThatSayNothingAreFaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "de", "1.234", "1.234.56", "1,234,56", "1234", "12.34,56", "1-234,56"} {
		_, err := Parse("m.yaml", []byte(updateWith("{column: Amount, type: number}", `numbers: "`+text+`"`)), Options{})
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		contains(t, err.Error(), "is not a number format")
	}
	_, err := Parse("m.yaml", []byte(updateWith(`{column: Amount, numbers: "1.234,56"}`)), Options{})
	contains(t, err.Error(), "numbers is not supported for components."+idTwo)
}

// Every digit of a number comes back, however it is grouped.
func TestConventionKeepsEveryDigit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"1.234,56", "1,234.56", "1 234,56", "1'234.56", "1234,56", "1234.56"}).Draw(t, "convention")
		c, ok := value.ParseNumberConvention(text)
		if !ok {
			t.Fatalf("%q is not understood", text)
		}
		whole := rapid.StringMatching(`0|[1-9][0-9]{0,30}`).Draw(t, "whole")
		fraction := rapid.StringMatching(`|[0-9]{1,20}`).Draw(t, "fraction")
		grouped := whole
		if c.Group != "" && rapid.Bool().Draw(t, "grouped") {
			for at := len(whole) - 3; at > 0; at -= 3 {
				grouped = grouped[:at] + c.Group + grouped[at:]
			}
		}
		written, want := grouped, whole
		if fraction != "" {
			written, want = grouped+c.Decimal+fraction, whole+"."+fraction
		}
		got, fail := c.Read(written)
		if fail != nil || got != want {
			t.Fatalf("%q, written as %s, is read as %q: %+v", written, text, got, fail)
		}
	})
}

// TestNumbersThatContradictTheConvention tells of columns in which a number that both conventions read may be another one.
func TestNumbersThatContradictTheConvention(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ convention, column, want string }{
		{"1,234.56", "12,50 1.234", "1 of its numbers can only be read that way, such as \"12,50\" in row 2 of f, and 0 only as declared; 1 can be read both ways"},
		{"1.234,56", "12.5 1,234", "1 of its numbers can only be read that way"},
		{"1 234,56", "12.5 1,234", "1 of its numbers can only be read that way"},
		{"1,234.56", "12,50 12.5 1.234", "and 1 only as declared"},
		{"1,234.56", "12,50 1234 17", ""}, // nothing that both read as another number
		{"1,234.56", "12.5 1.234", ""},    // nothing that speaks against it
		{"1,234.56\", numbers_turned: \"accept", "12,50 1.234", ""},
		{"1,234.56", strings.Repeat("12.5 ", 20) + "12,50 1.234", ""},       // one in twenty
		{"1,234.56", strings.Repeat("12.5 ", 19) + "12,50 1.234", "and 19"}, // one in nineteen
	} {
		m := bind(t, updateWith("{column: Amount, type: number, numbers: \""+c.convention+"\"}", "dates_turned: accept"), "Ref, Amount")
		for n, text := range strings.Fields(c.column) {
			m.Map([]table.Row{textRow(n+2, strconv.Itoa(n), text)})
		}
		faults := m.Contradictions(func(int) string { return "f" })
		if (len(faults) > 0) != (c.want != "") || c.want != "" && !strings.Contains(faults[0].Message, c.want) {
			t.Errorf("%s, %s: %v, want %q", c.convention, c.column, faults, c.want)
		}
	}
}
