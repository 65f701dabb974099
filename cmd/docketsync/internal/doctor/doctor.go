// Package doctor tries everything that a run needs, one thing after the other, and says what it found: the configuration, the secrets by
// their names, the way to the service, the sign-in, its lists, remotes, the ledger, folders with their free space, the clock, the channels, the
// console's certificate.
//
// It changes nothing in the service: it asks for the head of base_url without any secret, signs in where the configuration says how, and
// reads the first items of the lists; it signs in at mail servers and remotes. What could be tried only by sending something is a finding too
// (NotTried), so that nobody takes
// silence for success. No finding holds a secret.
//
// checks is the table of all checks, in the order in which one makes sense after the other; each file has those of one concern. It stands
// above the installation, whose settings, client and ledger it uses as commands do, and knows neither terminal nor pages.
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

// State is how a check came out.
type State string

const (
	OK       State = "ok"
	Warning  State = "warning"   // runs work, but a person should look at it
	Failed   State = "failed"    // a run would fail, or people would not be told
	NotTried State = "not_tried" // it depends on what failed, is not configured, or could be tried only by sending something
)

// Finding is what one check found out: in Said what is so, in Advice what to do where that is not well.
type Finding struct {
	Check  string `json:"check"`
	State  State  `json:"state"`
	Said   string `json:"said"`
	Advice string `json:"advice,omitempty"`

	code int // the exit status that a failure stands for
}

// Result is what all checks found out. Exit is the gravest status of those that failed.
type Result struct {
	Service  string    `json:"service,omitempty"` // in words: what kind it is, and its host
	Findings []Finding `json:"findings"`
	Exit     int       `json:"exit"`
}

// checks are all checks, in their order. One that has nothing to say of this configuration finds nothing.
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

// patient is the installation that is looked at, with what earlier checks found out about it.
type patient struct {
	setup    *installation.Setup
	in       *installation.Installation // nil when the configuration cannot be read
	book     *ledger.Ledger             // open already, nil when it is not
	reach    *apiclient.Reach           // the way to the service, nil when it was not reached
	withheld bool                       // a secret of the service is missing
	signedIn bool                       // the service is known to let this installation in
}

// Look makes all checks. Those behind a configuration that cannot be read find nothing. book is the ledger where this process has it
// open, nil to have it opened. The end of ctx ends what is tried.
func Look(ctx context.Context, setup *installation.Setup, book *ledger.Ledger) (r Result, err error) {
	silent := *setup // what the parts have to say meanwhile is not for whoever asked
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
		address, _ := p.in.Config.Service.Address() // a configuration that was loaded has one
		r.Service = wording.Service(address)
		secrets := p.in.Config.Secrets()
		for n := range r.Findings {
			f := &r.Findings[n]
			f.Said, f.Advice = notify.Hidden(f.Said, secrets), notify.Hidden(f.Advice, secrets)
		}
	}
	return r, ctx.Err()
}

// Count is how many findings have a state.
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

// failed is the finding of an error: its first line, and as advice the lines behind it and what its parts advise.
func failed(err error) Finding {
	said, advice, _ := strings.Cut(exit.Explain(err), "\n")
	return Finding{State: Failed, Said: said, Advice: strings.TrimSpace(advice), code: exit.Of(err)}
}

// failedWith is a failure in words of its own.
func failedWith(code int, advice, format string, args ...any) Finding {
	return Finding{State: Failed, Said: fmt.Sprintf(format, args...), Advice: advice, code: code}
}
