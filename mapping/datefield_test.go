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
