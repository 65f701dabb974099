package report

import (
	"context"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// Gone are the records of the last run that are no longer in the export.
type Gone struct {
	Records int    `json:"records"`
	Last    string `json:"last_seen"` // the run that they were last seen in
	Seen    string `json:"last_seen_on"`
	// Keys are the first of them; the file vanished.csv has all.
	Keys []string `json:"keys"`
	// Pruned is when the run that they were last seen in was pruned, zero while it is not: since then they cannot be named, but for
	// those that a person has decided about.
	Pruned time.Time `json:"pruned,omitzero"`
}

// keysNamed is how many vanished records a summary names.
const keysNamed = 20

// gone finds what vanished, nil for nothing. The keys are missing when the ledger no longer keeps the records of the run that
// they were last seen in.
func gone(ctx context.Context, led *ledger.Reader, run ledger.Run) (*Gone, error) {
	if run.Export == nil || run.Export.Vanished == 0 {
		return nil, nil
	}
	g := &Gone{Records: run.Export.Vanished, Last: run.Export.Base, Keys: []string{}}
	last, err := led.Run(ctx, run.Export.Base)
	if err != nil {
		return g, nil //nolint:nilerr // the run is no longer kept, and its count is
	}
	g.Seen, g.Pruned = last.Started.Local().Format(time.DateOnly), last.Pruned
	for key, err := range led.Vanished(ctx, run.Export.Base, run.ID) {
		if err != nil {
			return nil, err
		}
		if g.Keys = append(g.Keys, key); len(g.Keys) == keysNamed {
			break
		}
	}
	return g, nil
}

// String says it in a line.
func (g Gone) String() string {
	text := wording.Counted(g.Records, "record") + " of the last run" + wording.Plural(g.Records, " is", " are") + " no longer in the export"
	if g.Seen != "" {
		text += " (last seen on " + g.Seen + ")"
	}
	if len(g.Keys) > 0 {
		text += ": " + strings.Join(g.Keys, ", ")
	}
	switch more := g.Records - len(g.Keys); {
	case more > 0 && !g.Pruned.IsZero():
		text += "; " + g.Lost()
	case more > 0 && len(g.Keys) > 0:
		text += " and " + wording.Thousands(more) + " more in " + VanishedFile
	}
	return text
}

// Lost says why not all of them can be named, "" when they can.
func (g Gone) Lost() string {
	if g.Pruned.IsZero() {
		return ""
	}
	return "the run that they were last seen in was pruned on " + moment.Day(g.Pruned) +
		", so that not all of them can be named any more"
}

// Guarded is what the guards say of a run that they did not stop: that they would have, or who let it through. "" for nothing.
func (s *Summary) Guarded() string {
	if len(s.Run.Guards) == 0 || cause.HeldByGuard(s.Run) {
		return ""
	}
	text := "guards would stop a run: "
	if p := s.Run.Passed; p != nil {
		text = "let through its guards by " + p.By + " on " + moment.Of(p.At) + ": "
	}
	return text + remedy.Guards(s.Run)
}
