package apiclient

import "time"

// Result is how the sending of one payload ended, with every request that was made for it.
type Result struct {
	Verdict Verdict
	Status  int      // HTTP status of the last answer, 0 for none
	ID      string   // of the new or updated record, "" when the answer gave none
	Files   []fileID // of the files of a new folder, those that the answer gave
	Message string   // the service's words, or what went wrong
	Reasons []string // the service's reasons one by one, or what is wrong with the payload
	// ReadBack, with Accepted, is what the comparison of the payload with the answer found.
	ReadBack ReadBack
	// Attempts holds the requests in order; none when nothing was sent.
	Attempts []Attempt
	// Doubt, with Stopped, tells that the record itself may have been acted on and is not safe to repeat.
	Doubt bool
	// Err is nil when accepted, else an *Error.
	Err error
}

// Attempt is one HTTP request.
type Attempt struct {
	Number   int // from 1
	Started  time.Time
	Duration time.Duration
	Status   int    // 0 when no status line came
	Verdict  string // a Verdict, or "retry" or "renew" when another request was to follow
	Error    string // what went wrong, "" when accepted or refused
	Answer   string // beginning of the body
}
