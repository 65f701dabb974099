// Package doctor tries everything that a run needs, one thing after the other, and says what it found: the
// configuration, the secrets by their names, the way to the service, the sign-in, its lists, remotes, the ledger,
// folders with their free space, the clock, the channels, the console's certificate.
//
// It changes nothing in the service: it sends a HEAD request to base_url without any secret, signs in if the
// configuration says how, and reads the first items of the lists; it signs in at mail servers and remotes. What could
// be tried only by sending something is a finding too (NotTried), so that nobody takes silence for success. No finding
// contains a secret.
//
// checks is the table of all checks, in a sensible order; each file has the checks of one subject. The package uses the
// settings, client and ledger of the installation as commands do, and knows neither terminal nor pages.
package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"docketsync/apiclient"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/notify"
	"docketsync/importer/report/wording"
)

// State is the result of a check.
type State string

const (
	OK       State = "ok"
	Warning  State = "warning"   // runs work, but a person should look at it
	Failed   State = "failed"    // a run would fail, or people would not be told
	NotTried State = "not_tried" // it depends on what failed, is not configured, or could be tried only by sending something
)

// Finding is the result of one check: Said is what was found, Advice what to do if that is not well.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	Said   string `json:"said"`
	Advice string `json:"advice,omitempty"`

	code int // the exit status that a failure stands for
}

// Result is the result of all checks. Exit is the gravest status of those that failed.
type Result struct {
	Service  string    `json:"service,omitempty"` // in words: what kind it is, and its host
	Findings []Finding `json:"findings"`
	Exit     int       `json:"exit"`
}

// checks are all checks, in their order. A check that does not apply to a configuration finds nothing.
var checks = []struct {
	name string
	look func(context.Context, *patient) []Finding
}{
	{"configuration", lookAtConfiguration},
	{"secrets", lookAtSecrets},
	{"jobs", lookAtJobs},
	{"connection", lookAtConnection},
	{"clock", lookAtClock},
	{"sign-in", lookAtSignIn},
	{"lists", lookAtLists},
	{"remotes", lookAtRemotes},
	{"ledger", lookAtLedger},
	{"folders", lookAtFolders},
	{"notifications", lookAtChannels},
	{"console", lookAtConsole},
	{"sending", lookAtSending},
}

// patient is the installation under examination, with what earlier checks found out about it.
type patient struct {
	setup    *installation.Setup
	in       *installation.Installation // nil if the configuration cannot be read
	book     *ledger.Ledger             // nil if it is not open
	reach    *apiclient.Reach           // the way to the service, nil if it was not reached
	withheld bool                       // a secret of the service is missing
	signedIn bool                       // the service is known to accept this sign-in
}

// Look makes all checks. If the configuration cannot be read, the checks after it find nothing. book is the ledger if
// this process has it open, nil to have it opened. The end of ctx ends the checks.
func Look(ctx context.Context, setup *installation.Setup, book *ledger.Ledger) (r Result, err error) {
	silent := *setup // messages of the parts are not for the caller
	silent.Screen = &terminal.Screen{Out: io.Discard, Err: io.Discard, Quiet: true}
	p := &patient{setup: &silent, book: book}
	defer func() {
		if p.in != nil {
			err = p.in.End(err)
		}
	}()
	for _, check := range checks {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		for _, finding := range check.look(ctx, p) {
			finding.Check = check.name
			if finding.State == Failed {
				r.Exit = exit.Graver(r.Exit, finding.code)
			}
			r.Findings = append(r.Findings, finding)
		}
		if p.in == nil {
			break
		}
	}
	if p.in != nil {
		address, _ := p.in.Config.Service.Address() // a loaded configuration has one
		r.Service = wording.Service(address)
		secrets := p.in.Config.Secrets()
		for n := range r.Findings {
			f := &r.Findings[n]
			f.Said, f.Advice = notify.Hidden(f.Said, secrets), notify.Hidden(f.Advice, secrets)
		}
	}
	return r, ctx.Err()
}

// Count counts the findings with a state.
func (r Result) Count(state State) (n int) {
	for _, finding := range r.Findings {
		if finding.State == state {
			n++
		}
	}
	return n
}

func ok(format string, args ...any) Finding {
	return Finding{State: OK, Said: fmt.Sprintf(format, args...)}
}

func warning(advice, format string, args ...any) Finding {
	return Finding{State: Warning, Said: fmt.Sprintf(format, args...), Advice: advice}
}

func notTried(format string, args ...any) Finding {
	return Finding{State: NotTried, Said: fmt.Sprintf(format, args...)}
}

// failed returns the finding for an error: its first line, with the other lines and the advice of its parts as advice.
func failed(err error) Finding {
	said, advice, _ := strings.Cut(exit.Explain(err), "\n")
	return Finding{State: Failed, Said: said, Advice: strings.TrimSpace(advice), code: exit.Of(err)}
}

// failedWith returns a failure with its own words.
func failedWith(code int, advice, format string, args ...any) Finding {
	return Finding{State: Failed, Said: fmt.Sprintf(format, args...), Advice: advice, code: code}
}
