package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/reading"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// Summary is the account of one run: what went in, what did not and why. Its size is bounded, however long the run was.
type Summary struct {
	// Rehearsal is what every form says first if the run's service was not a live one, "" otherwise.
	Rehearsal string `json:"rehearsal,omitempty"`
	// Live is what every form says first of a run that sent something to a live service: which host that is.
	Live    string     `json:"live,omitempty"`
	Run     ledger.Run `json:"run"`
	Verdict string     `json:"verdict"`
	// AddsUp is false if counts contradict each other; Discrepancies then says which, a sentence each.
	AddsUp        bool     `json:"adds_up"`
	Discrepancies []string `json:"discrepancies,omitempty"`
	// Partial says why the account cannot be whole: the run ended while the file was still being read. Such a run sent
	// nothing.
	Partial string  `json:"partial,omitempty"`
	Rows    Rows    `json:"rows"`
	Records Records `json:"records"`
	// Waiting are the rejected records that lack only ids, nil for none.
	Waiting *cause.Waiting `json:"waiting_for_ids,omitempty"`
	// Acknowledged are the rejected records that somebody accepts as they are, nil for none.
	Acknowledged *Acknowledged `json:"acknowledged,omitempty"`
	// Rowless is how many rejected and unacknowledged records have no rows, because they are no longer in the export.
	Rowless int `json:"-"`
	// Causes are what needs attention or the next run, by number of records; Notes are what is unusual but kept nothing
	// back.
	Causes []cause.Cause `json:"causes"`
	Notes  []cause.Cause `json:"notes"`
	// Warnings are the reader's warnings, each kind once.
	Warnings []reading.Warned `json:"warnings,omitempty"`
	// Problems are the causes and the notes, each kind once; they are not part of the JSON form.
	Problems []cause.Problem `json:"-"`
	// Listed is how many records the page and the JSON form list, if that is fewer than all. FullList is the command
	// that lists all.
	Listed   int    `json:"records_listed,omitempty"`
	FullList string `json:"full_list,omitempty"`
	// Missing is how many unlisted records have something to report.
	Missing int `json:"problems_unlisted,omitempty"`
	// Unlisted is how many unchanged records are not listed, because they are many and there is nothing to report about
	// them.
	Unlisted int      `json:"unchanged_unlisted,omitempty"`
	Requests Requests `json:"requests"`
	// Forecast is when the run was expected to end, nil if there was no forecast.
	Forecast *Forecast `json:"forecast,omitempty"`
	// Lists are the service's lists in which names were looked up, with their age.
	Lists []reading.ListUsed `json:"lists,omitempty"`
	// Respelled are the names that rows spell differently from the lookups in which they were found.
	Respelled []reading.Respelled `json:"respelled,omitempty"`
	// Vanished are the records that are no longer in the export, nil for none.
	Vanished *Gone `json:"vanished,omitempty"`
	// Stays is what stays in the service though it is no longer in the export, nil for nothing.
	Stays *Noted `json:"stays_in_service,omitempty"`
	// Differs is what the service's answers show with a different value than was sent, nil for nothing.
	Differs *Noted `json:"stored_differently,omitempty"`
	// StillInDoubt is how many records of earlier runs of the job are in doubt and not in this run, so that no count
	// includes them.
	StillInDoubt int `json:"still_in_doubt,omitempty"`
	// Changed are the updates that were held because somebody else may have changed their records in the service, nil for none.
	Changed *Noted `json:"changed_in_service,omitempty"`
	// Unsent are the unacknowledged records whose rows have changed in a way that cannot be sent; nil for none.
	Unsent *Noted `json:"changes_not_sent,omitempty"`
	// Corrected are the records that an earlier run rejected and this one did not, nil for none.
	Corrected *corrected.Corrected `json:"corrected,omitempty"`
	// LastRuns are the last runs of the job up to this one, the oldest first.
	LastRuns []PastRun `json:"last_runs,omitempty"`

	// Since is when the service stopped answering, if that stopped the run.
	Since time.Time `json:"-"`
	// Site is where people do what has to be done; whoever writes the report sets it.
	Site remedy.Site `json:"-"`

	// What the page shows besides the JSON form.
	RejectedByUs  int                 `json:"-"` // records; the service rejected the others
	Findings      []reading.Detection `json:"-"`
	RejectSamples []Sample            `json:"-"` // the first, for a page without its script

	// Acknowledgements say who has acknowledged rejected records, by seq.
	Acknowledgements map[int64]ledger.Acknowledged `json:"-"`

	listing listing
	listed  []int64 // the records that the page and the JSON form list, in order
	places  cause.Places
	former  corrected.Former
}

