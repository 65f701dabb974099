package pace

import "time"

// Feedback is what a request tells about the service's pace.
type Feedback struct {
	Kind       Kind
	Operation  string
	Latency    time.Duration // of the request alone
	RetryAfter time.Duration // as the service asked, already capped; 0 for none
	Trouble    string        // what went wrong, in words; "" when served
	Again      bool          // the same is asked again, so that others have not had their turn yet
}

// Kind is what became of a request, as far as pacing cares.
type Kind uint8

// The kinds of signal.
const (
	Neutral    Kind = iota // says nothing: cancelled, turned away for its cookie
	Served                 // the service did its work, be the answer yes or no
	TooMany                // 429: the service is well and wants less
	Overloaded             // 503: the service has too much at once, or is going down
	Troubled               // no connection, no answer, 500
)
