package doubts

import (
	"strings"

	"github.com/google/uuid"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// Decision is what a person says about a record in doubt, on its way to the ledger.
type Decision struct {
	Record   ledger.Record
	Decision ledger.Decision
	ID, Note string
}

// NewDecision reads a decision as a person writes it.
func NewDecision(r ledger.Record, word, id, note string) (Decision, error) {
	d := Decision{Record: r, Decision: ledger.Decision(strings.ToLower(strings.TrimSpace(word))), Note: note}
	switch d.Decision {
	case ledger.Exists, ledger.Absent, ledger.Leave:
	default:
		return d, exit.Mistakef("%s: %q is not a decision; use exists, absent or leave", r.Key, word)
	}
	if id = strings.TrimSpace(id); id == "" {
		return d, nil
	}
	if d.Decision != ledger.Exists {
		return d, exit.Mistakef("%s: an id can be given only with exists", r.Key)
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return d, exit.Mistakef("%s: %q is not a GUID", r.Key, id)
	}
	d.ID = parsed.String()
	return d, nil
}
