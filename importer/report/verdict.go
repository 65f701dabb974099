package report

import (
	"fmt"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
)

// verdict says in a sentence or two how the run went, for someone who reads nothing else.
func verdict(s *Summary) string {
	return strings.TrimSpace(headline(s) + " " + stopped(s.Run))
}

// headline is the verdict without the reason for which the run was stopped.
func headline(s *Summary) string {
	if s.Partial != "" && guarded(s.Run) {
		return "Nothing could be made of the export." // why is said next
	}
	if s.Partial != "" {
		return sentence("The plan was not made: " + s.Partial)
	}
	if s.Rows.Read == 0 && guarded(s.Run) {
		return "There are no rows below the header."
	}
	if s.Rows.Read == 0 {
		return "There was nothing to do: there are no rows below the header."
	}
	if s.Records.Total == 0 {
		return fmt.Sprintf("There was nothing to do: %s read and none became a record.", count(s.Rows.Read, "row was", "rows were"))
	}
	text := sentence(strings.Join(append([]string{wentIn(s)}, shortfalls(s)...), "; "))
	if s.Run.Kind != ledger.Push {
		text += " Nothing was sent."
	}
	return text
}

// wentIn is the first clause: how much of all there is has arrived, or would.
func wentIn(s *Summary) string {
	total, already := s.Records.Total, s.Count(Unchanged).Records
	one, many := noun(s.Run.Operation)
	all := "all " + count(total, one, many)
	if total == 1 {
		all = "the only " + one
	}
	arrived, went := s.Count(Created).Records+s.Count(Updated).Records, "went in"
	if s.Run.Kind != ledger.Push {
		arrived, went = s.Count(Planned).Records+s.Count(Sending).Records, "would go in"
	}
	switch {
	case arrived == total:
		return all + " " + went
	case already == total:
		said := fmt.Sprintf("%s %s in already", all, plural(total, "was", "were"))
		if changed := changedSince(s); changed > 0 {
			return fmt.Sprintf("%s; %s changed since and could not be sent again", said, count(changed, "of them has", "of them have"))
		}
		return said + "; nothing has changed"
	case already == 0:
		return fmt.Sprintf("%s of %s %s", thousands(arrived), count(total, one, many), went)
	}
	return fmt.Sprintf("%s of %s %s, %s %s in already", thousands(arrived), count(total, one, many), went, thousands(already), plural(already, "was", "were"))
}

// changedSince counts the records that the service holds otherwise than the source has them, because what has changed would be
// created a second time: a case, a folder, or an entry of goods and services.
func changedSince(s *Summary) (records int) {
	for _, note := range s.Notes {
		if note.Code == "changed_since_created" || note.Code == "entry_text_changed" {
			records += note.Records
		}
	}
	return records
}

// shortfalls are the clauses for what did not arrive, the ones that need a person first.
func shortfalls(s *Summary) []string {
	var clauses []string
	say := func(o Outcome, text func(c OutcomeCount) string) {
		if c := s.Count(o); c.Records > 0 {
			clauses = append(clauses, text(c))
		}
	}
	say(Rejected, func(c OutcomeCount) string {
		if c.Rows == c.Records {
			return count(c.Rows, "row") + plural(c.Rows, " needs", " need") + " correcting"
		}
		one, many := noun(s.Run.Operation)
		return fmt.Sprintf("%s (%s)%s correcting", count(c.Records, one, many), count(c.Rows, "row"), plural(c.Records, " needs", " need"))
	})
	say(InDoubt, func(c OutcomeCount) string {
		return thousands(c.Records) + plural(c.Records, " is", " are") + " in doubt"
	})
	say(Failed, func(c OutcomeCount) string {
		return thousands(c.Records) + " failed and" + plural(c.Records, " goes", " go") + " out with the next run"
	})
	say(Held, func(c OutcomeCount) string {
		if guarded(s.Run) {
			return thousands(c.Records) + plural(c.Records, " is", " are") + " held by a guard"
		}
		return thousands(c.Records) + plural(c.Records, " is", " are") + " held for the next run"
	})
	if s.Run.Kind == ledger.Push {
		if open := s.Count(Planned).Records + s.Count(Sending).Records; open > 0 {
			clauses = append(clauses, thousands(open)+plural(open, " is", " are")+" still to be sent")
		}
	}
	return clauses
}

// stopped says why the run ended before its time, "" when it did not.
func stopped(run ledger.Run) string {
	switch {
	case run.Phase != ledger.Stopped || run.Stop == "":
		return ""
	case guarded(run):
		return sentence("Stopped by a guard: " + run.Stop)
	case strings.HasPrefix(run.Stop, "the run "):
		return sentence(run.Stop)
	}
	return sentence("The run was stopped: " + run.Stop)
}

// noun is what an operation's records are to the people of a firm.
func noun(operation string) (one, many string) {
	switch operation {
	case "create_case", "update_case":
		return "matter", "matters"
	case "create_folder":
		return "folder", "folders"
	case "update_trademark":
		return "mark", "marks"
	}
	return "record", "records"
}

// count is a number with its noun; the plural has an s unless it is given.
func count(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return thousands(n) + " " + many[0]
	}
	return thousands(n) + " " + one + "s"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// thousands is a number with commas: 58,201.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

func sentence(text string) string { return upperFirst(strings.TrimRight(text, ". ")) + "." }

// upperFirst begins a text with a capital, unless its first word is a name that is spelled as it is (client_id:, a.csv).
func upperFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(strings.TrimRight(first, ".,;"), "_.:/=@") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
