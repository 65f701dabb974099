package notify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// A run that could not be made has a report, but what matters is the error, and what to do about it; an export of which nothing
// can be made is not one to be let through.
func TestMessagesOfRunsThatWereNotPlanned(t *testing.T) {
	t.Parallel()
	stop := func(code string, export *ledger.Export) *report.Summary {
		return &report.Summary{Verdict: "The verdict.", Run: ledger.Run{ID: "run-1", Job: "marks", Phase: ledger.Stopped, StopCode: code, Export: export}}
	}
	for _, test := range []struct {
		name          string
		ended         Ended
		cause         Cause
		verdict, next string
	}{
		{"could not run", Ended{Job: "marks", Summary: stop("input", nil), Err: errors.New("the file is gone")}, couldNotRun,
			"It could not run: the file is gone", "Correct that, then run the job. docketsync run marks"},
		{"a name that looks like another", Ended{Job: "marks", Summary: stop("input", nil), Err: errors.New("vsc\u202e.tropxe is gone")}, couldNotRun,
			"It could not run: vsc⟨U+202E⟩.tropxe is gone", "Correct that, then run the job. docketsync run marks"},
		{"a guard", Ended{Job: "marks", Summary: stop("guard", &ledger.Export{})}, stopped, "The verdict.", "docketsync run marks --accept-guard"},
		{"an export that cannot be read", Ended{Job: "marks", Summary: stop("guard", nil)}, stopped, "The verdict.", "This export cannot be used."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if cause, news := judge(test.ended, 0); cause != test.cause || !news {
				t.Errorf("it is judged as %q, %v", cause, news)
			}
			m := New(Settings{}).compose(brokeDown, test.cause, test.ended, ledger.Run{}.Started, ledger.Run{}.Started)
			if m.Verdict != test.verdict || m.Run != "run-1" || len(m.Next) != 1 || !strings.Contains(m.Next[0], test.next) {
				t.Errorf("it is told:\n%+v", m)
			}
		})
	}
}

// TestChatsSayWhereTheReportIs shows that a report which no browser can go to is named by its path and machine, as there is no button
// for it; one with a link has a button alone.
func TestChatsSayWhereTheReportIs(t *testing.T) {
	t.Parallel()
	const path, link = "/var/reports/matters/report.html", "https://files.example/matters/report.html"
	for name, form := range map[string]func(Message) any{"slack": slack, "teams": teams} {
		for _, test := range []struct{ report, want, not string }{
			{path, `"Report: ` + path + ` on nightly"`, `"url":`},
			{link, `"url":"` + link + `"`, "Report: "},
		} {
			posted, err := json.Marshal(form(Message{Headline: "Job matters needs attention.", Host: "nightly", Report: test.report}))
			if err != nil {
				t.Fatal(err)
			}
			if text := string(posted); !strings.Contains(text, test.want) || strings.Contains(text, test.not) {
				t.Errorf("%s: want %s and not %s:\n%s", name, test.want, test.not, text)
			}
		}
	}
}

// TestMessagesOfARehearsalSaySoFirst shows that nobody takes the message of a rehearsal for one of the live service.
func TestMessagesOfARehearsalSaySoFirst(t *testing.T) {
	t.Parallel()
	n := New(Settings{Rehearsal: "Rehearsal: the service is the sandbox, not the live one."})
	m := n.compose(recovered, "", Ended{Job: "matters"}, time.Now(), time.Now())
	if !strings.HasPrefix(m.text(nil, nil), n.Rehearsal) || !strings.HasPrefix(m.Subject, "docketsync · REHEARSAL · matters") {
		t.Errorf("%s\n%s", m.Subject, m.text(nil, nil))
	}
}
