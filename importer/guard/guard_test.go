package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// strict has every guard on.
var strict = Limits{
	Changes: 20, RowsFell: 20, Vanished: 10, Rejects: 10, DatesShifted: 5, DaysSwapped: 3, CharactersLost: 3, MaxChanges: 500, OlderThan: 36 * time.Hour,
	Empty: true, Header: true, Columns: true, SameFile: true, Least: 10,
}

// night is an export of a thousand records, changed.
func night(change func(*ledger.Run)) ledger.Run {
	run := ledger.Run{Started: time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), Sources: []ledger.Source{{SHA256: "aa"}}, Export: &ledger.Export{
		Rows: 1000, Records: 1000, Rejected: 120, Written: time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC),
		Columns: []ledger.Column{
			{Name: "Ref", Filled: 1000, Codes: 1000}, {Name: "Filed", Filled: 900, Dates: 900},
			{Name: "Note", Filled: 40, Words: 40}, {Name: "Note", Filled: 3, Words: 3},
		},
	}}
	change(&run)
	return run
}

func TestGuardsFire(t *testing.T) {
	t.Parallel()
	same := func(*ledger.Run) {}
	other := func(change func(*ledger.Run)) func(*ledger.Run) {
		return func(r *ledger.Run) { r.Sources[0].SHA256 = "bb"; change(r) }
	}
	for _, test := range []struct {
		name   string
		guards Limits
		now    func(*ledger.Run)
		unsent int
		want   string
	}{
		{"the same export fires nothing but that it is the same", strict, same, 0, "same_file"},
		{"another file with nothing new", strict, other(same), 0, ""},
		{"nothing is guarded without limits", Limits{}, other(func(r *ledger.Run) { *r.Export = ledger.Export{ToSend: 999} }), 0, ""},
		{"no rows", strict, other(func(r *ledger.Run) { r.Export.Rows, r.Export.Records, r.Export.Rejected = 0, 0, 0 }), 0, "empty"},
		{"rows at the limit", strict, other(func(r *ledger.Run) { r.Export.Rows = 800 }), 0, ""},
		{"rows below the limit", strict, other(func(r *ledger.Run) { r.Export.Rows = 799 }), 0, "rows_fell"},
		{"more rows are no fall", strict, other(func(r *ledger.Run) { r.Export.Rows = 5000 }), 0, ""},
		{"changes at the limit", strict, other(func(r *ledger.Run) { r.Export.ToSend = 200 }), 0, ""},
		{"changes over the limit", strict, other(func(r *ledger.Run) { r.Export.ToSend = 201 }), 0, "changes"},
		{"changes of what was created count", strict, other(func(r *ledger.Run) { r.Export.ToSend, r.Export.Stale = 1, 200 }), 0, "changes"},
		{"changes of what was created count once", strict, other(func(r *ledger.Run) { r.Export.Stale, r.Export.StaleStill = 700, 500 }), 0, ""},
		{"what the last run left unsent is no change", strict, other(func(r *ledger.Run) { r.Export.ToSend = 900 }), 800, ""},
		{"what the last run rejected and somebody corrected is no change", strict, other(func(r *ledger.Run) { r.Export.ToSend, r.Export.Rejected = 320, 0 }), 0, ""},
		{"what the last run rejected and is gone corrects nothing", strict, other(func(r *ledger.Run) { r.Export.ToSend, r.Export.Rejected, r.Export.Records = 201, 0, 880 }), 0, "changes"},
		{"changes over the number", strict, other(func(r *ledger.Run) { r.Export.ToSend = 501 }), 0, "changes max_changes"},
		{"vanished", strict, other(func(r *ledger.Run) { r.Export.Vanished = 101 }), 0, "vanished"},
		{"rejected every night", strict, other(func(r *ledger.Run) { r.Export.Rejected = 220 }), 0, ""},
		{"rejected more than before", strict, other(func(r *ledger.Run) { r.Export.Rejected = 221 }), 0, "rejects"},
		{"dates", strict, other(func(r *ledger.Run) { r.Export.Shift, r.Export.Shifted = -1, 51 }), 0, "dates_shifted"},
		{"two dates with day and month swapped", strict, other(func(r *ledger.Run) { r.Export.Swapped = 2 }), 0, ""},
		{"two texts that lost characters", strict, other(func(r *ledger.Run) { r.Export.Lost = 2 }), 0, ""},
		{"three texts that lost characters", strict, other(func(r *ledger.Run) { r.Export.Lost = 3 }), 0, "characters_lost"},
		{"three dates with day and month swapped", strict, other(func(r *ledger.Run) { r.Export.Swapped = 3 }), 0, "days_swapped"},
		{"a file at the limit of its age", strict, other(func(r *ledger.Run) { r.Export.Written = r.Started.Add(-36 * time.Hour) }), 0, ""},
		{"an old file", strict, other(func(r *ledger.Run) { r.Export.Written = r.Started.Add(-36*time.Hour - time.Second) }), 0, "older_than"},
		{"a file from a clock that is fast", strict, other(func(r *ledger.Run) { r.Export.Written = r.Started.Add(24 * time.Hour) }), 0, ""},
		{"a file from the future", strict, other(func(r *ledger.Run) { r.Export.Written = r.Started.Add(24*time.Hour + time.Second) }), 0, "older_than"},
		{"a blank column", strict, other(func(r *ledger.Run) { r.Export.Columns[1] = ledger.Column{Name: "Filed", Filled: 45, Dates: 45} }), 0, "columns:Filed"},
		{"a column that is a little emptier", strict, other(func(r *ledger.Run) { r.Export.Columns[1] = ledger.Column{Name: "Filed", Filled: 46, Dates: 46} }), 0, ""},
		{"a column of few values may go blank", strict, other(func(r *ledger.Run) { r.Export.Columns[3] = ledger.Column{Name: "Note"} }), 0, ""},
		{"another kind of values", strict, other(func(r *ledger.Run) {
			r.Export.Columns[1] = ledger.Column{Name: "Filed", Filled: 900, Numbers: 460, Dates: 440}
		}), 0, "columns:Filed"},
		{"half of another kind", strict, other(func(r *ledger.Run) {
			r.Export.Columns[1] = ledger.Column{Name: "Filed", Filled: 900, Numbers: 450, Dates: 450}
		}), 0, ""},
		{"a header that the mapping takes for the same", strict, other(func(r *ledger.Run) { r.Export.Columns[1].Name = " FILED" }), 0, ""},
		{"a header renamed", strict, other(func(r *ledger.Run) { r.Export.Columns[1].Name = "Filed on" }), 0, "header"},
		{"blank columns without a name behind the last one", strict, other(func(r *ledger.Run) { r.Export.Columns = append(r.Export.Columns, ledger.Column{}, ledger.Column{}) }), 0, ""},
		{"a filled column without a name", strict, other(func(r *ledger.Run) { r.Export.Columns = append(r.Export.Columns, ledger.Column{Filled: 1, Words: 1}) }), 0, "header"},
		{"a blank column without a name that moves others", strict, other(func(r *ledger.Run) { r.Export.Columns = slices.Insert(r.Export.Columns, 1, ledger.Column{}) }), 0, "header"},
		{"one of two columns of a name gone", strict, other(func(r *ledger.Run) { r.Export.Columns = r.Export.Columns[:3] }), 0, "header"},
		{"columns in another order", strict, other(func(r *ledger.Run) {
			r.Export.Columns[0], r.Export.Columns[1] = r.Export.Columns[1], r.Export.Columns[0]
		}), 0, "header"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := night(test.now)
			fired := test.guards.Fire(now, night(same), test.unsent, now.Started)
			var names []string
			for _, g := range fired {
				name := g.Name
				if g.Column != "" {
					name += ":" + g.Column
				}
				names = append(names, name)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("fired %q, want %q: %+v", got, test.want, fired)
			}
		})
	}
}

