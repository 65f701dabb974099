package console

import (
	"errors"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// refusal is what somebody is told who asks for what cannot be had: what happened, and what to do next.
type refusal struct {
	Status  int
	Message string
	Hint    string
	// Path is where to go on, "" for the beginning, and Way what stands on the link.
	Path, Way string
}

func (r *refusal) Error() string { return r.Message }

func refuse(status int, message, hint string) error {
	return &refusal{Status: status, Message: message, Hint: hint}
}

// Lines tells whether the hint is several lines that belong under each other, such as those of a mistake in the configuration.
func (r *refusal) Lines() bool { return strings.Contains(r.Hint, "\n") }

// refusalOf is what is told of an error. Of trouble of the machine it tells the words, which hold no secret, to whoever is signed in.
func (v *visit) refusalOf(err error) *refusal {
	var r *refusal
	var tooLarge *http.MaxBytesError
	var busy *ledger.BusyError
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &tooLarge):
		return &refusal{Status: http.StatusRequestEntityTooLarge, Message: "What was sent is too large.", Hint: "The limit is upload_limit under console: in the configuration."}
	case errors.Is(err, ledger.ErrNotFound):
		return &refusal{Status: http.StatusNotFound, Message: "The ledger has nothing of that name.", Hint: "It may have been pruned. The list of runs has what is there."}
	case takesNoWrites(err) && v.Person.Name != "":
		v.s.Log.Error("the disk of the ledger takes no writes", zap.String("path", v.r.URL.Path), zap.Error(err))
		return &refusal{Status: http.StatusServiceUnavailable, Message: noWrites(err), Hint: wayOn + "\n" + err.Error()}
	case errors.As(err, &busy):
		return &refusal{Status: http.StatusConflict, Message: "Another run holds the ledger.", Hint: busy.Error()}
	}
	v.s.Log.Error("a page could not be made", zap.String("path", v.r.URL.Path), zap.Error(err))
	if v.Person.Name == "" {
		return &refusal{Status: http.StatusInternalServerError, Message: "Something went wrong.", Hint: "The log of the console says what."}
	}
	message, hint, _ := strings.Cut(err.Error(), "\n")
	return &refusal{Status: http.StatusInternalServerError, Message: message, Hint: hint}
}
