package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// folderFileScope is the scope of the ids of files that were created inside folders. Their keys are their numbers.
const folderFileScope = "create_folder.files"

// settleResult turns the client's result into the record's outcome. why, if not nil, says why the run cannot go on.
func (p *pusher) settleResult(record *ledger.Record, result apiclient.Result) (outcome ledger.Outcome, why error) {
	outcome = ledger.Outcome{
		Run: record.Run, Seq: record.Seq, Status: result.Status, Message: result.Message, At: p.Now(),
		Attempts: attempts(record, result.Attempts),
	}
	switch result.Verdict {
	case apiclient.Accepted:
		outcome.State, outcome.ServiceID, outcome.Entries = ledger.Accepted, result.ID, record.Entries
		outcome.ReadBack, outcome.Reasons = result.ReadBack.Fields, differences(result.ReadBack.Differences)
		for _, file := range result.Files {
			if file.ID != "" {
				outcome.Also = append(outcome.Also, ledger.Identity{Scope: folderFileScope, Key: file.Number, ServiceID: file.ID})
			}
		}
	case apiclient.Refused:
		outcome.State, outcome.Reasons = ledger.Refused, refusal(result)
		if p.Target != nil {
			outcome.Reasons[0].SentTo = p.Target(p.run.Operation)
		}
	case apiclient.Failed:
		outcome.State = ledger.Failed
	case apiclient.InDoubt:
		outcome.State = ledger.InDoubt
	case apiclient.Stopped:
		outcome.State, why = stopped(result), result.Err
	case apiclient.NotSent, apiclient.Aside:
		outcome.State = ledger.Held
	default:
		// An unknown verdict must not lose a record that the service may have acted on.
		outcome.State, outcome.Message = ledger.InDoubt, fmt.Sprintf("unknown verdict %q: %s", result.Verdict, result.Message)
	}
	if outcome.Message == "" && result.Err != nil {
		outcome.Message = result.Err.Error()
	}
	return outcome, why
}

// recentIDs is how many ids of this run are remembered: more than there are outcomes that the ledger does not have yet.
const recentIDs = 4096

// doubtIDs puts a create in doubt if the service answered with an id that something else already has: nobody knows what
// the service did, and updates of the two would overwrite each other.
func (p *pusher) doubtIDs(ctx context.Context, record *ledger.Record, outcome *ledger.Outcome) error {
	if outcome.State != ledger.Accepted || record.Action != ledger.Create {
		return nil
	}
	ids := []string{outcome.ServiceID}
	for _, file := range outcome.Also {
		ids = append(ids, file.ServiceID)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	own := map[string]string{}
	for n := range ids {
		ids[n] = payload.PlainID(ids[n])
	}
	for _, file := range outcome.Also {
		id := payload.PlainID(file.ServiceID)
		if other, twice := own[id]; twice {
			doubtID(outcome, id, "the file "+other+" as well as of "+file.Key)
			return nil
		}
		own[id] = file.Key
	}
	holders, err := p.Ledger.Holders(ctx, ids)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		of, twice := p.given[id]
		for _, h := range holders[id] {
			if h.Scope != record.Scope || h.Key != record.Key {
				of, twice = h.Key, true
			}
		}
		if twice {
			doubtID(outcome, id, strconv.Quote(of))
			return nil
		}
	}
	if p.given == nil {
		p.given = map[string]string{}
	}
	for _, id := range ids {
		p.given[id] = record.Key
		p.recent = append(p.recent, id)
	}
	for len(p.recent) > recentIDs {
		delete(p.given, p.recent[0])
		p.recent = p.recent[1:]
	}
	return nil
}

// doubtID turns an accepted create into one in doubt, because its id is that of something else.
func doubtID(outcome *ledger.Outcome, id, of string) {
	said := fmt.Sprintf("the service answered with %s, which is the id of %s: look up whether it created this record too", id, of)
	outcome.Attempts[len(outcome.Attempts)-1].Error = said
	*outcome = ledger.Outcome{Run: outcome.Run, Seq: outcome.Seq, State: ledger.InDoubt, Status: outcome.Status, Message: said, At: outcome.At, Attempts: outcome.Attempts}
}

// stopped returns the state of a record whose sending ended because the run stops. It is held only if the service
// cannot have acted on it. A record that is safe to repeat and was tried counts as failed.
func stopped(result apiclient.Result) ledger.State {
	if result.Doubt {
		return ledger.InDoubt
	}
	tried := result.Attempts
	if stopCode(result.Err) == stop.Certificate && len(tried) > 0 {
		tried = tried[:len(tried)-1] // nothing of the last one was written
	}
	for _, a := range tried {
		switch a.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		default:
			return ledger.Failed
		}
	}
	return ledger.Held
}

// stopCode returns the code for why a run stopped, from what the client says.
func stopCode(why error) string {
	if fault, ok := errors.AsType[*apiclient.Error](why); ok {
		return string(fault.Code)
	}
	return stop.Service
}

// guid matches ids as the service writes them. They are in lookups and seldom in rows.
var guid = regexp.MustCompile(`(?i)\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)

// refusal returns the service's refusal in its own words.
func refusal(result apiclient.Result) []ledger.Reason {
	words := result.Reasons
	if len(words) == 0 {
		words = []string{result.Message}
	}
	reasons := make([]ledger.Reason, 0, len(words))
	for _, said := range words {
		if said == "" {
			said = fmt.Sprintf("the service answered %d and gave no reason", result.Status)
		}
		why := reason.Refused
		if guid.MatchString(said) {
			why = reason.RefusedID
		}
		reasons = append(reasons, ledger.Reason{}.Says(reason.New(why, said)))
	}
	return reasons
}

// differences returns the notes on an accepted record that the service stores with other values.
func differences(list []apiclient.Difference) (notes []ledger.Reason) {
	for _, d := range list {
		notes = append(notes, ledger.Reason{Field: d.Field, Value: d.Sent, Stored: d.Stored}.Says(reason.New(reason.Differs, d.Field, d.Sent, d.Stored)))
	}
	return notes
}

func attempts(record *ledger.Record, made []apiclient.Attempt) []ledger.Attempt {
	list := make([]ledger.Attempt, 0, len(made))
	for _, a := range made {
		list = append(list, ledger.Attempt{
			Run: record.Run, Seq: record.Seq, Number: a.Number, Started: a.Started, Duration: a.Duration,
			Status: a.Status, Verdict: a.Verdict, Error: a.Error, Answer: a.Answer,
		})
	}
	return list
}
