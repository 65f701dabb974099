package page

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/corrected"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/reading"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// view is what the page's template shows: the summary, in the words and groups of a page.
type view struct {
	*report.Summary
	Policy, Style, Script any
	Title                 string
	Headline, Stopped     string
	Steps                 []remedy.Step // what has to be done, and where
	Bars                  []bar
	Person, Later         []group
	ChangeRows, NoteRows  []numbered
	Samples               []report.Sample
	MoreSamples           int
	Detected              []detectedSource
	Warnings              int
	Chart                 chart
	Past                  pastChart
	Corrections           []corrected.Correction
	MoreCorrections       []corrected.Correction
	CorrectedID           int // index by which the page's script finds the corrected records; -1 if the table does not have them
	Data                  pageData
}

// pageData is what the page's script needs beside the records.
type pageData struct {
	Outcomes  []outcome.Outcome `json:"outcomes"`
	Words     []string          `json:"words"`
	Actions   []ledger.Action   `json:"actions"`
	Sources   []pageSource      `json:"sources"`
	Causes    []string          `json:"causes"`
	Facets    []string          `json:"facets"`
	Marks     string            `json:"marks"`   // characters to show
	Started   int64             `json:"started"` // milliseconds since 1970, in the zone of the page
	Detail    int               `json:"detail"`  // records in a chunk of details
	Counts    []int             `json:"counts"`  // records by outcome, listed or not
	Total     int               `json:"total"`
	Sent      bool              `json:"sent"`
	Unchanged int               `json:"unchanged"`
}

type pageSource struct {
	Name   string   `json:"name"`
	Header []string `json:"header"`
}

// numbered is a cause with its index, by which the page's script finds its records.
type numbered struct {
	cause.Cause
	ID int
}

// Telling returns the cause's value unless the message quotes it already.
func (n numbered) Telling() string {
	if strings.Contains(n.Message, n.Value) {
		return ""
	}
	return n.Value
}

// group is a group of causes that are dealt with in the same way.
type group struct {
	ID, Title, Explain string
	Records            int
	Causes, More       []numbered
	Later              bool // the next run includes it; nobody has to do anything
}

type detectedSource struct {
	Name string
	reading.Detection
}

// mostShownCorrections limits the corrected records that a page shows outside its table.
const mostShownCorrections = 200

// shownCauses is how many causes of a group are shown at once; the rest can be expanded.
const shownCauses = 20

func newView(s *report.Summary) view {
	// The page's own policy, style and script are the only texts that are not escaped: they are part of the program.
	v := view{
		Summary: s, Policy: template.HTMLAttr(`content="` + report.PagePolicy(pageStyle, pageScript) + `"`), Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Title: strings.TrimSpace(s.Rehearsal + " " + s.Run.Job + ": " + s.Verdict), Headline: report.Headline(s), Stopped: report.Stopped(s.Run), Steps: s.Site.Steps(s.Remedies("")), Bars: bars(s), Samples: s.RejectSamples, Chart: newChart(s.Requests), Past: newPastChart(s),
		Data: newPageData(s), Detected: detectedSources(s),
	}
	for _, g := range groups(s) {
		if g.Later {
			v.Later = append(v.Later, g)
		} else {
			v.Person = append(v.Person, g)
		}
	}
	if s.Corrected != nil {
		shown := min(len(s.Corrected.List), shownCauses)
		v.Corrections, v.MoreCorrections = s.Corrected.List[:shown], s.Corrected.List[shown:min(len(s.Corrected.List), mostShownCorrections)]
		if v.CorrectedID = s.CorrectedPlace(); s.Run.Kind == ledger.Check {
			v.CorrectedID = -1
		}
	}
	v.MoreSamples = s.Count(outcome.Rejected).Records - len(s.RejectSamples)
	for n, note := range s.Notes {
		if row := (numbered{note, len(s.Causes) + n}); s.Unsent != nil && (ledger.Reason{Code: note.Code}).Unsent() {
			v.ChangeRows = append(v.ChangeRows, row)
		} else {
			v.NoteRows = append(v.NoteRows, row)
		}
	}
	for _, d := range v.Detected {
		v.Warnings += len(d.Warnings)
	}
	return v
}

