package rows

import (
	"slices"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/decisions"
)

// A correction is of one row of a key and counts while the cell says what it said; a row of which it does not is rejected as the source has it,
// and so is one whose key it would change.
func TestCorrectionsAreOfTheRowsTheyWereMadeFor(t *testing.T) {
	t.Parallel()
	one := func(nth int, column, old, now string) ledger.CellCorrection {
		return ledger.CellCorrection{Job: "j", Nth: nth, Column: column, Old: old, New: now, Who: "Ines"}
	}
	cells := map[string][]ledger.CellCorrection{
		"R1": {one(0, "Name", "", "Lease")}, "R2": {one(0, "Name", "Sole", "Sale")}, "R3": {one(0, "Name", "x", "Will")}, "R4": {one(0, "Ref", "R4", "R5")},
		"R6": {one(1, "Name", "Deed", "Deeds")}, "R7": {one(0, "Name", "a", "b"), one(0, "Gone", "a", "b")},
	}
	for group, want := range map[string]string{
		"false": "R1 Lease; R2 Sale; R3 Willow: Name was corrected from \"x\" to \"Will\"; R4 Four: Ref was corrected from \"R4\" to \"R5\"; R6 Deed; R6 Deeds; R7 b: Gone was corrected from \"a\" to \"b\"; ",
		"true":  "R1 Lease; R2 Sale; R3 Willow: Name was corrected from \"x\" to \"Will\"; R4 Four: Ref was corrected from \"R4\" to \"R5\"; R6 Deed Deeds: rows; R7 b: Gone was corrected from \"a\" to \"b\"; ",
	} {
		_, records := readCorrected(t, cells, strings.Replace(mappingText, "GROUP", group, 1), "Ref,Name,Status\nR1,,Open\nR2,Sole,Open\nR3,Willow,Open\nR4,Four,Open\n", "Ref,Name,Status\nR6,Deed,Open\nR6,Deed,Open\nR7,b,Open\n")
		got := ""
		for _, r := range records {
			got += r.Key
			for _, row := range r.Rows {
				got += " " + row.Cell(1).Text
			}
			if len(r.Reasons) > 0 {
				switch message := r.Reasons[0].Message; {
				case r.Reasons[0].Code == "correction_outdated":
					got += ": " + message[:strings.Index(message, " by Ines")]
				default:
					got += ": rows"
				}
			}
			got += "; "
		}
		if got != want {
			t.Errorf("group: %s:\n%s\nwant\n%s", group, got, want)
		}
	}
}

// A header that the mapping reads as before may be spelled in another way: the correction still counts, or the wrong value would go out. Of two columns that it
// may be, none is taken.
func TestCorrectionsFollowTheSpellingOfTheHeader(t *testing.T) {
	t.Parallel()
	cells := map[string][]ledger.CellCorrection{"R1": {{Job: "j", Nth: -1, Column: "Name", Old: "x", New: "y", Who: "Ines"}}}
	for _, test := range []struct{ rows, mapped, want string }{
		{"Ref,NÀME ,Status\nR1,x,Open", "Name", "y"},
		{"Ref,Status,name\nR1,Open,x", "Name", "y"},
		{"Ref,Status,Title\nR1,Open,x", "Title", "outdated"},
		{"Ref,Status,name,Name!\nR1,Open,x,x", "Status", "outdated"},
	} {
		text := strings.NewReplacer("GROUP", "false", "name: Name", "name: "+test.mapped).Replace(mappingText)
		_, records := readCorrected(t, cells, text, test.rows+"\n")
		got := payload.Text(records[0].Payload, "name")
		if slices.ContainsFunc(records[0].Reasons, func(r ledger.Reason) bool { return r.Code == "correction_outdated" }) {
			got = "outdated"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.rows, got, test.want)
		}
	}
}

