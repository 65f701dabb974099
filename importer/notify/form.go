package notify

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed mail.html
var mailPage string

var mailForm = template.Must(template.New("mail").Parse(mailPage))

// html is the message as the page of a mail. It asks for nothing from any network.
func (m Message) html(attached, left []string) (string, error) {
	var b bytes.Buffer
	err := mailForm.Execute(&b, struct {
		Message
		Attached, Left []string
		Linked         bool
	}{m, attached, left, m.linked()})
	return b.String(), err
}

// linked tells whether the report is somewhere that a browser can go to.
func (m Message) linked() bool {
	return strings.HasPrefix(m.Report, "https://") || strings.HasPrefix(m.Report, "http://")
}

// text is the message in plain words.
func (m Message) text(attached, left []string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", m.Headline)
	if m.Verdict != "" {
		line("\n%s", m.Verdict)
	}
	if len(m.Facts) > 0 {
		line("")
	}
	for _, f := range m.Facts {
		line("%s: %s", f.Name, f.Value)
	}
	section := func(title string, n int) {
		if n > 0 {
			line("\n%s", title)
		}
	}
	section("Why records were not imported:", len(m.Problems))
	for _, p := range m.Problems {
		line("- %s", p.What)
		if p.Hint != "" {
			line("  %s", p.Hint)
		}
	}
	section("What to do:", len(m.Next))
	for _, step := range m.Next {
		line("- %s", step)
	}
	if m.Report != "" {
		line("\nReport: %s", m.ReportPlace())
	}
	if len(attached) > 0 {
		line("Attached: %s", strings.Join(attached, ", "))
	}
	if len(left) > 0 {
		line("Too large to attach: %s", strings.Join(left, ", "))
	}
	line("\n%s", m.Foot())
	return b.String()
}

// ReportPlace is the link of the report, or its path and whose path it is.
func (m Message) ReportPlace() string {
	if m.linked() || m.Host == "" {
		return m.Report
	}
	return m.Report + " on " + m.Host
}

// Foot says who sent the message.
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
