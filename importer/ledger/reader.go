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

// Reader reads a ledger and changes nothing. Whoever reports, counts or shows pages holds one. Its methods may be used
// by several goroutines at once.
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

// The readers of the packages below are embedded in Reader.
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

// Within returns a reader of the runs of these jobs alone. To it, everything else does not exist.
func (l *Reader) Within(jobs []string) *Reader { return newReader(l.h.Within(jobs)) }
