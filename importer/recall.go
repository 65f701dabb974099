package importer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
)

// recall adds to what is known of keys why they may not be sent: what the service refused and is not to be asked again yet, and
// what may have been created under another key.
func (p Policy) recall(ctx context.Context, book *ledger.Reader, scope string, keys []string, known map[string]ledger.Known, at time.Time) error {
	renamed, err := book.Renames(ctx, scope, keys)
	for key, list := range renamed {
		list = slices.DeleteFunc(list, func(r ledger.Rename) bool { return r.Decision != "" })
		k := known[key]
		k.Renames = list
		known[key] = k
	}
	if err != nil || p.RetryRefused == 0 {
		return err
	}
	refusals, err := book.Refusals(ctx, scope, keys)
	for key, refusal := range refusals {
		if p.RetryRefused < 0 || at.Before(refusal.At.Add(p.RetryRefused)) {
			k := known[key]
			k.Refused = &refusal
			known[key] = k
		}
	}
	return err
}

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
