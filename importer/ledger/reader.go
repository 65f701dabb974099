package ledger

import (
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/occurrences"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/search"
)

// Reader says what a ledger holds, and changes nothing of it. Whoever reports, counts or shows pages holds one. All methods may be
// used by several goroutines at once.
type Reader struct {
	h *handle.Reader
	past
	proof
	staged
	decided
	index
	traces
	due
}

// What the rooms read is the reader's to tell.
type (
	past    = *history.Reader
	proof   = *evidence.Reader
	staged  = *planning.Reader
	decided = *decisions.Reader
	index   = *search.Reader
	traces  = *forget.Reader
	due     = *occurrences.Reader
)

func newReader(h *handle.Reader) *Reader {
	r := &Reader{h: h, past: history.New(h), proof: evidence.New(h), staged: planning.New(h), due: occurrences.New(h)}
	r.decided = decisions.New(h, r.past)
	r.index = search.New(h, r.past)
	r.traces = forget.New(h, r.past, r.decided)
	return r
}

// Within is a reader of the runs of these jobs alone, which is told of everything else what is told of what does not exist.
func (l *Reader) Within(jobs []string) *Reader { return newReader(l.h.Within(jobs)) }