// A firm of eight matters may change three of them.
func TestSharesOfFewDoNotCount(t *testing.T) {
	t.Parallel()
	small := func(rows, changes int) ledger.Run {
		return ledger.Run{Export: &ledger.Export{Rows: rows, Records: rows, ToSend: changes, Vanished: 8 - rows}}
	}
	if fired := strict.Fire(small(4, 3), small(8, 0), 0, time.Time{}); len(fired) > 0 {
		t.Errorf("fired %+v", fired)
	}
}

func TestGuardsSayTheNumbers(t *testing.T) {
	t.Parallel()
	last := ledger.Run{Export: &ledger.Export{Rows: 10_240, Records: 10_240}}
	now := ledger.Run{Export: &ledger.Export{Rows: 5_118, Records: 5_118}}
	want := []ledger.Guard{{Name: RowsFell, Message: "rows fell from 10,240 to 5,118 (−50 %), where the limit is 20 %"}}
	if diff := cmp.Diff(want, Limits{RowsFell: 20}.Fire(now, last, 0, time.Time{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	last.Export.Records, now.Export.ToSend = 40, 41
	want = []ledger.Guard{{Name: Changes, Message: "41 records are new or changed (the last run had 40), where the limit is 20 %"}}
	if diff := cmp.Diff(want, Limits{Changes: 20}.Fire(now, last, 0, time.Time{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTextKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]table.Kind{
		"": table.Empty, "  ": table.Empty, "0b5e4c5a-7f11-4b7e-9a55-000000000001": kindID,
		"2024-03-01": table.Date, "3/1/24": table.Date, "01.03.2024": table.Date, "2024-03-01T13:30:00": table.Date, "01/03/2024 13:30": table.Date,
		"2024-03-01T13:30:00Z": kindCodes, "018000001": table.Number, "1,250.50": table.Number, "-3": table.Number,
		"LUMEN": kindWords, "Müller & Söhne": kindWords, "n/a": kindWords, "TM-0042": kindCodes, "3 Mar 2024": kindCodes,
	} {
		if got := textKind(text); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
}

func TestShiftIsOfAllDatesAlike(t *testing.T) {
	t.Parallel()
	const before = `{"a":"2024-02-28T00:00:00Z","b":"2024-12-31T00:00:00Z","c":"x"}`
	for now, want := range map[string]int{
		`{"a":"2024-02-29T00:00:00Z","b":"2025-01-01T00:00:00Z","c":"y"}`: 1,
		`{"a":"2024-02-27T00:00:00Z","b":"2024-12-30T00:00:00Z"}`:         -1,
		`{"a":"2024-02-29T00:00:00Z","b":"2024-12-31T00:00:00Z"}`:         0,
		`{"a":"2024-02-29T00:00:00Z","b":"2025-01-02T00:00:00Z"}`:         0,
		`{"a":"2024-02-29T00:00:00Z"}`:                                    1,
		before:                                                            0,
		`{"c":"z"}`:                                                       0,
	} {
		if got := shift([]byte(before), []byte(now)); got != want {
			t.Errorf("%s moved by %d, want %d", now, got, want)
		}
	}
}

// All dates of a case stand in its components, which are known by their ids.
func TestDatesOfComponentsAreCompared(t *testing.T) {
	t.Parallel()
	of := func(list string) []byte { return []byte(`{"id":"1","components":[` + list + `],"name":"x"}`) }
	component := func(id, value string) string {
		return fmt.Sprintf(`{"file_template_component_id":"%s","entity_id":null,"value":"%s"}`, id, value)
	}
	a, b := component("a", "2024-03-04T00:00:00Z"), component("b", "2024-05-01T00:00:00Z")
	const entity = `{"file_template_component_id":"e","entity_id":"1","value":null}`
	before := of(a + "," + b + "," + entity)
	for now, want := range map[string]struct {
		days    int
		swapped bool
	}{
		a + "," + b + "," + entity: {},
		component("b", "2024-05-02T00:00:00Z") + "," + component("a", "2024-03-05T00:00:00Z") + "," + entity: {days: 1},
		component("a", "2024-04-03T00:00:00Z") + "," + b + "," + entity:                                      {swapped: true},
		component("a", "2024-04-03T00:00:00Z") + "," + b + "," + strings.Replace(entity, `"1"`, `"2"`, 1):    {},
		component("a", "2024-04-03T00:00:00Z") + "," + b:                                                     {},
		"": {},
	} {
		if days, swapped := shift(before, of(now)), onlySwapped(before, of(now)); days != want.days || swapped != want.swapped {
			t.Errorf("%s: %d days, swapped %t", now, days, swapped)
		}
	}
}

func TestSwappedIsNothingButDayAndMonth(t *testing.T) {
	t.Parallel()
	const before = `{"a":"2024-03-04T00:00:00Z","b":"2024-05-05T00:00:00Z","c":"x"}`
	for now, want := range map[string]bool{
		before: false,
		`{"a":"2024-04-03T00:00:00Z","b":"2024-05-05T00:00:00Z","c":"x"}`: true,
		`{"a":"2024-04-03T00:00:00Z","b":"2024-05-05T00:00:00Z","c":"y"}`: false,
		`{"a":"2024-04-03T00:00:00Z","b":"2024-05-06T00:00:00Z","c":"x"}`: false,
		`{"a":"2024-04-03T00:00:00Z","b":"2024-05-05T00:00:00Z"}`:         false,
		`{"a":"2025-04-03T00:00:00Z","b":"2024-05-05T00:00:00Z","c":"x"}`: false,
		`{"a":"2024-03-05T00:00:00Z","b":"2024-05-05T00:00:00Z","c":"x"}`: false,
		`{"c":"x"}`: false,
	} {
		if got := onlySwapped([]byte(before), []byte(now)); got != want {
			t.Errorf("%s: %v, want %v", now, got, want)
		}
	}
}

// TestDatesAreGuardedBeforeARunHasFinished has nothing but what was accepted of each record to be compared with.
func TestDatesAreGuardedBeforeARunHasFinished(t *testing.T) {
	t.Parallel()
	now := ledger.Run{Export: &ledger.Export{Rows: 40, Records: 40, Shifted: 30, Shift: 1}}
	limits := Limits{DatesShifted: 5, Least: 10}
	for name, fired := range map[string][]ledger.Guard{
		"alone":        limits.FirePart(*now.Export),
		"after a part": limits.Unfinished().Fire(now, ledger.Run{Export: &ledger.Export{Rows: 40, Records: 40}}, 0, time.Time{}),
	} {
		if len(fired) != 1 || fired[0].Name != DatesShifted {
			t.Errorf("%s: fired %+v", name, fired)
		}
	}
}

func TestLostCharacters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		was, is string
		lost    bool
	}{
		{"01055433", "1055433", true},
		{"00012/EP", "12/EP", true},
		{"0", "", false},
		{"100", "1", false},
		{"0A", "A", false},
		{"1234567890123456", "1234567890123460", true}, // the 15th digit was rounded up
		{"1234567890123451", "1234567890123450", true},
		{"12345678901234567", "12345678901234500", true},
		{"Žytni Krąg", "?ytni Kr?g", true},
		{"ŁADA", "LADA", true},
		{"幽玄", "??", true},
		{"Krag", "Krąg", false},
		{"Société", "Société S", false},
		{"Müller", "Muster", false},
		{"a", "b", false},
		{"5€", "5?", false},
	} {
		payload := func(text string) []byte {
			return []byte(`{"name":"n","goods":[{"id":null,"text":` + strconv.Quote(text) + `}],"number":"7"}`)
		}
		if got := lostCharacters(payload(test.was), payload(test.is)); got != test.lost {
			t.Errorf("%q became %q: lost %t", test.was, test.is, got)
		}
	}
	if lostCharacters([]byte(`{"a":"07"}`), []byte(`{"b":"7"}`)) || lostCharacters(nil, []byte(`{"b":"7"}`)) {
		t.Error("a text was lost in another field")
	}
}
