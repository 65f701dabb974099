package cause

import (
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/mapping/reason"
)

// Reasons of one code are one cause, whose words keep what all of them say: the arguments that are equal, and of the service's
// words, which are one argument, what is equal in them. A reason that an earlier release stored as words joins them.
func TestCausesKeepWhatTheirReasonsShare(t *testing.T) {
	t.Parallel()
	of := func(p *reason.Problem) ledger.Reason { return ledger.Reason{Field: "mark_text"}.Says(p) }
	worded := func(text, hint string) ledger.Reason {
		return ledger.Reason{Field: "mark_text", Code: reason.Pattern, Message: text, Hint: hint}
	}
	refused := func(words string) ledger.Reason { return ledger.Reason{Code: "refused", Message: words} }
	for _, c := range []struct {
		name    string
		state   ledger.State
		reasons []ledger.Reason
		message string
		hint    string
	}{
		{"equal arguments stay", ledger.Rejected, []ledger.Reason{of(reason.New(reason.Pattern, "a 1", "^x+$")), of(reason.New(reason.Pattern, "b 2", "^x+$")), of(reason.New(reason.Pattern, "b 2", "^x+$"))},
			`"…" does not match the pattern ^x+$`, "Correct it in the source, or the pattern in the mapping."},
		{"one reason is told as it is", ledger.Rejected, []ledger.Reason{of(reason.New(reason.Pattern, "a 1", "^x+$"))}, `"a 1" does not match the pattern ^x+$`, "Correct it in the source, or the pattern in the mapping."},
		{"words of an earlier release join arguments", ledger.Rejected, []ledger.Reason{of(reason.New(reason.Pattern, "a", "x")), of(reason.New(reason.Pattern, "b", "x")), worded(`"c" does not match the pattern x`, "Correct it.")},
			`"…" does not match the pattern x`, "Correct it in the source, or the pattern in the mapping."},
		{"arguments join words of an earlier release", ledger.Rejected, []ledger.Reason{worded(`"c" does not match the pattern x`, "Correct it."), of(reason.New(reason.Pattern, "b", "x"))},
			`"…" does not match the pattern x`, "Correct it."},
		{"the service's words keep what is equal in them", ledger.Refused, []ledger.Reason{refused("the user “a” is unknown"), refused("the user “b” is unknown")}, "the user “…” is unknown", ""},
	} {
		var g Grouping
		for _, why := range c.reasons {
			r := ledger.Record{State: c.state, Rows: []ledger.Row{{Number: 2}}, Reasons: []ledger.Reason{why}}
			for _, found := range Of(ledger.Run{}, r) {
				g.Add(ledger.Run{}, r, found)
			}
		}
		list := g.List()
		if len(list) != 1 || list[0].Message != c.message || list[0].Hint != c.hint || list[0].Records != len(c.reasons) || list[0].Outcome != outcome.Rejected {
			t.Errorf("%s: %+v\nwant %q, %q", c.name, list, c.message, c.hint)
		}
	}
}

// What a reader notes of cells is told in its own words, which are not those of another cell of the column.
func TestDoubtsOfTheSourceAreToldApart(t *testing.T) {
	t.Parallel()
	var g Grouping
	for _, doubt := range []string{"a percentage", "divided by a thousand", "a percentage"} {
		r := ledger.Record{State: ledger.Accepted, Rows: make([]ledger.Row, 1), Notes: []ledger.Reason{ledger.Reason{Field: "notes"}.Says(reason.New(reason.Source, doubt))}}
		for _, c := range OfNotes(r) {
			g.Add(ledger.Run{}, r, c)
		}
	}
	if list := g.List(); len(list) != 2 || list[0].Message != "a percentage" || list[0].Rows != 2 || list[1].Message != "divided by a thousand" {
		t.Errorf("%+v", list)
	}
}

// The errors of a spreadsheet's cells are one kind, and each of them is told with its own cells: they have other reasons.
func TestErrorsOfCellsAreToldApart(t *testing.T) {
	t.Parallel()
	var kinds, causes Grouping
	for _, text := range []string{"#REF!", "#N/A", "#N/A"} {
		r := ledger.Record{State: ledger.Rejected, Rows: make([]ledger.Row, 1),
			Reasons: []ledger.Reason{ledger.Reason{Field: "mark_text", Value: text}.Says(reason.New(reason.CellError, text))}}
		found := Of(ledger.Run{}, r)
		for _, c := range found {
			causes.Add(ledger.Run{}, r, c)
		}
		for _, c := range Kinds(found) {
			kinds.Add(ledger.Run{}, r, c)
		}
	}
	list := Problems(kinds.List(), causes.List())
	if len(list) != 1 || list[0].Message != "the cell holds the error …" || list[0].Rows != 3 || len(list[0].Values) != 2 ||
		list[0].Values[0].Message != "the cell holds the error #N/A" || list[0].Values[0].Rows != 2 || list[0].Values[1].Value != "#REF!" {
		t.Errorf("%+v", list)
	}
}