// Acknowledged counts rejected records that somebody knows of and accepts until they change.
type Acknowledged struct {
	Records int `json:"records"`
	Rows    int `json:"rows"`
}

// AcknowledgedBy says who has acknowledged a rejected record and when, "" for nobody.
func (s *Summary) AcknowledgedBy(r ledger.Record) string {
	a, ok := s.Acknowledgements[r.Seq]
	if !ok {
		return ""
	}
	return "acknowledged by " + a.Who + " on " + moment.Day(a.At)
}

// Rows is the account of rows: Read = InRecords + the sum of Skipped.
type Rows struct {
	Read      int    `json:"read"`
	InRecords int    `json:"in_records"`
	Skipped   []Skip `json:"skipped"`
	// United is how many of the rows in records say the same as another row with their key, and were merged with it.
	United int `json:"united,omitempty"`
}

// Put says how many rows were merged with others of their key, "" for none.
func (r Rows) Put() string {
	if r.United == 0 {
		return ""
	}
	return wording.Counted(r.United, "row repeats", "rows repeat") + " another row of the same key and " + wording.Plural(r.United, "was", "were") + " merged with it"
}

// Skip is how many rows were left out for one reason.
type Skip struct {
	Reason string `json:"reason"`
	Rows   int    `json:"rows"`
}

// SkippedRows is the sum over all reasons.
func (r Rows) SkippedRows() int {
	total := 0
	for _, skip := range r.Skipped {
		total += skip.Rows
	}
	return total
}

// Records is the account of records: Total is the sum over ByOutcome, which lists all seven outcomes (and planned,
// sending or an unknown state, where there are any).
type Records struct {
	Total     int            `json:"total"`
	ByOutcome []OutcomeCount `json:"by_outcome"`
}

// OutcomeCount is how many records, made of how many rows, ended in one outcome.
type OutcomeCount struct {
	Outcome outcome.Outcome `json:"outcome"`
	Records int             `json:"records"`
	Rows    int             `json:"rows"`
}

// Count returns the count of an outcome, zero if nothing ended in it.
func (s *Summary) Count(o outcome.Outcome) OutcomeCount {
	for _, count := range s.Records.ByOutcome {
		if count.Outcome == o {
			return count
		}
	}
	return OutcomeCount{Outcome: o}
}

// Unacknowledged is how many records were rejected and not acknowledged.
func (s *Summary) Unacknowledged() int {
	return s.Count(outcome.Rejected).Records - cmp.Or(s.Acknowledged, &Acknowledged{}).Records
}

// sampleSize is how many rejected records a page shows without its script.
const sampleSize = 100

// Sample is a rejected record as the plain part of a page shows it.
type Sample struct {
	Where   string
	Key     string
	Reasons []ledger.Reason
	Message string
}

// Find finds a run, given by its id or a unique beginning of it. For a pruned run the error is a *PrunedError.
func Find(ctx context.Context, led *ledger.Reader, run string) (ledger.Run, error) {
	r, err := led.Run(ctx, run)
	if err != nil || r.Pruned.IsZero() {
		return r, err
	}
	tally, err := led.Tally(ctx, r.ID)
	return r, cmp.Or(err, error(&PrunedError{Run: r, Tally: tally}))
}

// Build makes the summary of a run, as Find finds it. It reads the ledger once from beginning to end and changes nothing.
func Build(ctx context.Context, led *ledger.Reader, run string) (*Summary, error) {
	r, err := Find(ctx, led, run)
	if err != nil {
		return nil, err
	}
	s, err := build(ctx, led, r)
	if err != nil {
		return nil, fmt.Errorf("report on run %s: %w", r.ID, err)
	}
	return s, nil
}

