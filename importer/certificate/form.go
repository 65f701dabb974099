package certificate

import (
	"time"

	"docketsync/importer/certificate/signature"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// form is the name and version of the JSON form. Members may be added to it. Changing the meaning of one, or removing
// one, takes a new name.
const form = "docketsync-certificate/1"

// Certificate is what is signed. Its JSON is a stable form; every number on the page and in the workbook is in it.
type Certificate struct {
	Form string `json:"form"`
	// Rehearsal says that the service was not a live one, so there is nothing to sign off; "" otherwise.
	Rehearsal string `json:"rehearsal,omitempty"`
	Firm      string `json:"firm,omitempty"` // as the configuration calls it
	Verdict   string `json:"verdict"`
	// Complete is true if every record is in as the source has it and nothing of the runs has been pruned.
	Complete bool `json:"complete"`
	// AddsUp is false if counts contradict each other; Discrepancies then has a sentence for each contradiction.
	AddsUp        bool     `json:"adds_up"`
	Discrepancies []string `json:"discrepancies,omitempty"`
	// Reservations are what the signer has to know beside the counts, a sentence each.
	Reservations []string    `json:"reservations,omitempty"`
	Service      string      `json:"service"`
	From         time.Time   `json:"from"`  // the first run began
	Until        time.Time   `json:"until"` // the last run ended
	Runs         []Run       `json:"runs"`
	Overall      Account     `json:"overall"`
	Operations   []operation `json:"operations"`
	NotIn        notIn       `json:"not_in"`
	// StillInDoubt counts the records that earlier runs of the same jobs left in doubt and that are not in these runs.
	StillInDoubt int      `json:"still_in_doubt,omitempty"`
	Seed         int64    `json:"seed"`
	SampleSize   int      `json:"sample_size"` // as asked for, for each operation
	Sample       []Sample `json:"sample"`
	// Evidence is the entry that the ledger's chain of evidence had reached once it included these runs.
	Evidence *signature.Evidence `json:"evidence,omitempty"`
	// SignedWith is the fingerprint of the key that the files are signed with; "" if they are not signed.
	SignedWith string `json:"signed_with,omitempty"`
}

// Run is one of the certified runs. Records = Counted + Superseded + Corrected + Removed.
type Run struct {
	ID         string        `json:"id"`
	Job        string        `json:"job"`
	Operation  string        `json:"operation"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended"`
	Stopped    string        `json:"stopped,omitempty"` // why it stopped early
	Sources    []Source      `json:"sources"`
	Read       int           `json:"rows_read"`
	InRecords  int           `json:"rows_in_records"`
	Skipped    []report.Skip `json:"rows_skipped"`
	Records    int           `json:"records"`
	Counted    int           `json:"counted"`    // counted with this run: no later one has them
	Superseded int           `json:"superseded"` // counted with a later run
	Corrected  int           `json:"corrected"`  // rejected, and imported again under another key
	Removed    int           `json:"removed"`    // no longer in the ledger; see Pruned
	Pruned     time.Time     `json:"pruned,omitzero"`
	ByOutcome  []count       `json:"by_outcome"` // of all its records, including removed ones
}

// Source is a file (and sheet) that a run read.
type Source struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// count is the number of records with one outcome.
type count struct {
	Outcome outcome.Outcome `json:"outcome"`
	Records int             `json:"records"`
}

// Account is the account of rows and records. Rows: Read = InRecords + the sum of Skipped, over all runs. Records, each
// counted once: Records = In + NotIn. In is the sum of Created, Updated and Already; NotIn the sum of Rejected to
// Other.
type Account struct {
	Read       int           `json:"rows_read"`
	InRecords  int           `json:"rows_in_records"`
	Skipped    []report.Skip `json:"rows_skipped"`
	Planned    int           `json:"records_of_runs"` // of all runs: Records + Superseded + Corrected + Removed
	Superseded int           `json:"superseded"`
	Corrected  int           `json:"corrected"`
	Removed    int           `json:"removed"`
	Records    int           `json:"records"`
	In         int           `json:"in"`
	Created    int           `json:"created"`
	Updated    int           `json:"updated"`
	Already    int           `json:"already"`  // in the service before the first of the runs
	Outdated   int           `json:"outdated"` // of In: the source has changed since
	Vouched    int           `json:"vouched"`  // of In: the service gave no answer, and a person settled the doubt
	NotIn      int           `json:"not_in"`
	Rejected   int           `json:"rejected"` // by docketsync, before sending
	Refused    int           `json:"refused"`  // by the service
	Failed     int           `json:"failed"`
	InDoubt    int           `json:"in_doubt"`
	Held       int           `json:"held"`
	Other      int           `json:"other"` // in a state that this version does not know, or without an outcome
}

// operation is the result of the runs of one operation.
type operation struct {
	Operation string      `json:"operation"`
	Account   Account     `json:"account"`
	Hashes    Hashes      `json:"hash_totals"`
	Compared  Compared    `json:"compared"`
	Controls  []Control   `json:"controls"`
	Unmapped  []Unmapped  `json:"unmapped_columns"`
	Breakdown []Dimension `json:"reconciliation"`
}

// Hashes are the hash totals of an operation; the package comment says how to compute them.
type Hashes struct {
	KeysSource int    `json:"keys_source"`
	OfSource   string `json:"sha256_keys_source"`
	KeysIn     int    `json:"keys_in"`
	OfIn       string `json:"sha256_keys_in"`
	Payloads   int    `json:"payloads_in"`
	OfPayloads string `json:"sha256_payloads_in"`
}

// Compared says how many records the figures of an operation are about: how many there are, how many still have their
// cells in the ledger, how many of those that are in still have their payload, and how many have both.
type Compared struct {
	Records  int `json:"records"`
	Cells    int `json:"with_cells"`
	In       int `json:"in"`
	Payloads int `json:"in_with_payload"`
	Both     int `json:"in_with_both"`
	// ReadBack counts the records that are in and whose answer showed fields, which were compared with what was sent.
	// Differing counts those of them that the service stored with another value in a field.
	ReadBack  int `json:"in_read_back"`
	Differing int `json:"in_stored_differently"`
}

// Control holds the control totals of one field.
type Control struct {
	Field   string   `json:"field"`
	Name    string   `json:"name,omitempty"` // of a component
	From    string   `json:"from,omitempty"` // column, columns, constant, expression, part; "" if the run did not record it
	Type    string   `json:"type,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Lookup  string   `json:"lookup,omitempty"`
	// SourceFilled counts the records whose cells hold anything; InFilled, those of them that are in.
	SourceFilled int `json:"source_filled"`
	InFilled     int `json:"in_filled"`
	// SentFilled counts the records that are in and were sent with the field filled; Values, the values sent: a list
	// has several.
	SentFilled int `json:"sent_filled"`
	Values     int `json:"values"`
	// Of the records with cells and payload, Lost counts those filled in the source and empty in the service, Added the
	// reverse.
	Lost  int       `json:"lost"`
	Words []tallied `json:"lost_values,omitempty"` // what the cells of Lost hold, the most common first
	Added int       `json:"added"`
	// Of the values with a cell beside them, Same counts those sent as the cell shows them, Converted those that became
	// something else (by a lookup, a list of values, a date format).
	Same      int `json:"same"`
	Converted int `json:"converted"`
	// ReadBack counts the records that are in and whose answer showed the field; Differing, those stored with another
	// value.
	ReadBack  int   `json:"read_back"`
	Differing int   `json:"stored_differently"`
	Sum       *Sum  `json:"sum,omitempty"`
	Span      *Span `json:"span,omitempty"`
}

// tallied is a text and how many records have it.
type tallied struct {
	Text    string `json:"text"`
	Records int    `json:"records"`
}

// Sum holds the sums of a field of numbers, as decimal text: Sent of all that the service accepted, Beside of what it
// accepted for records whose cells are kept, Source of those cells.
type Sum struct {
	Sent    string `json:"sent"`
	Beside  string `json:"sent_beside_source"`
	Source  string `json:"source"`
	Unread  int    `json:"unread"` // cells that hold no number
	Differs bool   `json:"differs"`
}

// Span is the range of a field of dates. The source dates are the cells that hold a date or a text such as 2024-03-01.
type Span struct {
	Dates    int    `json:"dates"`
	Earliest string `json:"earliest"`
	Latest   string `json:"latest"`
	Cells    int    `json:"source_dates"`
	First    string `json:"source_earliest,omitempty"`
	Last     string `json:"source_latest,omitempty"`
}

// Unmapped is a column of the source that no field reads; Filled is how many of its cells are filled.
type Unmapped struct {
	Column string `json:"column"`
	Filled int    `json:"filled"`
}

// Dimension is the reconciliation by client, office, status or class. Source and In are the sums over Groups. For a
// list (the classes of a mark) they count entries, and Unknown counts the records whose entries are unknown.
type Dimension struct {
	Name    string  `json:"dimension"`
	Field   string  `json:"field"`
	List    bool    `json:"list"`
	Source  int     `json:"source"`
	In      int     `json:"in"`
	Unknown int     `json:"unknown_records,omitempty"`
	Groups  []Group `json:"groups"`
}

// Missing returns how many are not in.
func (d Dimension) Missing() int { return d.Source - d.In }

// Group is one value of a dimension, as the source writes it, with what was sent for it.
type Group struct {
	Text    string   `json:"text"`
	Known   bool     `json:"in_source"` // Text is from the source's cells; otherwise it is the value sent
	Sent    []string `json:"sent,omitempty"`
	Source  int      `json:"source"`
	In      int      `json:"in"`
	example int32
}

// Missing returns how many are not in.
func (g Group) Missing() int { return g.Source - g.In }

// notIn is what is not in: counted by cause, each record once, and listed one by one.
type notIn struct {
	Records int     `json:"records"`
	Causes  []Cause `json:"causes"`
	List    []Item  `json:"list"` // the first 10,000
}

// Cause is what keeps records out. Records summed over all causes is NotIn.Records.
type Cause struct {
	Operation string          `json:"operation"`
	Outcome   outcome.Outcome `json:"outcome"`
	By        string          `json:"by,omitempty"` // who rejected it: docketsync or service
	Code      string          `json:"code,omitempty"`
	Field     string          `json:"field,omitempty"`
	Records   int             `json:"records"`
	Rows      int             `json:"rows"`
	Message   string          `json:"message"` // with … where its records differ
	Hint      string          `json:"hint,omitempty"`
	Example   string          `json:"example"`
}

// Item is one record that is not in.
type Item struct {
	Operation string          `json:"operation"`
	Run       string          `json:"run"`
	Seq       int64           `json:"seq"`
	Key       string          `json:"key"`
	Outcome   outcome.Outcome `json:"outcome"`
	Where     string          `json:"where"`
	Why       string          `json:"why"`
	Earlier   string          `json:"earlier_version_in,omitempty"` // the run in which an earlier version of it went in
}

// Sample is a record to be compared by hand.
type Sample struct {
	Operation string          `json:"operation"`
	Key       string          `json:"key"`
	ServiceID string          `json:"service_id,omitempty"`
	Run       string          `json:"run"`
	Seq       int64           `json:"seq"`
	Outcome   outcome.Outcome `json:"outcome"`
	Why       []string        `json:"why"`
	Where     string          `json:"where"`
	Lines     []Line          `json:"lines"`
	More      int             `json:"more_lines,omitempty"` // how many lines are not shown
	Remark    string          `json:"remark,omitempty"`
}

// Line is a field of a sample with its cells and what was sent.
type Line struct {
	Field string `json:"field"`
	Name  string `json:"name,omitempty"`
	How   string `json:"how,omitempty"` // how the value was made, unless it is a cell as it is
	Cells []Cell `json:"cells,omitempty"`
	Sent  string `json:"sent"`
	Empty bool   `json:"empty,omitempty"` // nothing was sent
}

// Cell is a cell of the source.
type Cell struct {
	Column string `json:"column"`
	Cell   string `json:"cell"`
	Text   string `json:"text"`
}
