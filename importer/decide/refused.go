package decide

import (
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger"
)

// refusedBefore is what the service said, and why it is not asked again.
func refusedBefore(refusal ledger.Refusal, wait time.Duration) []ledger.Reason {
	const layout = "2006-01-02 15:04 MST"
	again := "not sent again"
	if wait > 0 {
		again += " before " + refusal.At.Add(wait).UTC().Format(layout)
	}
	hint := fmt.Sprintf("The service refused it on %s; as it is, it is %s. Correct the row as the service asks, or send it all the same: docketsync run --retry-refused.",
		refusal.At.UTC().Format(layout), again)
	reasons := make([]ledger.Reason, len(refusal.Reasons))
	for n, r := range refusal.Reasons {
		r.Code, r.Hint = ledger.CodeRefusedBefore, hint
		reasons[n] = r
	}
	return reasons
}

// RenamedReason says which records a new one may be.
func RenamedReason(list []ledger.Rename) ledger.Reason {
	former := make([]string, len(list))
	for n, r := range list {
		former[n] = fmt.Sprintf("%q", r.Former)
	}
	key := list[0].Key
	return ledger.Reason{
		Code: ledger.CodeRenamed, Value: key,
		Message: fmt.Sprintf("%q may be a new key of %s, which is no longer in the export: all else is the same. A second record would be created",
			key, strings.Join(former, " or ")),
		Hint: fmt.Sprintf("It is not created until you say which it is: docketsync renamed %q same, if it is the same record; docketsync renamed %q new, if it is another one.", key, key),
	}
}
