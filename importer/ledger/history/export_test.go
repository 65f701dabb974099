package history

import "strings"

// Searches are the statements that look for few records among many, with the index that each is to use.
var Searches = map[string]string{
	fill(selectPending, "1", "2", "3"): "records_planned",
	fill(selectDoubts.Any, "'s'"):      "SEARCH records USING INDEX records_unsure (scope=?",
	fill(anyUnsettled, "'s'"):          "SEARCH r USING INDEX records_unsettled (scope=?",
	fill(selectRefusals.Text, "'s'"):   "SEARCH r USING INDEX records_unsettled (scope=? AND key=?",
	fill(selectUnsettled.Text, "'s'"):  "records_unsettled (scope=? AND key=?",
	fill(selectDoubts.Text, "'s'"):     "records_unsure",
	selectRecords + `where r.run_no in (select number from runs) and r.key <> '' and r.key = 'a' and r.scope = 'b' order by u.number desc`: "records_by_key (run_no=? AND key=?",
}

func fill(text string, values ...string) string {
	text = strings.ReplaceAll(text, "{keys}", "'a', 'b'")
	for n, value := range values {
		text = strings.ReplaceAll(text, "$"+string(rune('1'+n)), value)
	}
	return text
}
