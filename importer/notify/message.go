package notify

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// problemsTold is how many problems a message names; the report has them all.
const problemsTold = 5

// Message is what is sent, before it has a form; as JSON it is what a webhook gets.
type Message struct {
	Form     string         `json:"form"` // docketsync-message/1
	Event    Event          `json:"event"`
	Cause    Cause          `json:"cause,omitempty"`
	Firm     string         `json:"firm,omitempty"`
	Job      string         `json:"job,omitempty"`
	Run      string         `json:"run,omitempty"`
	Host     string         `json:"host,omitempty"`
	Since    time.Time      `json:"since,omitzero"` // since when the job has been, or had been, broken
	At       time.Time      `json:"at"`
	Subject  string         `json:"subject"`
	Headline string         `json:"headline"`
	Verdict  string         `json:"verdict,omitempty"`
	Outcomes map[string]int `json:"outcomes,omitempty"` // records by outcome
	Facts    []Fact         `json:"facts,omitempty"`
	Problems []Problem      `json:"problems,omitempty"`
	Next     []string       `json:"next,omitempty"`
	Report   string         `json:"report,omitempty"` // a link, or a path on the host

	files []string // to attach where there is room
	down  bool     // the service is, which stopped the run
}

// Fact is a line of numbers.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Problem is a cause for which records did not go in.
type Problem struct {
	What string `json:"what"`
	Hint string `json:"hint,omitempty"`
}

// compose says what happened. since is when the job broke, zero when it never did.
func (n *Notifier) compose(event Event, cause Cause, e Ended, since, at time.Time) Message {
	m := Message{Form: "docketsync-message/1", Event: event, Cause: cause, Firm: n.Firm, Job: e.Job, Host: n.Host, At: at.UTC()}
	if event != Succeeded {
		m.Since = since.UTC()
	}
	m.down = e.Summary != nil && cause == Stopped && e.Summary.Run.StopCode == stop.ServiceDown
	m.Headline = strings.TrimSpace(n.Rehearsal + " " + headline(m, since.In(at.Location()), at))
	if s := e.Summary; s != nil {
		m.tell(s)
	}
	if e.Err != nil {
		m.Verdict = "It could not run: " + e.Err.Error()
	}
	m.Next = next(cause, e)
	m.Report = n.where(e.Files)
	m.files = slices.DeleteFunc([]string{e.Files.Rejects, e.Files.HTML}, func(file string) bool { return file == "" })
	m.Subject = subject(m, n.Rehearsal != "")
	m.hide(n.Secrets)
	return m
}

func headline(m Message, since, at time.Time) string {
	day := since.Format("Monday 2 January 2006, 15:04")
	switch m.Event {
	case BrokeDown:
		if since.Before(at) {
			return fmt.Sprintf("Job %s, which has needed attention since %s, is now worse: %s.", m.Job, day, m.why())
		}
		return fmt.Sprintf("Job %s needs attention: %s.", m.Job, m.why())
	case StillBroken:
		return fmt.Sprintf("Job %s still needs attention (since %s): %s.", m.Job, day, m.why())
	case Recovered:
		return fmt.Sprintf("Job %s has recovered. It had needed attention since %s.", m.Job, day)
	case Tested:
		return "This is a test message: the channel works. No job was run."
	}
	return fmt.Sprintf("Job %s ran successfully.", m.Job)
}

// why says why the job is broken.
func (m Message) why() string {
	if m.down {
		return "the service is down"
	}
	return m.Cause.words()
}

func (c Cause) words() string {
	switch c {
	case CouldNotRun:
		return "it could not run"
	case Stopped:
		return "the run was stopped"
	case InDoubt:
		return "some records are in doubt"
	case Rejects:
		return "some records were not imported"
	case Differing:
		return "the service stored some values differently from what was sent"
	}
	return "nothing is wrong"
}

// tell takes the numbers of a run over.
func (m *Message) tell(s *report.Summary) {
	m.Run, m.Verdict = s.Run.ID, s.Verdict
	m.Outcomes = map[string]int{}
	var counts []string
	for _, c := range s.Records.ByOutcome {
		if c.Records > 0 {
			m.Outcomes[string(c.Outcome)] = c.Records
			counts = append(counts, strconv.Itoa(c.Records)+" "+c.Outcome.Words())
		}
	}
	m.Facts = append(m.Facts,
		Fact{"Rows", fmt.Sprintf("%d read = %d in records + %d skipped", s.Rows.Read, s.Rows.InRecords, s.Rows.SkippedRows())},
		Fact{"Records", strings.TrimSuffix(fmt.Sprintf("%d = %s", s.Records.Total, strings.Join(counts, " + ")), " = ")})
	if !s.Run.Ended.IsZero() {
		m.Facts = append(m.Facts, Fact{"Took", s.Run.Ended.Sub(s.Run.Started).Round(time.Second).String()})
	}
	for _, p := range s.Problems {
		if p.Outcome == "" || len(m.Problems) == problemsTold {
			continue // a note kept nothing back
		}
		what := fmt.Sprintf("%s: %s (%s", p.Outcome.Words(), p.Message, wording.Counted(p.Rows, "row"))
		m.Problems = append(m.Problems, Problem{What: what + place(p.Example) + ")", Hint: p.Hint})
	}
}

