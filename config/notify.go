package config

import (
	"fmt"
	"maps"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
)

// Notify says who is notified of how jobs fare.
type Notify struct {
	Firm         string             `yaml:"firm"`
	Link         string             `yaml:"link"`
	RejectsAbove int                `yaml:"rejects_above"`
	Timeout      time.Duration      `yaml:"timeout" default:"30s" least:"1s"`
	CAFile       string             `yaml:"ca_file" path:"true"`
	Channels     map[string]Channel `yaml:"channels"` // by their names in logs and the ledger
	Ping         Ping               `yaml:"ping"`
}

// Channel is one way to notify people. One of Mail, Slack, Teams and Webhook is set; the last three are URLs.
type Channel struct {
	Mail    *Mail  `yaml:"mail"`
	Slack   Secret `yaml:"slack"`
	Teams   Secret `yaml:"teams"`
	Webhook Secret `yaml:"webhook"`
	On      Names  `yaml:"on" default:"[broken, still_broken, recovered]" oneof:"broken still_broken recovered success"`
}

// Mail is a mail server and the recipients.
type Mail struct {
	Server      string `yaml:"server"`
	TLS         string `yaml:"tls" default:"starttls" oneof:"starttls implicit none"`
	User        string `yaml:"user"`
	Password    Secret `yaml:"password"`
	From        string `yaml:"from"`
	To          Names  `yaml:"to"`
	Attach      bool   `yaml:"attach" default:"true"`
	AttachLimit size   `yaml:"attach_limit" default:"10MB"`
}

// Ping is a URL that is requested with GET after runs, at a service that raises an alarm if the requests stop.
type Ping struct {
	URL          Secret `yaml:"url"`
	On           string `yaml:"on" default:"success" oneof:"success always"`
	StartAndFail bool   `yaml:"start_and_fail"`
}

// ChannelNames returns the names of the channels, sorted.
func (n Notify) ChannelNames() []string { return slices.Sorted(maps.Keys(n.Channels)) }

// linkForms are the channels that messages are posted to.
var linkForms = []string{"slack", "teams", "webhook"}

// Form returns the kind of the channel: mail, slack, teams or webhook; "" if none is set.
func (c Channel) Form() string {
	for _, form := range linkForms {
		if !c.link(form).Empty() {
			return form
		}
	}
	if c.Mail != nil {
		return "mail"
	}
	return ""
}

func (c Channel) link(form string) Secret {
	return map[string]Secret{"slack": c.Slack, "teams": c.Teams, "webhook": c.Webhook}[form]
}

// URL returns the address that messages are posted to, for a channel other than mail.
func (c Channel) URL() Secret { return c.link(c.Form()) }

func (v validator) notify(n Notify, jobs int) {
	v.require(n.RejectsAbove >= 0, "rejects_above must not be negative", "0 notifies about every rejected row", "rejects_above")
	if n.Link != "" {
		u, err := url.Parse(n.Link)
		v.require(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "", "invalid link",
			"use the form https://files.example/reports/{folder}/report.html", "link")
	}
	for _, name := range n.ChannelNames() {
		v.in("channels", name).channel(name, n.Channels[name])
	}
	v.secretURL(n.Ping.URL, "ping", "url")
	v.require(n.Ping.URL.Empty() || jobs < 2 || strings.Contains(n.Ping.URL.Reveal(), "{job}"),
		"with several jobs, the URL must contain {job}: otherwise a missed run goes unnoticed",
		"{job} is replaced with the name of the job", "ping", "url")
}

func (v validator) channel(name string, c Channel) {
	v.require(listName.MatchString(name), fmt.Sprintf("invalid channel name %q", name), "use lowercase letters a to z, digits, - and _, starting with a letter, up to 41 characters")
	var forms []string
	for _, form := range append([]string{"mail"}, linkForms...) {
		if v.has(form) || form == "mail" && c.Mail != nil || !c.link(form).Empty() {
			forms = append(forms, form)
		}
	}
	switch len(forms) {
	case 0:
		v.fail(fmt.Sprintf("the channel %q has no type", name), "set mail: {…}, or slack:, teams: or webhook: {env: NAME}")
	case 1:
	default:
		v.fail(fmt.Sprintf("a channel has one type, and this has %s", strings.Join(forms, " and ")), "create a channel for each")
	}
	v.require(len(c.On) > 0, "the channel has no events", "for example, on: [broken, still_broken, recovered]", "on")
	words := oneOf[Channel]("On")
	for _, word := range c.On {
		v.require(slices.Contains(words, word), fmt.Sprintf("unknown event %q", word), diagnostic.Suggest(word, words), "on")
	}
	for _, form := range linkForms {
		v.secretURL(c.link(form), form)
	}
	if c.Mail != nil {
		v.in("mail").mail(*c.Mail)
	}
}

// secretURL requires an encrypted or local address. The address itself is a secret and is not shown.
func (v validator) secretURL(s Secret, path ...any) {
	if s.Empty() {
		return
	}
	u, err := url.Parse(s.Reveal())
	switch {
	case err != nil || u.Host == "":
		v.fail("this secret is not a valid URL", "it must start with https://", path...)
	case u.Scheme != "https" && (u.Scheme != "http" || !payload.Loopback(u.Hostname())):
		v.fail("this URL is not encrypted", "use https://; http:// is allowed only for this machine", path...)
	default:
		v.localDefault(s, payload.Loopback(u.Hostname()), path...)
	}
}

func (v validator) mail(m Mail) {
	host, port, err := net.SplitHostPort(m.Server)
	v.require(err == nil && host != "" && port != "", "server must be HOST:PORT", "for example, smtp.firm.example:587", "server")
	v.require(m.TLS != "none" || payload.Loopback(host), "TLS is required: emails and the password would be sent unencrypted",
		"set tls: starttls (port 587) or tls: implicit (port 465); none is allowed only for a server on this machine", "tls")
	_, err = mail.ParseAddress(m.From)
	v.require(err == nil, "from is not a valid email address", "for example, docketsync@firm.example", "from")
	v.require(len(m.To) > 0, "to is required", "for example, to: [NAME@firm.example]", "to")
	for _, to := range m.To {
		_, err := mail.ParseAddress(to)
		v.require(err == nil, fmt.Sprintf("%q is not a valid email address", to), "for example, operations@firm.example", "to")
	}
	v.require((m.User == "") == (m.Password.Empty() && !v.has("password")), "user and password must be set together", "set both or neither", "user")
	v.require(m.AttachLimit >= 0 && m.AttachLimit <= 100e6, "attach_limit must not exceed 100MB", "mail servers refuse larger messages, often above 25MB", "attach_limit")
}
