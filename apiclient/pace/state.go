package pace

import (
	"fmt"
	"time"
)

// Feedback is what a request has shown about the service's pace.
type Feedback struct {
	Kind       Kind
	Operation  string
	Latency    time.Duration // of the request alone
	RetryAfter time.Duration // as the service asked, already capped; 0 for none
	Trouble    string        // what went wrong, in words; "" if served
	Again      bool          // the same request is retried, so others have not had their turn yet
}

// Kind is what became of a request, as far as pacing is concerned.
type Kind uint8

const (
	Neutral    Kind = iota // says nothing: cancelled, or turned away for its cookie
	Served                 // the service did its work, whether the answer is yes or no
	TooMany                // 429: the service is well and wants less
	Overloaded             // 503: the service has too much at once, or is going down
	Troubled               // no connection, no answer, 500
)

// State is how fast requests may begin at one moment.
type State struct {
	Rate    float64       `json:"rate"`     // requests per second that the service was found to take, or the ceiling before that; 0 while neither is known
	Window  int           `json:"window"`   // requests that may be under way at once
	Busy    int           `json:"busy"`     // requests under way
	Waiting int           `json:"waiting"`  // requests waiting for their turn
	PauseNS time.Duration `json:"pause_ns"` // how long no request will begin; 0 if all is well
	Tripped bool          `json:"tripped"`  // the service failed so often in a row that single requests probe it
}

// counts are the unsuccessful answers since the pacer was made.
type counts struct {
	TooMany    int64 // 429
	Overloaded int64 // 503
	Troubled   int64 // other requests that the service did not carry out
}

// State returns how fast requests may begin now.
func (p *Pacer) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	return State{Rate: p.account.known(now), Window: p.limit.Size(), Busy: p.busy, Waiting: len(p.waiting), PauseNS: max(p.account.PauseEnds.Sub(now), 0), Tripped: p.account.Breaker.Open}
}

// Counts returns the counts so far.
func (p *Pacer) Counts() counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// DownError says that the pacer has given up.
type DownError struct {
	Without time.Duration // time without any success
	Trouble string        // how the last request ended
	Apart   bool          // the service may be well, but the shared account could not be reached
}

// Error says for how long, and why.
func (e *DownError) Error() string {
	if e.Apart {
		return fmt.Sprintf("the database that holds the limit of the account for all processes could not be reached for %v: %s", e.Without.Round(time.Second), e.Trouble)
	}
	return fmt.Sprintf("the service is down: no request has succeeded in %v, the last ended with: %s", e.Without.Round(time.Second), e.Trouble)
}
