package forecast

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger"
)

// Expected is when something will probably begin and end.
type Expected struct {
	Begins time.Time `json:"begins,omitzero"`
	Ends   time.Time `json:"ends,omitzero"`
	Least  time.Time `json:"ends_at_the_earliest,omitzero"`
	Most   time.Time `json:"ends_at_the_latest,omitzero"`
}

// Expect returns when something ends that begins as soon as what is before it has ended.
func Expect(begins time.Time, before, span Span) Expected {
	return Expected{begins.Add(before.Likely), begins.Add(before.Likely + span.Likely), begins.Add(before.Least + span.Least), begins.Add(before.Most + span.Most)}
}

// pastRuns is how many runs are searched for one that shows a pace. A run that sent fewer than one record in fewOfAll
// of those to be sent is used only if there is no other.
const (
	pastRuns = 50
	fewOfAll = 20
)

// Last returns the pace of the last run of an operation that sent enough to tell how long this many records take, or
// else of the run that sent the most. by is its name.
func Last(ctx context.Context, book *ledger.Reader, operation string, records int) (best Pace, by string, found bool, err error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished, ledger.Stopped}, Limit: pastRuns})
	if err != nil {
		return best, "", false, err
	}
	for _, run := range runs {
		if run.Operation != operation || !run.Pruned.IsZero() {
			continue
		}
		p, ok, err := observe(run, book.Timings(ctx, run.ID))
		if err != nil {
			return best, "", false, err
		}
		if ok && p.Settled > best.Settled {
			best, by, found = p, run.Name, true
		}
		if found && best.Settled*fewOfAll >= records {
			break
		}
	}
	return best, by, found, nil
}

// Made is a forecast that was made when a run began to send, or was resumed.
type Made struct {
	Expected
	ToBeSent int    `json:"to_be_sent"`
	By       string `json:"by"` // the run whose pace it goes by
}

// note is the form that a forecast has among the notes of a run.
type note struct {
	Forecast *Made `json:"forecast"`
}

// Keep adds a forecast to the notes of a run, replacing one from an earlier start of it; nil only removes that.
func Keep(notes json.RawMessage, made *Made) (json.RawMessage, error) {
	var list, kept []json.RawMessage
	if len(notes) > 0 {
		if err := json.Unmarshal(notes, &list); err != nil {
			return nil, fmt.Errorf("read the notes of a run: %w", err)
		}
	}
	for _, item := range list {
		if Kept(item) == nil {
			kept = append(kept, item)
		}
	}
	if made != nil {
		item, err := json.Marshal(note{made})
		if err != nil {
			return nil, err
		}
		kept = append(kept, item)
	}
	if len(kept) == len(list) && made == nil {
		return notes, nil
	}
	return json.Marshal(kept)
}

// Kept returns the forecast that a note of a run holds, nil for another kind of note.
func Kept(item json.RawMessage) *Made {
	var n note
	if json.Unmarshal(item, &n) != nil {
		return nil
	}
	return n.Forecast
}

const (
	limited  = 0.5  // share of the parts of a run with too many requests, from which on a limit holds it back
	busy     = 0.85 // share of the workers, or of a configured rate, from which on that holds a push back
	repeated = 0.05 // share of requests that settled nothing, from which on it is worth a sentence
)

// Shorter says what would make the push shorter, one sentence each. workers is how many requests may be in flight at
// once; rate is the configured maximum per second, 0 for none. Only what was observed is said: a push that is slower
// than its workers may be held back by the service or by this machine, and its requests do not show by which.
func (p Pace) Shorter(workers int, rate float64) (list []string) {
	waiting := p.PerSecond * p.LatencySeconds // on average, by Little's law
	switch {
	case rate > 0 && p.PerSecond > busy*rate:
		list = append(list, fmt.Sprintf("pace.rate holds it back at %s: a higher one makes it faster, if the service takes it.", Rate(rate)))
	case p.RefusedParts >= limited:
		list = append(list, fmt.Sprintf("The service refused requests all along as too many (429), at about %s: more workers do not help. Ask its operator for a higher limit for these hours.", Rate(p.PerSecond)))
	case waiting > busy*float64(workers):
		list = append(list, fmt.Sprintf("All %d workers are busy, and no limit of the service showed: with pace.concurrency at %d it takes about half as long, if the service keeps up.", workers, 2*workers))
	default:
		list = append(list, fmt.Sprintf("Only %.1f of %d workers were waiting for the service on average, so more of them do not help, and no limit of the service showed. "+
			"Look at what else this machine was doing, at its disk, and whether the service got slower under load (it answered in %.0f ms).", waiting, workers, 1000*p.LatencySeconds))
	}
	if p.Repeated-p.Refused > repeated {
		list = append(list, fmt.Sprintf("%.0f %% of the requests settled nothing and were repeated: find out why the service fails.", 100*(p.Repeated-p.Refused)))
	}
	return list
}

// Briefly is a rate for a narrow place.
func Briefly(perSecond float64) string {
	return strings.TrimSuffix(Rate(perSecond), " per second") + "/s"
}

// Rate is a rate in words.
func Rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f per second", perSecond)
	}
	return fmt.Sprintf("%.0f per second", perSecond)
}
