package web

import (
	"errors"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
)

// Refusal tells somebody whose request cannot be served what happened, and what to do next.
type Refusal struct {
	Status  int
	Message string
	Hint    string
	// Path is where to continue, "" for the first page, and Way the text of the link.
	Path, Way string
}

func (r *Refusal) Error() string { return r.Message }

// Refuse returns the error for a request that cannot be served.
func Refuse(status int, message, hint string) error {
	return &Refusal{Status: status, Message: message, Hint: hint}
}

// Lines reports whether the hint has several lines that belong together, such as those of a mistake in the
// configuration.
func (r *Refusal) Lines() bool { return strings.Contains(r.Hint, "\n") }

// refusalOf returns what to tell about an error. For trouble of the machine, it shows the error, which holds no secret,
// to whoever is signed in.
func (r *Request) refusalOf(err error) *Refusal {
	var refused *Refusal
	var busy *fault.BusyError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, new(*http.MaxBytesError)):
		return &Refusal{Status: http.StatusRequestEntityTooLarge, Message: "The upload is too large.", Hint: "The limit is upload_limit under console: in the configuration."}
	case errors.Is(err, ledger.ErrNotFound):
		return &Refusal{Status: http.StatusNotFound, Message: "Not found in the ledger.", Hint: "It may have been pruned, or a newer dry run has taken its place. The list of runs shows what is kept."}
	case takesNoWrites(err) && r.Person.Name != "":
		r.frame.Log.Error("the ledger cannot be written to", zap.String("path", r.URL.Path), zap.Error(err))
		return &Refusal{Status: http.StatusServiceUnavailable, Message: noWrites(err), Hint: wayOn + "\n" + err.Error()}
	case errors.As(err, &busy) && !r.Person.SeesAll():
		return &Refusal{Status: http.StatusConflict, Message: "This cannot be done at the moment.", Hint: "Try again in a few minutes."}
	case errors.As(err, &busy):
		return &Refusal{Status: http.StatusConflict, Message: "Another run is using the ledger.", Hint: busy.Error()}
	}
	r.frame.Log.Error("a page failed", zap.String("path", r.URL.Path), zap.Error(err))
	if errors.Is(err, signin.ErrAway) {
		return &Refusal{Status: http.StatusServiceUnavailable, Message: "The ledger cannot be reached.",
			Hint: "Its database does not respond. Try again in a minute. If this happens again, tell whoever runs docketsync."}
	}
	if r.Person.Name == "" || !r.Person.SeesAll() { // the words may be about other jobs
		return &Refusal{Status: http.StatusInternalServerError, Message: "Something went wrong.", Hint: "The log of the console has the details."}
	}
	message, hint, _ := strings.Cut(err.Error(), "\n")
	return &Refusal{Status: http.StatusInternalServerError, Message: message, Hint: hint}
}
