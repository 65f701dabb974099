package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/config"
	"docketsync/importer/notify"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// dialWithin is how long a channel's server may take to accept a connection.
const dialWithin = 10 * time.Second

// lookAtChannels signs in at the mail servers of channels, and connects to the others without sending anything.
func lookAtChannels(ctx context.Context, p *patient) (list []Finding) {
	settings := p.in.Config
	known, err := observers.Channels(settings, remedy.Site{}, nil, p.in.Log)
	if err != nil {
		return []Finding{failed(err)}
	}
	for _, name := range settings.Notify.ChannelNames() {
		channel := settings.Notify.Channels[name]
		server := ""
		if channel.Mail != nil {
			server = channel.Mail.Server
		} else if u, err := url.Parse(channel.URL().Reveal()); err == nil && u.Host != "" {
			server = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
		}
		switch {
		case server == "":
			list = append(list, notTried("channel %s: its address is missing", name))
			continue
		case settings.Service.Proxy == "environment" && channel.Mail == nil:
			list = append(list, notTried("channel %s: it is reached through the proxy of the environment", name))
			continue
		}
		dialer := net.Dialer{Timeout: dialWithin}
		conn, err := dialer.DialContext(ctx, "tcp", server)
		if err != nil {
			list = append(list, failedWith(exit.CouldNotRun, "Check notify.channels."+name+" and the firewall: nobody would be told.", "channel %s: %s cannot be reached", name, server))
			continue
		}
		_ = conn.Close()
		if channel.Mail != nil {
			list = append(list, tryMail(ctx, known, name))
			continue
		}
		list = append(list, ok("channel %s: %s takes connections", name, server))
	}
	if len(settings.Notify.Channels) == 0 {
		return []Finding{notTried("no channels are configured: nobody is told when a run fails (notify.channels)")}
	}
	return append(list, notTried("no message was sent: to send one to every channel, use docketsync notify test"))
}

// tryMail signs in at the mail server of a channel as for a mail, but sends none.
func tryMail(ctx context.Context, known notify.Settings, name string) Finding {
	n := slices.IndexFunc(known.Channels, func(c notify.Channel) bool { return c.Name == name })
	mail := known.Channels[n].Mail
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	if err := mail.Try(ctx, known); err != nil {
		return failedWith(exit.CouldNotRun, "Check notify.channels."+name+": nobody would be told.", "channel %s: %s takes connections, but no mail: %v", name, mail.Server, err)
	}
	how := map[string]string{"none": "without encryption", "implicit": "encrypted", "starttls": "encrypted (STARTTLS)"}[mail.TLS]
	return ok("channel %s: %s takes mail, %s%s", name, mail.Server, how, wording.Prefixed(", signed in as ", mail.User))
}

// lookAtRemotes signs in at all remotes, and finds the files that jobs would fetch from them.
func lookAtRemotes(ctx context.Context, p *patient) (list []Finding) {
	paths := map[string][]string{}
	for _, job := range p.in.Config.Jobs {
		for _, file := range job.Source.Files {
			if name, path := config.RemotePath(file); name != "" && !slices.Contains(paths[name], path) {
				paths[name] = append(paths[name], path)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.in.Config.Remotes)) {
		if p.in.Config.Missing(config.OfRemote(name)) != nil {
			list = append(list, notTried("remote %s: a secret is missing", name))
			continue
		}
		wanted := paths[name]
		if len(wanted) == 0 {
			wanted = []string{""}
		}
		for _, path := range wanted {
			found, err := p.in.LookAt(ctx, name, path)
			switch {
			case err != nil:
				finding := failed(err)
				finding.Said, finding.code = "remote "+strings.Replace(finding.Said, name+":: ", name+": ", 1), exit.CouldNotRun
				list = append(list, finding)
			case path == "":
				list = append(list, ok("remote %s: signed in; no job reads from it", name))
			default:
				list = append(list, ok("remote %s: signed in; %s would be fetched, %s bytes, written %s", name, found.Address, wording.Thousands(int(found.Size)), found.Modified.Format(time.RFC3339)))
			}
		}
	}
	return list
}

// lookAtConsole checks the certificate of the console: browsers refuse one that has expired or has another name.
func lookAtConsole(_ context.Context, p *patient) []Finding {
	settings := p.in.Config.Console
	if settings.TLS == nil {
		return nil
	}
	const renew = "Replace the files of console.tls; a running console takes new ones up within a second."
	pair, err := tls.LoadX509KeyPair(settings.TLS.Cert, settings.TLS.Key)
	if err != nil {
		return []Finding{failedWith(exit.CouldNotRun, "Check console.tls: it needs a certificate and its matching key, both as PEM files.", "the certificate of the console: %v", err)}
	}
	leaf, now := pair.Leaf, time.Now()
	days := int(leaf.NotAfter.Sub(now).Hours() / 24)
	u, _ := url.Parse(settings.URL) // a loaded configuration has a valid one
	switch {
	case now.Before(leaf.NotBefore):
		return []Finding{failedWith(exit.CouldNotRun, renew, "the certificate of the console is valid only from %s", leaf.NotBefore.Format(time.DateOnly))}
	case now.After(leaf.NotAfter):
		return []Finding{failedWith(exit.CouldNotRun, renew, "the certificate of the console expired on %s", leaf.NotAfter.Format(time.DateOnly))}
	case settings.URL != "" && leaf.VerifyHostname(u.Hostname()) != nil:
		return []Finding{warning("Get a certificate for that name, or correct console.url.", "the certificate of the console is not for %s", u.Hostname())}
	case leaf.NotAfter.Sub(now) < expiresSoon:
		return []Finding{warning(renew, "the certificate of the console expires in %s", wording.Counted(days, "day"))}
	}
	return []Finding{ok("the certificate of the console is valid until %s", leaf.NotAfter.Format(time.DateOnly))}
}
