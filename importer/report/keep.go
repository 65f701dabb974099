package report

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
)

// What the page and the JSON form list. People read and mail them, and they are loaded whole, so they stay small
// however long the run was. What somebody must see to comes first; of the records without a problem, only some are
// shown. The whole list is report.csv; everything about any record is in the console and in 'docketsync report RUN
// --json --all'.
const (
	listedRejects = 10_000 // rejected or in doubt; the workbook has all rejects
	listedLater   = 3_000  // failed or held: the next run takes them up
	listedNoted   = 1_000  // of the others, with a note, or corrected since they were rejected
	listedOthers  = 1_000  // with nothing to report

	// A record may have thousands of rows, or very long texts, so the list also ends after so many bytes, and the
	// records without anything to report end earlier.
	listedBytes = 8 << 20
	otherBytes  = 1 << 20
)

// report.csv lists all records except these.
const (
	// csvUnchanged is the number of unchanged records without anything to report up to which they have lines. If there
	// are more, as on most nights of a large export, none has a line: their number is enough, and writing them would
	// take longer than the run.
	csvUnchanged = 10_000
	// csvPlain is the number of rows from which on report.csv is compressed.
	csvPlain = 20_000
)

// listing chooses the records that the page and the JSON form list. They come in the order of the run.
type listing struct {
	check                         bool
	rejects, later, noted, others share
	unchanged                     share // without anything to report
}

// share is what is listed of one kind.
type share struct {
	seqs    []int64
	leftOut int
}

// add lists a record, unless most are listed already.
func (s *share) add(seq int64, most int) {
	if len(s.seqs) == most {
		s.leftOut++
		return
	}
	s.seqs = append(s.seqs, seq)
}

// all counts those that are listed and those that are not.
func (s *share) all() int { return len(s.seqs) + s.leftOut }

// budget is how many bytes the listed records have taken.
type budget struct{ all, others int }

// reasonBytes is about how many bytes a reason and its hint take.
const reasonBytes = 300

// takes reports whether a listed record, with its attempts, still fits.
func (b *budget) takes(e Entry) bool {
	size := len(e.Payload) + len(e.Body) + len(e.Previous) + reasonBytes*(len(e.Reasons)+len(e.Notes))
	for _, row := range e.Rows {
		size += len(row.Cells)
	}
	for _, a := range e.Tries {
		size += len(a.Answer) + len(a.Error)
	}
	if ended := outcome.Of(e.Record); len(e.Notes) == 0 && (ended == outcome.Created || ended == outcome.Updated || ended == outcome.Planned) {
		if b.others += size; b.others > otherBytes {
			return false
		}
	}
	b.all += size
	return b.all <= listedBytes
}

// unremarkable reports whether there is nothing to say about a record except that it was there.
func unremarkable(r ledger.Record) bool {
	return r.State == ledger.Unchanged && len(r.Notes) == 0 && len(r.Reasons) == 0 && r.Message == ""
}

// add takes in a record. A check is about what to correct: what would go in is not listed.
func (l *listing) add(r ledger.Record, corrected bool) {
	switch ended := outcome.Of(r); {
	case ended == outcome.Rejected || ended == outcome.InDoubt || !ended.Known():
		l.rejects.add(r.Seq, listedRejects)
	case ended == outcome.Failed || ended == outcome.Held:
		l.later.add(r.Seq, listedLater)
	case len(r.Notes) > 0 || corrected && !l.check:
		l.noted.add(r.Seq, listedNoted)
	case l.check:
	case unremarkable(r):
		l.unchanged.add(r.Seq, listedOthers)
	default:
		l.others.add(r.Seq, listedOthers)
	}
}

// seqs returns the listed records, in order. Unchanged ones without anything to report are listed if they are few; some
// of many would say nothing.
func (l *listing) seqs() []int64 {
	list := slices.Concat(l.rejects.seqs, l.later.seqs, l.noted.seqs, l.others.seqs)
	if l.unchanged.leftOut == 0 {
		list = append(list, l.unchanged.seqs...)
	}
	slices.Sort(list)
	return list
}

// missing is how many records are not listed although there is something to say about them.
func (l *listing) missing() int { return l.rejects.leftOut + l.later.leftOut + l.noted.leftOut }

// CSVName is the name of the file with a line for every row: a long one is compressed.
func (s *Summary) CSVName() string {
	rows := s.Rows.InRecords
	if quiet := s.listing.unchanged.all(); quiet > csvUnchanged {
		rows -= quiet
	}
	if rows > csvPlain {
		return CSVPackedFile
	}
	return CSVFile
}

// The names of the files of a report.
const (
	HTMLFile    = "report.html"
	JSONFile    = "report.json"
	CSVFile     = "report.csv"
	RejectsFile = "rejects.xlsx"

	// CSVPackedFile takes the place of CSVFile if that would be long.
	CSVPackedFile = "report.csv.gz"

	VanishedFile = "vanished.csv"
	StaysFile    = "stays.csv"
	DiffersFile  = "differs.csv"
)

// Files lists all of them.
var Files = []string{HTMLFile, JSONFile, CSVFile, CSVPackedFile, RejectsFile, VanishedFile, StaysFile, DiffersFile}

// PagePolicy lets a page use only its own style and script ("" for none), known by their digests: a text that finds its
// way into it can neither run nor request anything from the network.
func PagePolicy(style, script string) string {
	source := func(kind, text string) string {
		sum := sha256.Sum256([]byte(text))
		return kind + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; "
	}
	policy := "default-src 'none'; "
	if script != "" {
		policy += source("script-src", script)
	}
	return policy + source("style-src", style) + "img-src data:; base-uri 'none'; form-action 'none'"
}
