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
			r := ledger.Record{State: c.state, Reasons: []ledger.Reason{why}}
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
