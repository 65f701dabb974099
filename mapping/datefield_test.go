package mapping

import (
	"testing"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestFractionOfASecondIsLeftOutWithANote(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: Filed", "checks: off"), "Ref, Filed")
	record, reasons := m.Map([]table.Row{textRow(2, "1", "2024-03-01T10:00:00.250Z")})
	if len(reasons) > 0 {
		t.Fatal(reasons)
	}
	same(t, string(record.Payload), markStart+`,"application_date":"2024-03-01T10:00:00Z"}`)
	same(t, codesOf(record.Notes), []string{"application_date: fraction_dropped"})
}

func TestTimeThatWouldMoveTheDayIsLeftOutWithANote(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: Filed", "checks: off"), "Ref, Filed")
	for text, notes := range map[string][]string{
		"2024-03-01T00:30:00+02:00": {"application_date: time_dropped"},
		"2024-03-01T00:00:00+02:00": {},
		"2024-03-01+02:00":          {},
	} {
		record, reasons := m.Map([]table.Row{textRow(2, "1", text)})
		same(t, reasons, []reason.Reason(nil))
		same(t, string(record.Payload), markStart+`,"application_date":"2024-03-01T00:00:00Z"}`)
		same(t, codesOf(record.Notes), notes)
	}
}

func TestDayThatAnExpressionReadsNeedsNoZone(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith(`application_date: {expr: 'date(row["Filed"], "DD/MM/YYYY hh:mm", "DD/MM/YYYY hh:mm Z")'}`, "checks: off"), "Ref, Filed")
	for _, text := range []string{"01/03/2024 23:30", "01/03/2024 23:30 -05:00"} {
		contains(t, mustMap(t, m, textRow(2, "1", text)), `"application_date":"2024-03-01T00:00:00Z"`)
	}
}

// A spreadsheet shows "1-Mar" of a date whose year it made up; nobody has seen the date that would be sent.
func TestADateThatTheSheetShowsInPartIsRejected(t *testing.T) {
	t.Parallel()
	for _, note := range []string{table.NoYear, table.NoDay} {
		row := textRow(2, "1", "")
		row.Cells[1] = table.Cell{Kind: table.Date, Text: "2021-03-01", Note: note}
		for _, field := range []string{"application_date: Filed", `application_date: {expr: 'row["Filed"]'}`} {
			_, reasons := bind(t, markWith(field, "checks: off"), "Ref, Filed").Map([]table.Row{row})
			same(t, codesOf(reasons), []string{"application_date: cell_error"})
		}
		record, reasons := bind(t, markWith("notes: {column: Filed, date_as: DD/MM/YYYY}", "checks: off"), "Ref, Filed").Map([]table.Row{row})
		same(t, reasons, []reason.Reason(nil))
		contains(t, string(record.Payload), `"notes":"01/03/2021"`)
		same(t, codesOf(record.Notes), []string{"notes: source_doubt"})
	}
}
