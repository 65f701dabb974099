package notify

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"docketsync/importer/report/remedy"
)

//go:embed mail.html
var mailPage string

var mailForm = template.Must(template.New("mail").Parse(mailPage))

// html returns the message as the page of a mail. It loads nothing from any network.
func (m Message) html(attached, left []string) (string, error) {
	var b bytes.Buffer
	err := mailForm.Execute(&b, struct {
		Message
		Attached, Left []string
		Linked         bool
		Steps          []remedy.Step
	}{m, attached, left, m.linked(), m.steps})
	return b.String(), err
}

// linked reports whether a browser can open the report.
func (m Message) linked() bool {
	return strings.HasPrefix(m.Report, "https://") || strings.HasPrefix(m.Report, "http://")
}

// text returns the message as plain text.
func (m Message) text(attached, left []string) string {
	var files []string
	if m.Report != "" {
		files = append(files, "Report: "+m.ReportPlace())
	}
	if len(attached) > 0 {
		files = append(files, "Attached: "+strings.Join(attached, ", "))
	}
	if len(left) > 0 {
		files = append(files, "Too large to attach: "+strings.Join(left, ", "))
	}
	parts := append([]string{m.Headline}, m.parts("- ", "  ")...)
	if len(files) > 0 {
		parts = append(parts, strings.Join(files, "\n"))
	}
	return strings.Join(append(parts, m.Foot()), "\n\n") + "\n"
}

// button is a link that a chat shows as a button.
type button struct{ title, link string }

// buttons lead to the page that mends the most pressing problem, and to the report.
func (m Message) buttons() (list []button) {
	if len(m.steps) > 0 && m.steps[0].Link != "" && m.steps[0].Link != m.Report {
		list = append(list, button{m.steps[0].Way, m.steps[0].Link})
	}
	if m.linked() {
		list = append(list, button{"Open the report", m.Report})
	}
	return list
}

// posted returns the paragraphs of a message in a chat, between its headline and its foot. A link to the report is a
// button there.
func (m Message) posted() []string {
	parts := m.parts("• ", "")
	if m.Report != "" && !m.linked() {
		parts = append(parts, "Report: "+m.ReportPlace())
	}
	return parts
}

// parts returns the paragraphs that say what happened and what to do. point is put before each point of a list, hint
// before a hint.
func (m Message) parts(point, hint string) (parts []string) {
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			parts = append(parts, strings.TrimPrefix(title+"\n"+strings.Join(lines, "\n"), "\n"))
		}
	}
	if m.Verdict != "" {
		parts = append(parts, m.Verdict)
	}
	var facts, problems, next []string
	for _, f := range m.Facts {
		facts = append(facts, f.Name+": "+f.Value)
	}
	for _, p := range m.Problems {
		problems = append(problems, point+p.What)
		if p.Hint != "" {
			problems = append(problems, hint+p.Hint)
		}
	}
	for _, step := range m.steps {
		next = append(next, point+step.Do)
		for _, way := range []string{step.Link, step.Command} {
			if way != "" {
				next = append(next, hint+way)
			}
		}
	}
	add("", facts)
	add("Why records were not imported:", problems)
	add("What to do:", next)
	return parts
}

// ReportPlace is the link to the report, or its path and the machine that the path is on.
func (m Message) ReportPlace() string {
	if m.linked() || m.Host == "" {
		return m.Report
	}
	return m.Report + " on " + m.Host
}

// Foot says what sent the message.
func (m Message) Foot() string {
	foot := "docketsync"
	if m.Host != "" {
		foot += " on " + m.Host
	}
	if m.Run != "" {
		foot += ", run " + m.Run
	}
	return foot
}
