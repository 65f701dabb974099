package certificate

import (
	"time"

	"docketsync/importer/certificate/signature"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// form is the name and version of the JSON form. Members may be added to it; none changes its meaning or goes away without
// another name here.
const form = "docketsync-certificate/1"

// Certificate is what is signed. Its JSON is a stable form; every number on the page and in the workbook is in it.
type Certificate struct {
	Form string `json:"form"`
	// Rehearsal says that the service was not a live one, so that there is nothing to sign off; "" otherwise.
	Rehearsal string `json:"rehearsal,omitempty"`
	Firm      string `json:"firm,omitempty"` // as the configuration calls it
	Verdict   string `json:"verdict"`
	// Complete tells that every record is in, as the source has it, and that nothing of the runs has been pruned.
	Complete bool `json:"complete"`
	// AddsUp is false when a count contradicts another; Discrepancies then says which, a sentence each.
	AddsUp        bool     `json:"adds_up"`
	Discrepancies []string `json:"discrepancies,omitempty"`
	// Reservations are what whoever signs has to know beside the counts, a sentence each.
	Reservations []string    `json:"reservations,omitempty"`
	Service      string      `json:"service"`
	From         time.Time   `json:"from"`  // the first run began
	Until        time.Time   `json:"until"` // the last run ended
	Runs         []Run       `json:"runs"`
	Overall      Account     `json:"overall"`
	Operations   []operation `json:"operations"`
	NotIn        notIn       `json:"not_in"`
	// StillInDoubt is how many records of earlier runs of the same jobs are in doubt and not among those of the runs.
	StillInDoubt int      `json:"still_in_doubt,omitempty"`
	Seed         int64    `json:"seed"`
	SampleSize   int      `json:"sample_size"` // asked for, for each operation
	Sample       []Sample `json:"sample"`
	// Evidence is where the chain of the ledger's evidence stood when it had taken in these runs.
	Evidence *signature.Evidence `json:"evidence,omitempty"`
	// SignedWith is the fingerprint of the key that the files are signed with, "" where they are not.
	SignedWith string `json:"signed_with,omitempty"`
}

// Run is one of the runs. Records = Counted + Superseded + Corrected + Removed.
type Run struct {
	ID         string        `json:"id"`
	Job        string        `json:"job"`
	Operation  string        `json:"operation"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended"`
	Stopped    string        `json:"stopped,omitempty"` // why it ended before its time
	Sources    []Source      `json:"sources"`
	Read       int           `json:"rows_read"`
	InRecords  int           `json:"rows_in_records"`
	Skipped    []report.Skip `json:"rows_skipped"`
	Records    int           `json:"records"`
	Counted    int           `json:"counted"`    // by this run: no later one of the runs had them
	Superseded int           `json:"superseded"` // counted with a later run
	Corrected  int           `json:"corrected"`  // rejected, and imported again under another key
	Removed    int           `json:"removed"`    // no longer in the ledger, see Pruned
	Pruned     time.Time     `json:"pruned,omitzero"`
	ByOutcome  []count       `json:"by_outcome"` // of all its records, the removed ones too
}

// Source is a file (and sheet) that a run read.
type Source struct {
	File   string `json:"file"`
	Sheet  string `json:"sheet,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// count is how many records ended so.
type count struct {
	Outcome outcome.Outcome `json:"outcome"`
	Records int             `json:"records"`
}

// Account is the account of rows and records. Rows: Read = InRecords + the sum of Skipped, over all runs. Records, each once:
// Records = In + NotIn; In is the sum of Created, Updated and Already, NotIn that of the others.
type Account struct {
	Read       int           `json:"rows_read"`
	InRecords  int           `json:"rows_in_records"`
	Skipped    []report.Skip `json:"rows_skipped"`
	Planned    int           `json:"records_of_runs"` // of all runs: = Records + Superseded + Corrected + Removed
	Superseded int           `json:"superseded"`
	Corrected  int           `json:"corrected"`
	Removed    int           `json:"removed"`
	Records    int           `json:"records"`
	In         int           `json:"in"`
	Created    int           `json:"created"`
	Updated    int           `json:"updated"`
	Already    int           `json:"already"`  // held by the service before the first of the runs
	Outdated   int           `json:"outdated"` // of In: the source has them otherwise since
	Vouched    int           `json:"vouched"`  // of In: a person settled the doubt, the service gave no answer
	NotIn      int           `json:"not_in"`
	Rejected   int           `json:"rejected"` // by docketsync, before sending
	Refused    int           `json:"refused"`  // by the service
	Failed     int           `json:"failed"`
	InDoubt    int           `json:"in_doubt"`
	Held       int           `json:"held"`
	Other      int           `json:"other"` // in a state that this version does not know
}

// operation is what the runs of one operation came to.
type operation struct {
	Operation string      `json:"operation"`
	Account   Account     `json:"account"`
	Hashes    Hashes      `json:"hash_totals"`
	Compared  Compared    `json:"compared"`
	Controls  []Control   `json:"controls"`
	Unmapped  []Unmapped  `json:"unmapped_columns"`
	Breakdown []Dimension `json:"reconciliation"`
}

// Hashes are the hash totals of an operation; the package comment says how to make them again.
type Hashes struct {
	KeysSource int    `json:"keys_source"`
	OfSource   string `json:"sha256_keys_source"`
	KeysIn     int    `json:"keys_in"`
	OfIn       string `json:"sha256_keys_in"`
	Payloads   int    `json:"payloads_in"`
	OfPayloads string `json:"sha256_payloads_in"`
}

// Compared says what the figures of an operation are about, in records: how many of all have their cells in the ledger, how
// many of those that are in have their payload, and how many have both.
type Compared struct {
	Records  int `json:"records"`
	Cells    int `json:"with_cells"`
	In       int `json:"in"`
	Payloads int `json:"in_with_payload"`
	Both     int `json:"in_with_both"`
	// ReadBack counts those that are in of which the service's answer showed fields, which were compared with what was sent; Differing
	// those of them that it stored with another value in a field.
	ReadBack  int `json:"in_read_back"`
	Differing int `json:"in_stored_differently"`
}

// Control is the control totals of one field.
type Control struct {
	Field   string   `json:"field"`
	Name    string   `json:"name,omitempty"` // of a component
	From    string   `json:"from,omitempty"` // column, columns, constant, expression, part; "" where the run did not keep it
	Type    string   `json:"type,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Lookup  string   `json:"lookup,omitempty"`
	// Records with anything in the source's cells, of all with cells; and those of them that are in.
	SourceFilled int `json:"source_filled"`
	InFilled     int `json:"in_filled"`
	// Records that are in with the field not empty, of those with a payload; and the values in it, which a list has several of.
	SentFilled int `json:"sent_filled"`
	Values     int `json:"values"`
	// Of the records with cells and payload: filled in the source and empty in the service, and the other way round.
	Lost  int       `json:"lost"`
	Words []tallied `json:"lost_values,omitempty"` // what stood in the cells of Lost, the commonest first
	Added int       `json:"added"`
	// Values that stand beside one cell: sent as the cell shows them, or turned into something else (by a lookup, a list of
	// values, a form of dates).
	Same      int `json:"same"`
	Converted int `json:"converted"`
	// Records that are in and whose answer showed the field; and those of them that the service stored with another value.
	ReadBack  int   `json:"read_back"`
	Differing int   `json:"stored_differently"`
	Sum       *Sum  `json:"sum,omitempty"`
	Span      *Span `json:"span,omitempty"`
}

// tallied is a text and how often it was there.
type tallied struct {
	Text    string `json:"text"`
	Records int    `json:"records"`
}

// Sum is the sum of a field of numbers, as decimal text: of all that the service accepted; and, of the records whose cells are
// kept, of what it accepted beside the cells.
type Sum struct {
	Sent    string `json:"sent"`
	Beside  string `json:"sent_beside_source"`
	Source  string `json:"source"`
	Unread  int    `json:"unread"` // cells that hold no number
	Differs bool   `json:"differs"`
}

// Span is the span of a field of dates. Those of the source are of the cells that hold a date or one written as 2024-03-01.
type Span struct {
	Dates    int    `json:"dates"`
	Earliest string `json:"earliest"`
	Latest   string `json:"latest"`
	Cells    int    `json:"source_dates"`
	First    string `json:"source_earliest,omitempty"`
	Last     string `json:"source_latest,omitempty"`
}

// Unmapped is a column of the source that no field was made of, with how many of its cells were filled.
type Unmapped struct {
	Column string `json:"column"`
	Filled int    `json:"filled"`
}

// Dimension is the reconciliation by client, office, status or class. Source and In are the sums over Groups; of a list (the
// classes of a mark) they count entries, and Unknown is the records whose entries nobody knows.
type Dimension struct {
	Name    string  `json:"dimension"`
	Field   string  `json:"field"`
	List    bool    `json:"list"`
	Source  int     `json:"source"`
	In      int     `json:"in"`
	Unknown int     `json:"unknown_records,omitempty"`
	Groups  []Group `json:"groups"`
}

// Missing is how many are not in.
func (d Dimension) Missing() int { return d.Source - d.In }

// Group is one value of a dimension: as the source writes it, and what was sent for it.
type Group struct {
	Text    string   `json:"text"`
	Known   bool     `json:"in_source"` // Text is what cells say; otherwise it is the value sent
	Sent    []string `json:"sent,omitempty"`
	Source  int      `json:"source"`
	In      int      `json:"in"`
	example int32
}

// Missing is how many are not in.
func (g Group) Missing() int { return g.Source - g.In }

// notIn is what is not in: by cause, each record once, and one by one.
type notIn struct {
	Records int     `json:"records"`
	Causes  []Cause `json:"causes"`
	List    []Item  `json:"list"` // the first 10,000
}

// Cause is what keeps records out. The sum of Records over all causes is NotIn.Records.
type Cause struct {
	Operation string          `json:"operation"`
	Outcome   outcome.Outcome `json:"outcome"`
	By        string          `json:"by,omitempty"` // who rejected it: docketsync or service
	Code      string          `json:"code,omitempty"`
	Field     string          `json:"field,omitempty"`
	Records   int             `json:"records"`
	Rows      int             `json:"rows"`
	Message   string          `json:"message"` // with … for what differs between its records
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
	Earlier   string          `json:"earlier_version_in,omitempty"` // the run with which an earlier version of it went in
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
	More      int             `json:"more_lines,omitempty"` // that are not shown
	Remark    string          `json:"remark,omitempty"`
}

// Line is a field of a sample: its cells, and what was sent.
type Line struct {
	Field string `json:"field"`
	Name  string `json:"name,omitempty"`
	How   string `json:"how,omitempty"` // how the value came about, where not from a cell as it is
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
