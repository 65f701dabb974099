package doctor

import (
	"cmp"
	"context"
	"net"
	"strings"
	"time"

	"docketsync/apiclient"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/importer/stop"
)

const (
	// expiresSoon is how long before a certificate expires it is reported.
	expiresSoon = 21 * 24 * time.Hour
	// mostSkew is how far a clock may be off: dates that are sent are days, but logs, reports and tokens are compared
	// by the second.
	mostSkew = time.Minute
)

func lookAtConnection(ctx context.Context, p *patient) (list []Finding) {
	if p.in.Config.Service.UsesSandbox() {
		return []Finding{notTried("the service is the sandbox inside docketsync: there is no connection to try")}
	}
	r, step, trouble, err := p.in.Reach(ctx)
	if err != nil {
		return []Finding{failed(err)}
	}
	if len(r.Addresses) > 0 {
		host, _, _ := net.SplitHostPort(cmp.Or(r.Proxy, r.Host))
		list = append(list, ok("name: %s resolves to %s", host, strings.Join(r.Addresses, ", ")))
	}
	if r.Peer != "" {
		list = append(list, ok("connect: %s takes connections", r.Peer))
	}
	if r.TLS != "" {
		list = append(list, certificateOf(r))
	}
	if trouble != nil {
		return append(list, failedWith(exit.CouldNotRun, wording.Sentence(wording.UpperFirst(trouble.Hint)), "%s: %s", step, trouble.Message))
	}
	if r.TLS == "" {
		list = append(list, ok("tls: none, since the service is on this machine; docketsync accepts plain HTTP nowhere else"))
	}
	p.reach = &r
	return append(list, ok("answer: %s answers over HTTP%s (%s to a request without a key)", r.Host, wording.Prefixed(" through the proxy ", r.Proxy), r.Status))
}

func certificateOf(r apiclient.Reach) Finding {
	said := "tls: " + r.TLS + "; " + strings.Join(r.Chain, "; ")
	if left := time.Until(r.Expires); left < expiresSoon {
		return warning("Ask the operator of the service to renew it, or nothing can be sent from then on.", "%s: a certificate expires in %s", said, wording.Counted(int(left.Hours()/24), "day"))
	}
	return ok("%s", said)
}

func lookAtClock(_ context.Context, p *patient) []Finding {
	if err := p.setup.ZoneKnown(); err != nil {
		return []Finding{failed(err)}
	}
	switch {
	case p.reach == nil:
		return []Finding{notTried("this machine's clock says %s; the service gave no time to compare it with", time.Now().Format(time.RFC3339))}
	case !p.reach.Dated:
		return []Finding{notTried("this machine's clock says %s; the service's answer has no date to compare it with", time.Now().Format(time.RFC3339))}
	case p.reach.Skew.Abs() > mostSkew:
		return []Finding{warning("Set the clock of this machine, with NTP if possible: schedules, reports and certificates go by it.",
			"this machine's clock is %s %s the service's", p.reach.Skew.Abs(), map[bool]string{true: "ahead of", false: "behind"}[p.reach.Skew > 0])}
	}
	return []Finding{ok("this machine's clock and the service's agree")}
}

func lookAtSignIn(ctx context.Context, p *patient) []Finding {
	service := p.in.Config.Service
	switch {
	case service.SignIn == nil && service.AuthCookie.Empty():
		return nil
	case service.SignIn == nil:
		return []Finding{notTried("auth_cookie is configured and sign_in is not: whether the service still accepts the cookie shows in the lists, or in the first record that is sent")}
	case service.UsesSandbox():
		return []Finding{notTried("the service is the sandbox inside docketsync")}
	case p.reach == nil && service.SignIn.Path != "":
		return []Finding{notTried("the service was not reached")}
	case p.withheld:
		return []Finding{notTried("a secret of the service is missing")}
	}
	client, err := p.in.Client(ctx)
	if err == nil {
		err = client.SignIn(ctx)
	}
	if err != nil {
		return []Finding{failedWith(exit.CouldNotRun, "Correct sign_in under service in the configuration.", "signing in failed: %v", err)}
	}
	p.signedIn = true
	return []Finding{ok("the service gave a new cookie")}
}

func lookAtLists(ctx context.Context, p *patient) (list []Finding) {
	service := p.in.Config.Service
	for _, name := range service.ListNames() {
		switch {
		case p.reach == nil:
			return []Finding{notTried("the service was not reached")}
		case p.withheld:
			return []Finding{notTried("a secret of the service is missing")}
		}
		client, err := p.in.Client(ctx)
		items, total := 0, int64(-1)
		if err == nil {
			items, total, err = client.FirstPage(ctx, installation.ListSpec(name, service.Lists.Named[name]))
		}
		if err != nil {
			list = append(list, failedWith(exit.CouldNotRun, "Compare service.lists."+name+" with what the operator of the service says.", "list %s: %v", name, err))
			continue
		}
		p.signedIn = true
		said := wording.Counted(items, "item") + " on its first page"
		if total >= 0 {
			said += " of " + wording.Thousands(int(total))
		}
		list = append(list, ok("list %s: %s", name, said))
	}
	return list
}

// lookAtSending says what no other check could try.
func lookAtSending(ctx context.Context, p *patient) (list []Finding) {
	if !p.signedIn && !p.in.Config.Service.UsesSandbox() {
		list = append(list, lastSignIn(ctx, p)...)
		list = append(list, notTried("whether the service accepts the subscription key: without lists or sign_in in the configuration, only a record that is sent shows it"))
	}
	return append(list, notTried("creating and updating records, and their paths: nothing is sent. To try a whole run without the service: docketsync run --rehearse"))
}

// lastSignIn reports a last run that ended because the service refused the sign-in: no check here can show whether that
// has been mended.
func lastSignIn(ctx context.Context, p *patient) []Finding {
	if p.in.Book == nil {
		return nil
	}
	runs, err := p.in.Book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if err != nil || len(runs) == 0 || runs[0].StopCode != stop.SignIn {
		return nil // the ledger check reports that it cannot be read
	}
	return []Finding{warning("Check the cookie (auth_cookie) or sign_in, and the subscription key; then run it again. Its report has the words of the service.",
		"the last run, of %s on %s, lost its sign-in", runs[0].Job, moment.Of(runs[0].Started))}
}
