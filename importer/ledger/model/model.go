// Package model is the vocabulary of a ledger: runs, records and their states, requests, outcomes, and the filters that
// select them. Package ledger exports the names that others need as its own. Besides the types the package says how
// they are stored (rows.go, export.go) and how a rejected record is recognised (print.go).
package model

import (
	"encoding/json"
	"slices"
	"time"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// State is the state of a record. States are stored as these words.
type State string

// The states of a record.
const (
	Planned   State = "planned"   // decided to be sent; nothing of it has left
	Sending   State = "sending"   // intent committed: the request may have left
	Accepted  State = "accepted"  // the service said yes
	Refused   State = "refused"   // the service said no (400, 404, successful: false); sent again unchanged it would be refused again
	Failed    State = "failed"    // certainly or harmlessly not done, trouble outlasted the retries; the next run takes it up
	InDoubt   State = "in_doubt"  // may or may not have been acted on, not safe to repeat; waits for a person
	Rejected  State = "rejected"  // did not become a payload, with reasons; never sent
	Unchanged State = "unchanged" // the service already holds it
	Held      State = "held"      // planned, but the run was stopped before its turn
)

// Action is what sending the record would do.
type Action string

// The actions. A rejected record has None, unless it only waits: until retry.refused is over, or until somebody has
// said whether its key is a new one.
const (
	None   Action = "none"
	Create Action = "create"
	Update Action = "update"
)

// Phase is the phase of a run.
type Phase string

// The phases of a run.
const (
	Reading  Phase = "reading"  // first pass: reading, mapping, planning; nothing has been sent
	Ready    Phase = "ready"    // the plan is complete
	Pushing  Phase = "pushing"  // second pass
	Finished Phase = "finished" // every record has its outcome
	Stopped  Phase = "stopped"  // ended early, for the reason in Run.Stop; what was left is held
)

// Kind says what a run was made for.
type Kind string

// The kinds of run. Only Push sends.
const (
	Push  Kind = "run"
	Plan  Kind = "plan"
	Check Kind = "check"
)

// Run is one execution of one job.
type Run struct {
	ID string `json:"id"` // UUID version 7
	// Name is short for the id: the job and a number that no other run of the ledger has, "matters-12". The ledger
	// assigns it.
	Name        string          `json:"name"`
	Job         string          `json:"job"`
	Kind        Kind            `json:"kind"`
	Operation   string          `json:"operation"`
	Scope       string          `json:"scope"`
	Phase       Phase           `json:"phase"`
	Stop        string          `json:"stop,omitempty"` // why it was stopped, in a sentence; while it is pushing, why it pauses
	StopCode    string          `json:"stop_code,omitempty"`
	Order       string          `json:"-"`           // the date by which records are sent, nearest first, in the mapping's words; "" for the order of the source
	Fingerprint string          `json:"fingerprint"` // over source, mapping, lookups and options
	Sources     []Source        `json:"sources"`
	Counts      Counts          `json:"counts"`
	Notes       json.RawMessage `json:"notes,omitempty"` // what the reader detected and warned of
	Started     time.Time       `json:"started"`
	Ended       time.Time       `json:"ended,omitzero"`
	Export      *Export         `json:"export,omitempty"`
	Guards      []Guard         `json:"guards,omitempty"` // those that fired, which stopped the run unless Passed says who let it through
	Passed      *Passed         `json:"passed,omitempty"`
	Pruned      time.Time       `json:"pruned,omitzero"` // when most of its records were removed; see Ledger.Prune
	Made        *Made           `json:"-"`               // set for Begin, which stores it; see Reader.Made
}

// Apart reports whether a run sent rows that the job's next run may not read: those of a file of changes, or of a file
// that somebody named.
func (r Run) Apart() bool {
	return r.Kind == Push && r.Export == nil && (r.Phase == Finished || r.Phase == Stopped)
}

// Source is one file (and sheet) that a run read.
type Source struct {
	File   string   `json:"file"`
	Sheet  string   `json:"sheet,omitempty"`
	SHA256 string   `json:"sha256,omitempty"`
	Header []string `json:"header,omitempty"`
	// DateFormats are the number formats in which a workbook shows dates, by column from 0, as source.DateFormats
	// returns them.
	DateFormats map[int]string `json:"date_formats,omitempty"`
	// Dates are the patterns that the dates of its columns were proven to have, as mapping.Mapper.Proven returns them.
	Dates map[string][]string `json:"dates,omitempty"`
	// Ended says that it is a text file that ends with a line break, as the next one should.
	Ended bool `json:"ended,omitempty"`
	// Origins say which columns the fields of the payload were read from. Runs made before these were stored have none.
	Origins []Origin `json:"origins,omitempty"`
}

// ColumnsOf returns the columns that a field was read from, or none if there are none or the run did not store them.
func (s *Source) ColumnsOf(field string) []int {
	for _, o := range s.Origins {
		if o.Field == field {
			return o.Columns
		}
	}
	return nil
}

// FilesEnd reports whether most of the last three text files that runs read, newest run first, ended with a line break.
// If so, a file without one counts as cut off. That happens once or twice: if an exporter no longer writes one, its
// files are accepted after that.
func FilesEnd(runs []Run) bool {
	const lately = 3
	files, ended := 0, 0
	for _, run := range runs {
		for _, s := range run.Sources {
			if s.Sheet != "" || files == lately {
				continue // of a workbook, or too old
			}
			if files++; s.Ended {
				ended++
			}
		}
	}
	return 2*ended > files
}

type Origin = table.Origin

// Counts accounts for the rows of a run: Read = InRecords + the sum of Skipped.
type Counts struct {
	Read      int            `json:"read"`
	InRecords int            `json:"in_records"`
	Skipped   map[string]int `json:"skipped,omitempty"` // by reason
	United    int            `json:"united,omitempty"`  // of those in records, rows that say the same as another one of their key and are one record with it
}

// Row says where a part of a record came from. Cells is the JSON of the source's cells. They are stored for records
// that are not unchanged, so that a reject can be written out as it came in.
type Row struct {
	Source int             `json:"source"` // index into Run.Sources
	Number int             `json:"row"`
	Cells  json.RawMessage `json:"cells,omitempty"`
}

// Reason says why a record was rejected, or what is odd about it. The ledger stores its code and arguments, and the
// words of reasons that earlier releases stored as words alone.
type Reason = reason.Reason

// Entry is one goods and services entry that the service accepted without an id (interface.md part 4.3). If Withheld is
// set, it was reported and not sent, because it would have become a second entry. An Entry with a Field is Withheld
// too: it is the value, or the entry with an id, that the service keeps although the export no longer has it.
type Entry struct {
	Field    string `json:"field,omitempty"`
	Of       string `json:"of,omitempty"` // the id that the key named before, to which the entry belongs
	Language string `json:"language_id"`
	Class    string `json:"search_class_id"`
	Text     string `json:"text"`
	Withheld bool   `json:"withheld,omitempty"`
}

// Record is one record of one run.
type Record struct {
	Run        string          `json:"run"`
	Seq        int64           `json:"seq"` // order in the run, from 1
	Scope      string          `json:"scope"`
	Key        string          `json:"key"` // "" only if it was rejected for want of one
	Action     Action          `json:"action"`
	State      State           `json:"state"`
	Digest     string          `json:"digest,omitempty"`   // of the mapped payload, hex
	Payload    json.RawMessage `json:"payload,omitempty"`  // as mapped; if unchanged, only that of a create whose row has changed since
	Body       json.RawMessage `json:"body,omitempty"`     // what goes out, if it is not Payload byte for byte
	Previous   json.RawMessage `json:"previous,omitempty"` // the payload last accepted, if there is one and it differs
	Repeatable bool            `json:"repeatable"`         // sending it twice does no harm
	Rank       int64           `json:"-"`                  // its place in the order in which a run sends, smaller first; 0 if that is the order of the source
	Free       bool            `json:"-"`                  // set by Pending: it has a key, of which nothing is in doubt
	Rows       []Row           `json:"rows"`
	Reasons    []Reason        `json:"reasons,omitempty"` // why it was rejected or refused
	Notes      []Reason        `json:"notes,omitempty"`
	Entries    []Entry         `json:"entries,omitempty"` // what the service holds without an id once this record is accepted
	ServiceID  string          `json:"service_id,omitempty"`
	Status     int             `json:"status,omitempty"`    // HTTP status of the last answer, 0 for none
	Message    string          `json:"message,omitempty"`   // the service's words, or what went wrong
	ReadBack   []string        `json:"read_back,omitempty"` // the fields that the accepting answer showed, so that they were compared with what was sent
	Attempts   int             `json:"attempts"`
	Settled    time.Time       `json:"settled,omitzero"`
}

// Sent returns what goes out, or went out, for the record: the payload, or what the plan has put in its place.
func (r Record) Sent() json.RawMessage {
	if len(r.Body) > 0 {
		return r.Body
	}
	return r.Payload
}

// Attempt is one HTTP request for a record.
type Attempt struct {
	Run      string        `json:"run"`
	Seq      int64         `json:"seq"`
	Number   int           `json:"number"` // from 1
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Status   int           `json:"status,omitempty"`
	Verdict  string        `json:"verdict"`
	Error    string        `json:"error,omitempty"`
	Answer   string        `json:"answer,omitempty"` // beginning of the body, secrets removed
}

// Renamed is a person's decision about a key that may be a new one of a record that the service holds.
type Renamed string

// The decisions about a renamed key.
const (
	SameRecord Renamed = "same" // what was known under the former key is known under the new one
	NewRecord  Renamed = "new"  // the next run creates it
)

// Rename is the question whether Key is a new key of what is known under Former.
type Rename struct {
	Scope    string    `json:"scope"`
	Key      string    `json:"key"`
	Former   string    `json:"former"`
	Asked    time.Time `json:"asked"`
	Decision Renamed   `json:"decision,omitempty"` // "" while it is open
	Who      string    `json:"who,omitempty"`
	Decided  time.Time `json:"decided,omitzero"`
}

// Doubt names a record in doubt.
type Doubt struct {
	Run    string
	Seq    int64
	Digest string
	At     time.Time
}

// Staged is a row set aside until all rows of its record are known.
type Staged struct {
	Key string
	Row Row
}

// Group is the staged rows of one key, in the order they were read. Size is their number. If they are too many to hold,
// several groups of the key follow each other.
type Group struct {
	Key  string
	Size int
	Rows []Row
}

// Intent names a record that is about to be sent.
type Intent struct {
	Run string
	Seq int64
}

// Outcome is how a record ended. State is Accepted, Refused, Failed, InDoubt, or Held if nothing of it was sent. If
// Accepted, the record's digest and payload replace what is known. Then ServiceID, if empty, keeps the known id;
// Reasons become notes of the record; Entries, unless nil, replace the known ones; Also are further ids that the answer
// gave (the files of a folder).
type Outcome struct {
	Run       string
	Seq       int64
	State     State
	Status    int
	Message   string
	Reasons   []Reason
	ServiceID string
	Entries   []Entry
	Also      []Identity
	ReadBack  []string // as in Record
	Attempts  []Attempt
	At        time.Time
	// Sent is when a repeatable record was sent for which no intent was committed, otherwise zero. Such a record goes
	// from planned to any of these states.
	Sent time.Time
}

// Identity is an id that the service gave to something of ours.
type Identity struct {
	Scope     string
	Key       string
	ServiceID string
}

// Count is how many records of a run have an action and a state.
type Count struct {
	Action Action `json:"action"`
	State  State  `json:"state"`
	N      int    `json:"n"`
}

// RunFilter says which runs to list. Empty fields do not restrict.
type RunFilter struct {
	Job       string
	NotJobs   []string // only runs of other jobs than these
	Scope     string
	Operation string
	Kinds     []Kind
	Phases    []Phase
	// Exports asks for runs that have an Export.
	Exports bool
	// Before asks for runs that ended (or, without an end, began) before that time, Unpruned for those that Prune has
	// not finished.
	Before   time.Time
	Unpruned bool
	Limit    int // 0 for all
}

// RecordFilter says which records of a run to list. Empty fields do not restrict.
type RecordFilter struct {
	States  []State
	Actions []Action
	After   int64 // only records after this seq
	Limit   int   // 0 for all
	// Remarkable leaves out records that are unchanged and of which there is nothing more to say (see
	// Record.Unremarkable).
	Remarkable bool
	// Brief leaves out what takes room: scopes, digests, entries, what was accepted before, the cells of rows, and all
	// payloads except those that the service refused.
	Brief bool
	// Payloads leaves out all but Seq, Action, State and what would be sent: Payload, Body and Previous.
	Payloads bool
	// Digests leaves out all but Seq, Key, Action, State and Digest.
	Digests bool
}

// Unremarkable reports whether package unchanged can store all that is worth keeping of a record: it is unchanged, and
// there is nothing more to say of it.
func (r *Record) Unremarkable() bool {
	return r.State == Unchanged && r.Action == None && !r.Repeatable && r.Key != "" && len(r.Rows) > 0 && r.Status == 0 && r.Message == "" && r.Attempts == 0 &&
		r.Settled.IsZero() && len(r.Payload)+len(r.Body)+len(r.Previous)+len(r.Reasons)+len(r.Notes) == 0 &&
		!slices.ContainsFunc(r.Rows, func(row Row) bool { return len(row.Cells) > 0 })
}

// RefusedBefore reports whether a record was not sent because the service had refused it before.
func (r *Record) RefusedBefore() bool {
	return r.State == Rejected && len(r.Reasons) > 0 && r.Reasons[len(r.Reasons)-1].Code == reason.RefusedBefore
}

// Place is the place of a record: its run, by id and by number, and its seq.
type Place struct {
	Run    string
	Number int64
	Seq    int64
}

// ScopedKey is what a record is about.
type ScopedKey struct{ Scope, Key string }

// Made is what the plan of a run was made from, besides its sources (Run.Sources) and the ledger: enough to tell why
// two plans differ.
type Made struct {
	Version string `json:"version,omitempty"` // of docketsync
	Mapping string `json:"mapping,omitempty"` // SHA-256 of its text, hex
	// Settings are those settings of the configuration that differ from their defaults, one a line: how sources are
	// read, and the service's switches.
	Settings []string `json:"settings,omitempty"`
	Lookups  []Digest `json:"lookups,omitempty"` // files, and lists of the service
	Text     string   `json:"-"`                 // of the mapping
}

// Digest is the SHA-256 of a lookup's content, in hex.
type Digest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}
