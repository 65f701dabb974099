package mapping

import (
	"errors"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

func TestFileWithoutAHeaderHasLetters(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("name: B", "blanks: [x]")+"", "Ref, B")
	contains(t, mustMap(t, m, textRow(1, "1", "Sol")), `"name":"Sol"`)
	letters := bind(t, "operation: create_case\nkey: a\nfields: {name: \"@B\", number: A, active: {value: 1}, file_template_id: {value: "+idOne+"}, user_id: {value: "+idOne+"}}", "A, B")
	contains(t, mustMap(t, letters, textRow(1, "7", "Sol")), `"name":"Sol","number":"7"`)
}

func TestNamesAndLettersThatDoNotFitTheHeaderSayWhatToSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, name, says string }{
		{"A, B, C", "Ref", "was read without a header, so its columns are A to C; if it has one, set header:"},
		{"A", "Ref", "its columns are A alone"},
		{"Ref, Mark", "B", `@B is the column of that letter, "Mark"; if it has none, set no_header: true`},
		{"Ref, Mark", "C", "its columns are: Ref, Mark"},
		{"Ref, Mark", "Marc", `did you mean "Mark"?`},
		{"Ref, Mark", "@C", "its last column is @B"},
	} {
		contains(t, rule.NewColumns(headerOf(c.header)).Suggest(c.name), c.says)
	}
}

func TestRowsShorterThanTheHeaderHaveEmptyCells(t *testing.T) {
	t.Parallel()
	m := bind(t, caseWith("client_id: Client"), "Ref, Name, Client")
	same(t, codes(m, textRow(2, "1")), []string{"name: required_empty"})
}

func TestMissingColumnIsReportedOnceForEachPlace(t *testing.T) {
	t.Parallel()
	text := strings.Replace(strings.Replace(caseWith("name: &n Name"), "number: Ref", "number: *n", 1), "key: Ref", "key: Name", 1)
	m, err := Parse("m.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Bind(headerOf("Ref"), nil)
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) != 2 {
		t.Errorf("%d faults, expected one for the key and one for the name:\n%v", len(faults), err)
	}
}

// TestRejectsWithAnOldHeaderAreToldOnce shows that the header of rejected rows is to be corrected where a column was renamed since,
// and that this is said once, not for each place that names the column.
func TestRejectsWithAnOldHeaderAreToldOnce(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(strings.Replace(caseWith("name: Title"), "number: Ref", "number: {column: Ref}", 1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Bind(headerOf(table.OwnColumn("reasons")+", Reference, Title"), nil)
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) != 1 {
		t.Errorf("%d faults, expected one:\n%v", len(faults), err)
	}
	contains(t, err.Error(), `the file has no column "Ref"`, "rename it in row 1 of this file too")
}

// Whoever named columns of a header that was not seen as one is told so, and not to choose among A, B and C.
func TestAMissingColumnOfAFileWithoutAHeader(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte("{operation: create_case, key: Ref, fields: {name: A, number: Ref, active: {value: true}, file_template_id: {value: "+idOne+"}, user_id: {value: "+idOne+"}}}"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Bind(headerOf("A, B, C"), nil)
	contains(t, err.Error(), `the file has no column "Ref"`, "read without a header, so its columns are A to C", "set header:")
	_, err = m.Bind(headerOf("A, B, D"), nil)
	contains(t, err.Error(), `its columns are: A, B, D`)
}

// A file that fits nothing may be anything, also one that holds a secret: its first line is not repeated.
func TestAStrangeFileIsNotQuoted(t *testing.T) {
	t.Parallel()
	m, err := Parse("m.yaml", []byte(caseWith("client_id: Client")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Bind(headerOf("live-cookie, s3cret-word"), nil)
	contains(t, err.Error(), `the file has no column "Ref"`, "none of the columns that the mapping names")
	if strings.Contains(err.Error(), "live-cookie") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the file is quoted: %v", err)
	}
	_, err = m.Bind(headerOf("Ref, Mark"), nil)
	contains(t, err.Error(), "its columns are: Ref, Mark")
}
