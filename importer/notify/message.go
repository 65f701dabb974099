package notify

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/moment"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

// problemsTold is how many problems a message names; the report has them all.
const problemsTold = 5

// Message is what is sent, before it has the form of a channel; its JSON is what a webhook gets.
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
	Facts    []fact         `json:"facts,omitempty"`
	Problems []problem      `json:"problems,omitempty"`
	Next     []string       `json:"next,omitempty"`
	Report   string         `json:"report,omitempty"` // a link, or a path on the host

	why   string        // in the terms of the service or the file
	steps []remedy.Step // Next, as the forms show it
	files []string      // to attach if there is room
}

// fact is a line of numbers.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// problem is a cause of records that did not go in.
type problem struct {
	What string `json:"what"`
	Hint string `json:"hint,omitempty"`
}

// compose says what happened. since is when the job broke, zero if it never did.
func (n *Notifier) compose(event Event, cause Cause, e Ended, since, at time.Time) Message {
	m := Message{Form: "docketsync-message/1", Event: event, Cause: cause, Firm: n.Firm, Job: e.Job, Host: n.Host, At: at.UTC()}
	if event != succeeded {
		m.Since = since.UTC()
	}
	if event != tested {
		list := remedies(e)
		m.steps = n.Site.Steps(list)
		if m.Next = nexts(m.steps); cause != "" {
			m.why = remedy.First(list)
		}
	}
	about := "Job " + e.Job
	if e.Firm != "" {
		about = "Firm " + e.Firm
	}
	m.Headline = strings.TrimSpace(n.Rehearsal + " " + headline(m, about, since, at))
	if s := e.Summary; s != nil {
		m.tell(s)
	}
	if e.Err != nil && e.Job != "" {
		m.Verdict = "It could not run: " + e.Err.Error()
	}
	m.Report = n.where(m.Run, e.Files)
	m.files = slices.DeleteFunc([]string{e.Files.Rejects, e.Files.HTML}, func(file string) bool { return file == "" })
	m.Subject = subject(m, n.Rehearsal != "")
	m.hide(n.Secrets)
	return m
}

func headline(m Message, about string, since, at time.Time) string {
	day := moment.Of(since)
	if m.Cause == noChannel {
		return fmt.Sprintf("No job runs: %s.", m.why)
	}
	if m.Event == recovered && m.Job == "" {
		return "All channels of messages can be used again."
	}
	switch m.Event {
	case brokeDown:
		if since.Before(at) {
			return fmt.Sprintf("%s, which has needed attention since %s, is now worse: %s.", about, day, m.why)
		}
		return fmt.Sprintf("%s needs attention: %s.", about, m.why)
	case stillBroken:
		return fmt.Sprintf("%s still needs attention (since %s): %s.", about, day, m.why)
	case recovered:
		return fmt.Sprintf("%s has recovered. It had needed attention since %s.", about, day)
	case gone:
		return about + " is gone: nothing of it is synced."
	case tested:
		return "This is a test message: the channel works. No job was run."
	}
	return fmt.Sprintf("%s ran successfully.", about)
}

// tell copies the numbers of a run into the message.
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
		fact{"Rows", fmt.Sprintf("%d read = %d in records + %d skipped", s.Rows.Read, s.Rows.InRecords, s.Rows.SkippedRows())},
		fact{"Records", strings.TrimSuffix(fmt.Sprintf("%d = %s", s.Records.Total, strings.Join(counts, " + ")), " = ")})
	if !s.Run.Ended.IsZero() {
		m.Facts = append(m.Facts, fact{"Took", s.Run.Ended.Sub(s.Run.Started).Round(time.Second).String()})
	}
	for _, p := range s.Problems {
		if p.Outcome == "" || p.Message == s.Run.Stop || len(m.Problems) == problemsTold {
			continue // a note kept no record back, and the verdict says why the run stopped
		}
		what := fmt.Sprintf("%s: %s (%s", p.Outcome.Words(), p.Message, p.Counted())
		m.Problems = append(m.Problems, problem{What: what + place(p.Example) + ")", Hint: p.Hint})
	}
}