// place is where an example stands, as a spreadsheet shows it.
func place(e cause.Example) string {
	switch {
	case e.Cell != "" && e.Sheet != "":
		return ", as in " + e.Sheet + "!" + e.Cell
	case e.Cell != "":
		return ", as in cell " + e.Cell
	case e.Row > 0:
		return fmt.Sprintf(", as in row %d", e.Row)
	}
	return ""
}

// next says what is to be done, the most pressing first.
func next(cause Cause, e Ended) []string {
	var list []string
	say := func(text string, args ...any) { list = append(list, fmt.Sprintf(text, args...)) }
	if cause == CouldNotRun {
		say("Correct the problem above, then run: docketsync run %s", e.Job)
	}
	s := e.Summary
	if s == nil {
		return list
	}
	if s.Run.Phase == ledger.Stopped && cause == Stopped {
		say("%s", afterStop(s.Run))
	}
	if s.Count(outcome.InDoubt).Records > 0 {
		say("Resolve the records in doubt: docketsync resolve %s", s.Run.Name)
	}
	if s.Count(outcome.Rejected).Records > 0 {
		say("Correct the rows in rejects.xlsx and import only those: docketsync run %s --file rejects.xlsx", e.Job)
	}
	if s.Differs != nil {
		say("Correct the values listed in differs.csv by hand in the service, or correct the source.")
	}
	if s.Count(outcome.Failed).Records > 0 {
		say("Failed records need no action: the next run retries them.")
	}
	return list
}

// afterStop is the advice for a run that was stopped.
func afterStop(run ledger.Run) string {
	switch run.StopCode {
	case stop.Guard:
		if run.Export == nil {
			return "This export cannot be used. Export it again as before; the next run uses it."
		}
		return "Check the export. If it is correct, let it through: docketsync run " + run.Job + " --accept-guard"
	case stop.SignIn:
		return "Give docketsync a valid cookie, or correct service.sign_in; the next run sends what is held."
	case stop.Certificate:
		return "Nothing was sent to a server that is not trusted. Follow the advice above (clock, host, service.ca_file); the next run sends what is held."
	case stop.SameRefusal, stop.SameDifference, stop.Doubts, stop.Failures, stop.Rejections:
		return "Follow the advice above, then run: docketsync run " + run.Job
	case stop.Service, stop.ServiceDown:
		return "Contact the service's operator; the next run sends what is held."
	}
	return "See the reason above; the next run sends what is held."
}

// where a report can be read: the link, or its path on this machine. "" when there is none.
func (n *Notifier) where(files files.Paths) string {
	if n.Link != "" && files.Dir != "" {
		return strings.ReplaceAll(n.Link, "{folder}", url.PathEscape(filepath.Base(files.Dir)))
	}
	return files.HTML
}

// subjectLength is how many characters of a subject mail programs show at the most.
const subjectLength = 160

func subject(m Message, rehearsal bool) string {
	parts := []string{"docketsync"}
	if rehearsal {
		parts = append(parts, "REHEARSAL")
	}
	if m.Firm != "" {
		parts = append(parts, m.Firm)
	}
	words := map[Event]string{BrokeDown: "NEEDS ATTENTION", StillBroken: "still needs attention", Recovered: "recovered", Succeeded: "succeeded", Tested: "test message"}[m.Event]
	if m.Job != "" {
		words = m.Job + " " + words
	}
	parts = append(parts, words)
	if m.Verdict != "" {
		parts = append(parts, m.Verdict)
	}
	return wording.Short(strings.Join(strings.Fields(strings.Join(parts, " · ")), " "), subjectLength)
}

// leastSecret is how long a secret must be to be looked for: shorter ones stand in too many words.
const leastSecret = 4

// hide takes secrets out of every text of the message.
func (m *Message) hide(secrets []string) {
	texts := []*string{&m.Subject, &m.Headline, &m.Verdict, &m.Report, &m.Firm, &m.Job}
	for n := range m.Facts {
		texts = append(texts, &m.Facts[n].Value)
	}
	for n := range m.Problems {
		texts = append(texts, &m.Problems[n].What, &m.Problems[n].Hint)
	}
	for n := range m.Next {
		texts = append(texts, &m.Next[n])
	}
	for _, text := range texts {
		*text = Hidden(*text, secrets)
	}
}

// Hidden is a text with every secret in it taken out. A secret that is too short stands in too many words, and guards nothing.
func Hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= leastSecret {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}
