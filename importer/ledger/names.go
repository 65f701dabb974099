package ledger

import (
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/occurrences"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/prune"
	"docketsync/importer/ledger/search"
)

// The names of the ledger are those of the packages below it, whose comments say what they mean.

type (
	State             = model.State
	Action            = model.Action
	Phase             = model.Phase
	Kind              = model.Kind
	Run               = model.Run
	Source            = model.Source
	Origin            = model.Origin
	Counts            = model.Counts
	Row               = model.Row
	Reason            = model.Reason
	Stale             = model.Stale
	Entry             = model.Entry
	Record            = model.Record
	Attempt           = model.Attempt
	Doubt             = model.Doubt
	Staged            = model.Staged
	Intent            = model.Intent
	Outcome           = model.Outcome
	Identity          = model.Identity
	Count             = model.Count
	RunFilter         = model.RunFilter
	RecordFilter      = model.RecordFilter
	Made              = model.Made
	Digest            = model.Digest
	Renamed           = model.Renamed
	Rename            = model.Rename
	Export            = model.Export
	Column            = model.Column
	Guard             = model.Guard
	Passed            = model.Passed
	TransitionError   = handle.TransitionError
	DoubtError        = handle.DoubtError
	Misfit            = evidence.Misfit
	Verified          = evidence.Verified
	LastAccepted      = history.LastAccepted
	Refusal           = history.Refusal
	Union             = planning.Union
	Baseline          = planning.Baseline
	Acknowledged      = decisions.Acknowledged
	Decision          = decisions.Decision
	Decided           = decisions.Decided
	CellCorrection    = decisions.CellCorrection
	Side              = decisions.Side
	Conflict          = decisions.Conflict
	Settled           = decisions.Settled
	HeldUpdate        = decisions.HeldUpdate
	Stamp             = decisions.Stamp
	Listed            = decisions.Listed
	Stamped           = decisions.Stamped
	AuditEntry        = decisions.AuditEntry
	AuditFilter       = decisions.AuditFilter
	Found             = search.Found
	Searchable        = search.Searchable
	Subject           = forget.Subject
	Cell              = forget.Cell
	Traces            = forget.Traces
	NotificationState = occurrences.NotificationState
	OccurrenceState   = occurrences.OccurrenceState
	Occurrence        = occurrences.Occurrence
	Scheduled         = occurrences.Scheduled
	OccurrenceFilter  = occurrences.OccurrenceFilter
)

const (
	Planned       = model.Planned
	Sending       = model.Sending
	Accepted      = model.Accepted
	Refused       = model.Refused
	Failed        = model.Failed
	InDoubt       = model.InDoubt
	Rejected      = model.Rejected
	Unchanged     = model.Unchanged
	Held          = model.Held
	None          = model.None
	Create        = model.Create
	Update        = model.Update
	Reading       = model.Reading
	Ready         = model.Ready
	Pushing       = model.Pushing
	Finished      = model.Finished
	Stopped       = model.Stopped
	Push          = model.Push
	Plan          = model.Plan
	Check         = model.Check
	SameRecord    = model.SameRecord
	NewRecord     = model.NewRecord
	Exists        = decisions.Exists
	Absent        = decisions.Absent
	Leave         = decisions.Leave
	Ours          = decisions.Ours
	Theirs        = decisions.Theirs
	FieldKey      = search.FieldKey
	FieldID       = search.FieldID
	FieldCell     = search.FieldCell
	SkipForgotten = forget.SkipForgotten
	Waiting       = occurrences.Waiting
	CutOff        = occurrences.CutOff
	Interrupted   = occurrences.Interrupted
	Running       = occurrences.Running
	Ran           = occurrences.Ran
	Broke         = occurrences.Broke
	CaughtUp      = occurrences.CaughtUp
	Overlapped    = occurrences.Overlapped
	Missed        = occurrences.Missed
	Blocked       = occurrences.Blocked
)

var (
	ErrNotFound        = handle.ErrNotFound
	ErrAmbiguous       = handle.ErrAmbiguous
	ErrTakenOver       = handle.ErrTakenOver
	ErrCorrected       = decisions.ErrCorrected
	ErrNoConflict      = decisions.ErrNoConflict
	ErrUnfinished      = forget.ErrUnfinished
	ErrTransferred     = forget.ErrTransferred
	Unfinished         = occurrences.Unfinished
	ErrOccurrenceTaken = occurrences.ErrOccurrenceTaken
	ErrOpen            = prune.ErrOpen
	Holding            = model.Holding
)