// So do those of a record of several rows, unless the names of two columns differ in their spelling alone. Marks of earlier releases count while the header is
// spelled as it was.
func TestRowsAreRecognisedUnderARespelledHeader(t *testing.T) {
	t.Parallel()
	header, texts := []string{"Ref", "Name", "Status"}, []string{"R1", "", "Open"}
	for _, test := range []struct {
		rows    string
		spelled bool
		want    string
	}{
		{"Ref,Name,Status", false, "/Lease/"},
		{"REF,Näme ,status", false, "/Lease/"},
		{"Ref,Name,Status", true, "/Lease/"},
		{"REF,Name,Status", true, "// outdated"},
		{"Ref,Name,State", false, "// outdated"},
	} {
		one := ledger.CellCorrection{Job: "j", Nth: Mark(header, texts, []string{"Name"}, 0, false, test.spelled), Column: "Name", New: "Lease", Who: "Ines"}
		text := strings.NewReplacer("GROUP", "true", `, skip: {dead: 'row["Status"] == "Dead"'}`, "").Replace(mappingText)
		_, records := readCorrected(t, map[string][]ledger.CellCorrection{"R1": {one}}, text, test.rows+"\nR1,,Closed\nR1,,Open\nR1,,Open\n")
		var names []string
		for _, row := range records[0].Rows {
			names = append(names, row.Cell(1).Text)
		}
		got := strings.Join(names, "/")
		if slices.ContainsFunc(records[0].Reasons, func(r ledger.Reason) bool { return r.Code == "correction_outdated" }) {
			got += " outdated"
		}
		if got != test.want {
			t.Errorf("%s, %v: %q, want %q", test.rows, test.spelled, got, test.want)
		}
	}
	if alike := []string{"Ref", "Name", "name!"}; Mark(alike, []string{"R1", "a", "b"}, nil, 0, false, false) == Mark(alike, []string{"R1", "b", "a"}, nil, 0, false, false) {
		t.Error("columns whose names differ in spelling alone are taken for one another")
	}
}

// The rows of a record may move, and what is between them too: a correction is of the row that says what it said, and where there is none the
// record is rejected. Were rows known by their places, the number of one matter would go to another.
func TestCorrectionsFollowTheirRows(t *testing.T) {
	t.Parallel()
	header := []string{"Ref", "Name", "Status"}
	mark := func(twin int, texts ...string) int {
		return decisions.RowMark(header, texts, []string{"Name"}, twin, len(texts) > 3)
	}
	one := func(nth int, now string) ledger.CellCorrection {
		return ledger.CellCorrection{Job: "j", Nth: nth, Column: "Name", Old: "", New: now, Who: "Ines"}
	}
	cells := map[string][]ledger.CellCorrection{
		"R1": {one(mark(0, "R1", "", "Open"), "Lease")},
		"R2": {one(mark(1, "R2", "", "Open"), "Second"), one(mark(0, "R2", "", "Open"), "First")},
	}
	for name, test := range map[string]struct{ rows, want string }{
		"as they were":   {"R1,,Closed\nR1,,Open", "R1 /Lease"},
		"moved":          {"R1,,Open\nR1,,Closed", "R1 Lease/"},
		"one before":     {"R1,,New\nR1,,Closed\nR1,,Open", "R1 //Lease"},
		"one is gone":    {"R1,,Open", "R1 Lease"},
		"by the source":  {"R1,,Closed\nR1,Lease,Open", "R1 /Lease"},
		"other by now":   {"R1,,Closed\nR1,Deed,Open", "R1 /Deed outdated"},
		"the row is not": {"R1,,Closed\nR1,,Opened", "R1 / outdated"},
		"only the rest":  {"R1,,Closed", "R1  outdated"},
		"twins":          {"R2,,Open\nR2,,Open\nR2,,Open", "R2 First/Second/"},
	} {
		for _, list := range cells {
			slices.SortFunc(list, func(a, b ledger.CellCorrection) int { return a.Nth - b.Nth }) // as the ledger has them
		}
		_, records := readCorrected(t, cells, strings.Replace(mappingText, "GROUP", "true", 1), "Ref,Name,Status\n"+test.rows+"\n")
		var names []string
		for _, row := range records[0].Rows {
			names = append(names, row.Cell(1).Text)
		}
		got := records[0].Key + " " + strings.Join(names, "/")
		if slices.ContainsFunc(records[0].Reasons, func(r ledger.Reason) bool { return r.Code == "correction_outdated" }) {
			got += " outdated"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The only row of a key is that row whatever else it says; a number and a day that were written as they are shown are read as such, and
// not as the mapping reads texts.
func TestCorrectedNumbersAndDaysAreNotReadAsTexts(t *testing.T) {
	t.Parallel()
	text := `operation: update_trademark
key: Ref
dates: [MM/DD/YYYY]
fields:
  id: {value: 00000000-0000-4000-8000-000000000001}
  registry_id: {value: 00000000-0000-4000-8000-000000000002}
  mark_text: Ref
  application_number: Ref
  application_date: Filed
`
	cells := map[string][]ledger.CellCorrection{"M-1": {{Job: "j", Nth: decisions.RowMark([]string{"Ref", "Filed", "Note"}, []string{"M-1", "x", "old"}, []string{"Filed"}, 0, true),
		Column: "Filed", Old: "x", New: "2026-04-03", Who: "Ines"}}}
	_, records := readCorrected(t, cells, text, "Ref,Filed,Note\nM-1,x,new\nM-2,04/03/2026,\n")
	for n, want := range []string{"2026-04-03T", "2026-04-03T"} {
		if !strings.Contains(string(records[n].Payload), want) {
			t.Errorf("%s %+v", records[n].Payload, records[n].Reasons)
		}
	}
}
