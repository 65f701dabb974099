package mapping

import (
	"strings"
	"testing"

	"docketsync/apiclient/payload"
)

func TestVariantBOfCreateCase(t *testing.T) {
	t.Parallel()
	b := Options{Switches: payload.Switches{Variant: payload.VariantB}}
	without := strings.Replace(caseWith("name: Name"), "  user_id: {value: "+idTwo+"}\n", "", 1)
	contains(t, mustMap(t, bind(t, without, "Ref, Name", b), textRow(2, "1", "Sol")), `"file_template_id":"`+idOne+`"}`)
	contains(t, mustMap(t, bind(t, caseWith("name: Name"), "Ref, Name", b), textRow(2, "1", "Sol")), `"user_id":"`+idTwo+`"}`)
	for _, field := range []string{"client_id", "other_supervisors"} {
		_, err := Parse("m.yaml", []byte(caseWith(field+": A")), b)
		if err == nil {
			t.Fatal("it loads")
		}
		contains(t, err.Error(), "m.yaml:10:3: create_case has no field \""+field+"\" in variant B", "create_case_variant: A")
	}
	_, err := Parse("m.yaml", []byte(without), Options{})
	if err == nil {
		t.Fatal("variant A loads without user_id")
	}
	contains(t, err.Error(), "the required field user_id is not mapped")
}

func TestSingleFaults(t *testing.T) {
	t.Parallel()
	folder := "operation: create_folder\nkey: F\nfields:\n  name: F\n  client_id: C\n  files: "
	update := "operation: update_case\nkey: R\nfields:\n  id: R\n  name: N\n  file_status_id: S\n  file_client_id: C\n  user_id: U\n  active: A\n  components: "
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "", "m.yaml:1:1: the mapping file is empty"},
		{"only a comment", "# nothing\n", "the mapping file is empty"},
		{"a list", "[a, b]", "expected a block of keys"},
		{"not YAML", "a: [", "a closing bracket is missing"},
		{"no fields", "operation: create_case\nkey: A", "fields is required"},
		{"fields that are none", "operation: create_case\nkey: A\nfields: [a]", "m.yaml:3:9: expected a block of fields"},
		{"null for a required field", caseWith("name: {column: A, empty: null}"), "name is required and cannot be null"},
		{"a required field left out when empty", caseWith("name: {column: A, empty: omit}"), "name is required and cannot be omitted"},
		{"required: false of a required field", caseWith("name: {column: A, required: false}"), "name is required by the service"},
		{"required and omitted", caseWith("client_id: {column: A, required: true, empty: omit}"), "client_id is required: true"},
		{"null as constant", caseWith("name: {value: null}"), "name is required and cannot be null"},
		{"a maximum past the service's", folder + "{item: {name: {column: F, max: 300}, number: N}}", "the service takes at most 254 characters"},
		{"unknown without values", caseWith("name: {column: A, unknown: keep}"), "unknown requires values"},
		{"default asked for and missing", caseWith("name: {column: A, values: {a: b}, unknown: default}"), "unknown: default requires a default"},
		{"values that contradict", caseWith("name: {column: A, values: {Á: b, a: c}}"), "matches a word above"},
		{"join without columns", caseWith("name: {column: A, join: x}"), "join requires columns"},
		{"a type outside components", caseWith("name: {column: A, type: date}"), "type is only supported for components"},
		{"a constant that is no date", markWith("grant_date: {value: 31/12/2024}"), `"31/12/2024" is not a valid date in the format YYYY-MM-DD`},
		{"a constant as cells have it", markWith("grant_date: {column: A, default: 31/12/2024, dates: DD/MM/YYYY}"), "whatever dates: says"},
		{"a constant that is no boolean", caseWith("active: {value: perhaps}"), "not mapped to yes or no"},
		{"a default that is no GUID", caseWith("client_id: {column: A, default: none}"), `m.yaml:10:35: "none" is not a GUID`},
		{"an alias to a faulty field says it once", caseWith("name: &a {column: A, max: 0}"), "max: 0 is not valid"},
		{"files without item", folder + "{}", "item is required for files"},
		{"files of one cell", folder + "{split: {column: A}, item: {name: F, number: N}}", "files takes each entry from a row of its own"},
		{"a part where there is none", folder + "{item: {name: {part: class}, number: N}}", "part is not supported for files"},
		{"a part of rows", goodsWith("item: {search_class_id: {part: class}, language_id: L, text: T}"), "part is not supported for good_and_services"},
		{"a text of flags", goodsWith(`flags: "C#"`, "item: {language_id: L}"), "good_and_services.text is not mapped"},
		{"a class of rows without a column", goodsWith("item: {search_class_id: {lookup: classes}, language_id: L, text: T}"), "good_and_services.search_class_id has no source"},
		{"files that are null", folder + "null", "files is required and cannot be null"},
		{"components without items", update + "{lookup: x}", "components is empty"},
		{"components of an unknown lookup", update + "{lookup: x, items: {A: B}}", `unknown lookup "x"`},
		{"a key of nothing", "operation: create_case\nkey: []\nfields: {}", "the key has no column"},
		{"an expression of the wrong type for a filter", caseWith("name: A", `rows: {only: 'row["A"]'}`), "a filter must be true or false"},
		{"a number from a float", strings.Replace(folder, "F\n", "F\n", 1) + "{item: {name: F, number: {expr: '1.5 * 2.0'}}}", "must be text or a whole number"},
		{"a lookup of two kinds", caseWith("name: A", "lookups: {x: {file: a, inline: {}}}"), `the lookup "x" has both file and inline`},
		{"a sheet of no file", caseWith("name: A", "lookups: {x: {ledger: create_case, sheet: S}}"), "this requires file:"},
		{"an empty scope", caseWith("name: A", `scope: " "`), "the scope is empty"},
		{"tests that are no list", caseWith("name: A", "tests: {}"), "expected a list of tests"},
		{"a test without a row", caseWith("name: A", "tests: [{key: a}]"), "the test has no row"},
		{"a test with an unknown cell", caseWith("name: A", "tests: [{key: a, row: {A: {day: 1}}}]"), "expected a cell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("m.yaml", []byte(c.text), Options{})
			if err == nil {
				t.Fatal("it loads")
			}
			contains(t, err.Error(), c.want)
			placed(t, err)
		})
	}
}

// Files that are alike are rejected, and both sent where they are said to be meant: none is taken for the other.
func TestFilesThatAreAlikeAreBothSent(t *testing.T) {
	t.Parallel()
	m := bind(t, strings.Replace(folderMapping, "lookups:", "checks: {file_number_repeated: warn}\nlookups:", 1), "Folder, Client, Matter, No, User")
	contains(t, mustMap(t, m, textRow(2, "F", "Acme", "One", "1", ""), textRow(3, "F", "Acme", "One", "1", "")),
		`"files":[{"name":"One","number":1},{"name":"One","number":1}]`)
}