func newPageData(s *report.Summary) pageData {
	d := pageData{
		Marks: wording.Marks, Outcomes: pageOutcomes, Actions: pageActions, Started: zoned(s.Run.Started), Detail: detailChunk,
		Total: s.Records.Total, Sent: s.Run.Kind == ledger.Push, Unchanged: s.Count(outcome.Unchanged).Records, Sources: []pageSource{}, Causes: []string{},
	}
	for _, o := range pageOutcomes {
		d.Words, d.Counts = append(d.Words, o.Words()), append(d.Counts, s.Count(o).Records)
	}
	for _, f := range facets {
		d.Facets = append(d.Facets, f.Name)
	}
	for n, source := range s.Run.Sources {
		d.Sources = append(d.Sources, pageSource{wording.SourceName(s.Run, n), source.Header})
	}
	for _, list := range [][]cause.Cause{s.Causes, s.Notes} {
		for _, c := range list {
			d.Causes = append(d.Causes, wording.Short(c.Label(), 90))
		}
	}
	if s.Corrected != nil && s.Run.Kind != ledger.Check {
		d.Causes = append(d.Causes, "Rejected before, and corrected")
	}
	return d
}

// groups groups the causes by what a person does about them.
func groups(s *report.Summary) []group {
	all := []group{
		{ID: "doubt", Title: "In doubt: check in the service", Explain: "It is not known whether the service processed these. They are neither sent again nor listed as rejects until someone has checked. Record what you find with: docketsync resolve " + s.Run.Name},
		{ID: "reject", Title: "Rejected before sending: correct and import again", Explain: "None of these rows was sent."},
		{ID: "refused", Title: "Refused by the service: correct and import again", Explain: "The service refused these, with these messages."},
		{ID: "failed", Title: "Failed", Explain: "The service kept failing until the retries were used up, or a record was waiting for a doubt that has since been resolved.", Later: true},
		{ID: "held", Title: "Held", Explain: "The run stopped before these were sent.", Later: true},
	}
	if cause.HeldByGuard(s.Run) {
		all[4].Title, all[4].Later = "Held by a guard: check the export", false
		all[4].Explain = "Nothing was sent. These are sent when someone lets the export through, or with the next export that passes the guards."
	}
	counted := []int{s.Count(outcome.InDoubt).Records, s.RejectedByUs, s.Count(outcome.Rejected).Records - s.RejectedByUs, s.Count(outcome.Failed).Records, s.Count(outcome.Held).Records}
	for n, c := range s.Causes {
		g := &all[min(c.Pressing(), len(all)-1)]
		if len(g.Causes) < shownCauses {
			g.Causes = append(g.Causes, numbered{c, n})
		} else {
			g.More = append(g.More, numbered{c, n})
		}
	}
	var list []group
	for n, g := range all {
		g.Records = counted[n]
		if len(g.Causes) > 0 {
			list = append(list, g)
		}
	}
	return list
}

func detectedSources(s *report.Summary) []detectedSource {
	list := make([]detectedSource, 0, len(s.Findings))
	sources := len(s.Findings) - len(s.Lists) - len(s.Respelled)
	for n, d := range s.Findings {
		name := fmt.Sprintf("Source %d", n+1)
		if d.List != "" {
			name = "List " + d.List
		} else if d.Of != "" {
			name = d.Of
		} else if sources == 1 && len(s.Run.Sources) > 0 {
			name = wording.BaseName(s.Run.Sources[0].File)
		} else if sources == len(s.Run.Sources) {
			name = wording.SourceName(s.Run, n)
		}
		list = append(list, detectedSource{name, d})
	}
	return list
}

// Rest says what the page does not list and where to find it; "" if it lists everything. Unchanged records that are not
// listed have a sentence of their own.
func (v view) Rest() string {
	var said []string
	if v.Missing > 0 {
		said = append(said, wording.Counted(v.Missing, "more record")+" with something to report "+wording.Plural(v.Missing, "is", "are")+" not listed here, to keep this page small.")
	}
	if shown, all := v.Sampled(); v.IsSampled() {
		said = append(said, fmt.Sprintf("Of the %s without problems, the first %s are listed.", wording.Counted(all, "record"), wording.Thousands(shown)))
	}
	switch {
	case len(said) == 0:
		return ""
	case v.Run.Kind == ledger.Check:
		said = append(said, report.RejectsFile+" has all that were rejected.")
	default:
		said = append(said, fmt.Sprintf("%s has a line for every row; the console shows any record with its row and its requests, and '%s' prints all of them.", v.CSVName(), v.FullList))
	}
	return strings.Join(said, " ")
}

// IsSampled reports whether only the first of the records without problems are listed.
func (v view) IsSampled() bool {
	shown, all := v.Sampled()
	return shown < all
}

// Took says how long the run lasted; "" if it has not ended.
func (v view) Took() string {
	if v.Run.Ended.IsZero() {
		return ""
	}
	return wording.Lasted(v.Run.Ended.Sub(v.Run.Started))
}

// zoned returns a time as milliseconds since 1970 by the clocks of the page's zone.
func zoned(t time.Time) int64 {
	_, offset := t.Local().Zone()
	return t.UnixMilli() + 1000*int64(offset)
}