func build(ctx context.Context, led *ledger.Reader, r ledger.Run) (*Summary, error) {
	if Abandoned(r) {
		s := newFold(r, corrected.Former{}).summary(nil)
		return s, s.rehearses(ctx, led)
	}
	past, err := corrected.Recall(ctx, led, r)
	if err != nil {
		return nil, err
	}
	f := newFold(r, past)
	if f.Acknowledgements, err = led.AcknowledgedIn(ctx, r); err != nil {
		return nil, err
	}
	tally, err := f.read(ctx, led)
	if err != nil {
		return nil, err
	}
	s := f.summary(tally)
	if err := s.rehearses(ctx, led); err != nil {
		return nil, err
	}
	if s.Run.StopCode == stop.ServiceDown {
		if s.Since, err = led.Silent(ctx, r.ID); err != nil {
			return nil, err
		}
	}
	if r.Kind != ledger.Check { // a check sends nothing and does not use the ledger
		doubts, err := led.DoubtsBefore(ctx, r)
		if err != nil {
			return nil, err
		}
		s.StillInDoubt = len(doubts)
	}
	s.Verdict = verdict(s)
	if s.Vanished, err = gone(ctx, led, r); err != nil {
		return nil, err
	}
	if s.LastRuns, err = lastRuns(ctx, led, r, tally); err != nil {
		return nil, err
	}
	s.Corrected, err = f.corrections.Corrected(ctx, led, r)
	return s, err
}

// Abandoned reports whether a run was interrupted in its first pass. Nothing of it is ever sent or resumed, so its
// summary has none of the records planned by then, no files are written, and whoever interrupts it need not wait for
// that.
func Abandoned(run ledger.Run) bool {
	return partial(run) != "" && run.StopCode == stop.Interrupted
}

// rehearses notes in a summary that its run sends to no live service, or to which live one.
func (s *Summary) rehearses(ctx context.Context, led *ledger.Reader) error {
	if s.Run.Kind == ledger.Check {
		return nil
	}
	service, err := led.Service(ctx)
	if err != nil {
		return err
	}
	if s.Rehearsal = wording.Rehearsal(service); s.Rehearsal == "" {
		s.Live = wording.Service(service)
	}
	return nil
}

// ListedRecords is how many records the page and the JSON form list.
func (s *Summary) ListedRecords() int { return len(s.listed) }

// Sampled is how many of the records without a problem are listed, and how many there are.
func (s *Summary) Sampled() (shown, all int) {
	return len(s.listing.others.seqs), s.listing.others.all()
}

// Skips lists the reasons for which rows were left out, the commonest first.
func Skips(skipped map[string]int) []Skip {
	list := make([]Skip, 0, len(skipped))
	for reason, rows := range skipped {
		list = append(list, Skip{reason, rows})
	}
	slices.SortFunc(list, func(a, b Skip) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Reason, b.Reason)) })
	return list
}

// partial says why the plan is not whole, if the run ended in its first pass. Such a run has no fingerprint.
func partial(run ledger.Run) string {
	switch {
	case run.Phase == ledger.Reading:
		return "the file was still being read when the report was written"
	case run.Phase == ledger.Stopped && run.Fingerprint == "":
		return "the run ended while the file was being read, before anything was sent"
	}
	return ""
}

// Noted counts the values that notes of one kind are about and that a person must see to in the service: those that
// stay there, listed in stays.csv, and those that it stores differently, listed in differs.csv.
type Noted struct {
	Records int `json:"records"`
	Values  int `json:"values"`
}

// count counts what a record has of the codes. n may be nil.
func (n *Noted) count(r ledger.Record, codes ...string) *Noted {
	values := 0
	for _, note := range r.Notes {
		if slices.Contains(codes, note.Code) {
			values++
		}
	}
	if values == 0 {
		return n
	}
	n = cmp.Or(n, &Noted{})
	n.Records++
	n.Values += values
	return n
}

// CausesOf returns the causes and notes of a record by their index in the summary; never nil, so that JSON has a list.
func (s *Summary) CausesOf(r ledger.Record) []int {
	list := s.places.Of(append(cause.Of(s.Run, r), cause.OfNotes(r)...))
	if s.Corrected != nil && corrected.WentThrough(s.Run, r) {
		if _, ok := s.former.Of(r); ok {
			list = append(list, s.CorrectedPlace())
		}
	}
	return list
}

// CorrectedPlace is the index that the page gives to what was corrected: after the causes and the notes.
func (s *Summary) CorrectedPlace() int { return len(s.Causes) + len(s.Notes) }
