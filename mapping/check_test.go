package mapping

import (
	"slices"
	"strings"
	"testing"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

func TestChecks(t *testing.T) {
	t.Parallel()
	const header = "Ref, application_date, registration_date, expiry_date, publication_date, status_date, registration_number, status"
	fields := ""
	for _, name := range strings.Split(header, ", ")[1:] {
		fields += name + ": " + name + "\n"
	}
	// A mark that all checks find in order.
	sound := []string{"1", "2014-01-10", "2015-03-01", "2034-01-10", "2014-06-01", "2015-03-01", "M123", "Registered"}
	with := func(changes ...string) table.Row {
		cells := slices.Clone(sound)
		columns := strings.Split(header, ", ")
		for _, change := range changes {
			name, value, _ := strings.Cut(change, "=")
			cells[slices.Index(columns, name)] = value
		}
		return textRow(2, cells...)
	}
	for _, c := range []struct {
		name string
		row  table.Row
		want string
	}{
		{"a sound mark", with(), ""},
		{"filing after registration", with("application_date=2016-01-01", "publication_date="), "registration_date: filing_after_registration"},
		{"expiry before registration", with("expiry_date=2014-12-31"), "expiry_date: expiry_before_registration"},
		{"expiry before filing", with("expiry_date=2004-01-10"), "expiry_date: expiry_before_registration expiry_date: expiry_before_filing"},
		{"publication before filing", with("publication_date=2013-01-01"), "note publication_date: publication_before_filing"},
		{"filing in the future", with("application_date=2026-11-04", "registration_date=", "publication_date=", "status_date=", "registration_number=", "status="), "application_date: filing_in_future"},
		{"tomorrow has begun somewhere", with("status_date=2026-11-03"), ""},
		{"status in the future", with("status_date=2027-01-02"), "status_date: status_date_in_future"},
		{"registration in the future", with("registration_date=2027-01-02"), "registration_date: registration_in_future"},
		{"registered without a number", with("registration_number="), "note registration_number: registered_without_number"},
		{"registered by status without a number", with("registration_number=", "registration_date="), "note registration_number: registered_without_number note registration_date: registered_without_date"},
		{"pending without a number", with("registration_number=", "registration_date=", "status=Pending"), ""},
		{"a number without a date", with("registration_date=", "status="), "note registration_date: registered_without_date"},
		{"a date before there were marks", with("application_date=1204-01-01"), "application_date: date_far_off"},
		{"two dates out of sight", with("publication_date=0014-06-01", "expiry_date=9999-12-31"), "expiry_date: date_far_off publication_date: date_far_off"},
		{"day zero of spreadsheets and databases", with("application_date=1899-12-30", "publication_date=1900-01-01"), "application_date: date_far_off publication_date: date_far_off"},
		{"day zero at a time", with("application_date=1899-12-31T00:00:00", "publication_date="), "application_date: date_far_off"},
		{"day zero of Macintosh and Unix", with("application_date=1904-01-01", "publication_date=1970-01-01"), "application_date: date_far_off publication_date: date_far_off"},
		{"the days after", with("application_date=1904-01-02", "publication_date=1970-01-02"), ""},
		{"a time on the day of registration", with("application_date=2015-03-01T10:00:00Z", "publication_date="), ""},
		{"a date out of sight", with("expiry_date=2234-01-01"), "expiry_date: date_far_off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			verdict := func(checks string) string {
				record, reasons := bind(t, markWith(fields, checks), header).Map([]table.Row{c.row})
				found := codesOf(reasons)
				for _, code := range codesOf(record.Notes) {
					found = append(found, "note "+code)
				}
				return strings.Join(found, " ")
			}
			same(t, verdict(""), c.want)
			same(t, verdict("checks: off"), "")
			if c.want != "" {
				contains(t, verdict("checks: warn"), "note ")
				if strings.HasPrefix(verdict("checks: error"), "note ") {
					t.Error("the check is no error when asked to be")
				}
			}
		})
	}
}

func TestChecksOfTheDayNeedADay(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: A"), "Ref, A", Options{})
	mustMap(t, m, textRow(2, "1", "2999-01-01"))
}

func TestClassesAreChecked(t *testing.T) {
	t.Parallel()
	text := strings.Replace(goodsWith("split: {column: A}", goodsItem), "A: "+idThree, "A: "+idThree+", \"46\": "+idOne+", \"0\": "+idOne, 1)
	m := bind(t, text, "Ref, A")
	_, reasons := m.Map([]table.Row{textRow(2, "1", "46: x")})
	same(t, codesOf(reasons), []string{"good_and_services.search_class_id: nice_class"})
	contains(t, reasons[0].Hint, "old national schedule", "checks: {nice_class: warn}")
	same(t, codes(m, textRow(2, "1", "0: x")), []string{"good_and_services.search_class_id: nice_class"})
	same(t, codes(m, textRow(2, "1", "A: x")), []string{"good_and_services.search_class_id: nice_class"})
	same(t, codes(m, textRow(2, "1", "35: x")), []string{})
	off := bind(t, text+"checks: {nice_class: off}\n", "Ref, A")
	same(t, codes(off, textRow(2, "1", "46: x")), []string{})
}