// place says where an example is, as a spreadsheet shows it.
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

// remedies lists what is wrong with a job and what mends it, the most pressing first. The file of rejects is named by
// its path on this machine, so that the command can be pasted there.
func remedies(e Ended) []remedy.Remedy {
	var list []remedy.Remedy
	if e.Job == "" && e.Err != nil {
		return []remedy.Remedy{remedy.NoChannel(e.Err)}
	}
	if e.Firm != "" && e.Err != nil {
		return []remedy.Remedy{remedy.NotServed(e.Err)}
	}
	if e.Job == "" || e.Firm != "" {
		return nil
	}
	if e.Err != nil || e.Summary == nil {
		list = append(list, remedy.NotRun(e.Job, cmp.Or(e.Err, errors.New("nothing is known of its run"))))
	}
	if s := e.Summary; s != nil && !(e.Err != nil && s.Run.StopCode == stop.Input) {
		rejects := e.Files.Rejects
		if whole, err := filepath.Abs(rejects); err == nil && rejects != "" {
			rejects = whole
		}
		list = append(list, s.Remedies(rejects)...)
	}
	return list
}

// nexts returns each step as one line, for programs.
func nexts(steps []remedy.Step) (list []string) {
	for _, step := range steps {
		text := step.Do
		if step.Command != "" {
			text += " " + step.Command
		}
		list = append(list, text)
	}
	return list
}

// where returns where the report can be read: the link, the page of its run, or its path on this machine; "" if there
// is none.
func (n *Notifier) where(run string, files files.Paths) string {
	if n.Link != "" && files.Dir != "" {
		return strings.ReplaceAll(n.Link, "{folder}", url.PathEscape(filepath.Base(files.Dir)))
	}
	if link := n.Site.Link("/runs/" + run); link != "" && run != "" {
		return link
	}
	return files.HTML
}

// subjectLength is how many characters of a subject mail programs show at most.
const subjectLength = 160

func subject(m Message, rehearsal bool) string {
	parts := []string{"docketsync"}
	if rehearsal {
		parts = append(parts, "REHEARSAL")
	}
	if m.Firm != "" {
		parts = append(parts, m.Firm)
	}
	words := map[Event]string{brokeDown: "NEEDS ATTENTION", stillBroken: "still needs attention", recovered: "recovered", succeeded: "succeeded", gone: "is gone: nothing of it is synced", tested: "test message"}[m.Event]
	if m.Job != "" {
		words = m.Job + " " + words
	}
	parts = append(parts, words)
	if said := cmp.Or(m.why, m.Verdict); said != "" {
		parts = append(parts, said)
	}
	return wording.Short(strings.Join(strings.Fields(strings.Join(parts, " · ")), " "), subjectLength)
}

// leastSecret is the least length of a secret that is looked for: shorter ones occur in too many words.
const leastSecret = 4

// hide takes secrets out of every text of the message, and shows the marks in it.
func (m *Message) hide(secrets []string) {
	texts := []*string{&m.Subject, &m.Headline, &m.Verdict, &m.Report, &m.Firm, &m.Job, &m.why}
	for n := range m.Facts {
		texts = append(texts, &m.Facts[n].Value)
	}
	for n := range m.Problems {
		texts = append(texts, &m.Problems[n].What, &m.Problems[n].Hint)
	}
	for n := range m.Next {
		texts = append(texts, &m.Next[n], &m.steps[n].Do)
		for _, exact := range []*string{&m.steps[n].Link, &m.steps[n].Command} { // to be followed or pasted
			*exact = Hidden(*exact, secrets)
		}
	}
	for _, text := range texts {
		*text = wording.Visible(Hidden(*text, secrets))
	}
}

// Hidden removes every secret from a text. A secret that is too short occurs in too many words, and protects nothing.
func Hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= leastSecret {
			text = strings.ReplaceAll(text, secret, "[hidden]")
		}
	}
	return text
}
