package rows

import (
	"strings"
	"testing"

	"docketsync/importer/ledger"
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
		"false": "R1 Lease; R2 Sale; R3 Willow: Name was corrected from \"x\" to \"Will\"; R4 Four: Ref was corrected from \"R4\" to \"R5\"; R6 Deed; R6 Deeds; R7 b; ",
		"true":  "R1 Lease; R2 Sale; R3 Willow: Name was corrected from \"x\" to \"Will\"; R4 Four: Ref was corrected from \"R4\" to \"R5\"; R6 Deed Deeds: rows; R7 b; ",
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