func TestReasonOfACheckNamesItsCell(t *testing.T) {
	t.Parallel()
	m := bind(t, markWith("application_date: A\nregistration_date: B"), "Ref, A, B")
	_, reasons := m.Map([]table.Row{textRow(17, "1", "2015-01-01", "2014-01-01")})
	same(t, reasons, []reason.Reason{{Code: "filing_after_registration", Field: "registration_date", Column: "B", Cell: "C17", Row: 17, Value: "2014-01-01",
		Form: "+warn", Args: []string{"registration_date", "2014-01-01", "application_date", "2015-01-01"},
		Message: "registration_date 2014-01-01 is before application_date 2015-01-01",
		Hint:    "Correct the date that is wrong. If it is correct, set checks: {filing_after_registration: warn} in the mapping."}})
}

func TestDatesOfComponentsAreNotFarOff(t *testing.T) {
	t.Parallel()
	same(t, codes(bind(t, updateWith("{column: Hearing, type: date}"), "Ref, Hearing"), textRow(2, "1", "0024-03-01")),
		[]string{"components." + idTwo + ": date_far_off"})
}

func TestDatesThatStandForNoneAreSaid(t *testing.T) {
	t.Parallel()
	const fields = "dates: DD/MM/YYYY\nblanks: [31/12/1899]\n"
	m := bind(t, fields+updateWith("{column: Hearing, type: date}"), "Ref, Hearing")
	_, reasons := m.Map([]table.Row{textRow(2, "1", "30/12/1899")})
	same(t, codesOf(reasons), []string{"components." + idTwo + ": date_far_off"})
	contains(t, reasons[0].Message, `"30/12/1899" is what programs write in place of a missing date`)
	contains(t, reasons[0].Hint, "blanks:", "checks: {date_far_off: warn}")
	same(t, codes(m, textRow(2, "1", "31/12/1899")), []string{})
}

// A sheet that shows Mar-24 or 5-Nov holds a day or a year that nobody typed.
func TestDatesOfWhichASheetShowsAPartAreNotSent(t *testing.T) {
	t.Parallel()
	row := textRow(2, "1", "")
	row.Cells[1] = table.Cell{Kind: table.Date, Text: "2024-03-01", Shown: &table.Shown{Format: "mmm-yy"}}
	for _, field := range []string{"application_date: A", `application_date: {expr: 'row["A"]', dates: YYYY-MM-DD}`, "notes: {column: A, date_as: YYYY-MM-DD}"} {
		m := bind(t, markWith(field), "Ref, A")
		_, reasons := m.Map([]table.Row{row})
		name, _, _ := strings.Cut(field, ":")
		same(t, codesOf(reasons), []string{name + ": date_partial"})
		same(t, reasons[0].Cell, "B2")
		contains(t, reasons[0].Message, "holds the date 2024-03-01, but its number format mmm-yy shows only a part")
		contains(t, reasons[0].Hint, "checks: {date_partial: warn}")
		same(t, codes(bind(t, markWith(field)+"checks: {date_partial: off}\n", "Ref, A"), row), []string{})
	}
}

// Text that was spoiled before it came here is not sent, wherever it stands: in a field, an entry or the key. What a lookup knows by
// such a name is what is meant.
func TestDamagedTextIsNotSent(t *testing.T) {
	t.Parallel()
	const fields = "notes: {columns: [Notes, Mark]}\nregistration_type_id: {column: Type, lookup: types}\n" +
		"good_and_services:\n    split: {column: Goods}\n    item: {search_class_id: {value: " + idOne + "}, language_id: {value: " + idTwo + "}}\n"
	for _, c := range []struct {
		name string
		row  []string
		want string
	}{
		{"sound", []string{"1", "Société", "", "", "9: café"}, ""},
		{"joined columns", []string{"1", "Soci\ufffdt\ufffd", "a", "", ""}, "notes: text_damaged"},
		{"an entry", []string{"1", "", "", "", "9: software; 35: Werbung f\u00c3\u00bcr Dritte"}, "good_and_services.text: text_damaged"},
		{"the key", []string{"M\ufffdller 7", "", "", "", ""}, "key: text_damaged"},
		{"an error of a spreadsheet in a text file", []string{"1", "#REF!", "paid", "", ""}, "notes: text_damaged"},
		{"a column that was too narrow for the key", []string{"######", "", "", "", ""}, "key: text_damaged"},
		{"a word for nothing", []string{"1", "NULL", "", "", ""}, "notes: text_damaged"},
		{"a word for nothing in place of the key", []string{"(null)", "", "", "", ""}, "key: text_damaged"},
		{"a character that nobody sees, in the key", []string{"TM\u200e-1", "", "", "", ""}, "key: text_damaged"},
		{"a character that nobody sees, in a text", []string{"1", "a\u200bb", "", "", ""}, ""},
		{"a name of a lookup", []string{"1", "", "", "Wortmarke f\ufffdr", ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			verdict := func(checks string) string {
				m := bind(t, markWith(fields, checks, "lookups: {types: {inline: {\"Wortmarke f\ufffdr\": "+idOne+"}}}"), "Ref, Mark, Notes, Type, Goods")
				row := textRow(2, c.row...)
				key, _, _ := m.Key(row)
				record, reasons := m.Map([]table.Row{row})
				if key != c.row[0] || record.Key != key {
					t.Errorf("the key is %q, then %q", key, record.Key)
				}
				found := codesOf(reasons)
				for _, code := range codesOf(record.Notes) {
					found = append(found, "note "+code)
				}
				return strings.Join(found, " ")
			}
			same(t, verdict(""), c.want)
			warned := ""
			if c.want != "" {
				warned = "note " + c.want
			}
			same(t, verdict("checks: {text_damaged: warn}"), warned)
			same(t, verdict("checks: {text_damaged: off}"), "")
		})
	}
}
