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

	"docketsync/config/diagnostic"
)

// Notify says who is told how jobs fare.
type Notify struct {
	Firm         string             `yaml:"firm"`
	Link         string             `yaml:"link"`
	RejectsAbove int                `yaml:"rejects_above"`
	Timeout      time.Duration      `yaml:"timeout" default:"30s" least:"1s"`
	CAFile       string             `yaml:"ca_file" path:"true"`
	Channels     map[string]Channel `yaml:"channels"` // by the names that logs and the ledger call them
	Ping         Ping               `yaml:"ping"`
}

// Channel is one way to people. One of Mail, Slack, Teams and Webhook is set; the last three are URLs.
type Channel struct {
	Mail    *Mail  `yaml:"mail"`
	Slack   Secret `yaml:"slack"`
	Teams   Secret `yaml:"teams"`
	Webhook Secret `yaml:"webhook"`
	On      Names  `yaml:"on" default:"[broken, still_broken, recovered]" oneof:"broken still_broken recovered success"`
}

// Mail is a mail server and who is written to.
type Mail struct {
	Server      string `yaml:"server"`
	TLS         string `yaml:"tls" default:"starttls" oneof:"starttls implicit none"`
	User        string `yaml:"user"`
	Password    Secret `yaml:"password"`
	From        string `yaml:"from"`
	To          Names  `yaml:"to"`
	Attach      bool   `yaml:"attach" default:"true"`
	AttachLimit Size   `yaml:"attach_limit" default:"10MB"`
}

// Ping is a URL that is asked with GET after runs, at a service that raises an alarm when nobody asks.
type Ping struct {
	URL          Secret `yaml:"url"`
	On           string `yaml:"on" default:"success" oneof:"success always"`
	StartAndFail bool   `yaml:"start_and_fail"`
}

// ChannelNames are the names of the channels, in order.
func (n Notify) ChannelNames() []string { return slices.Sorted(maps.Keys(n.Channels)) }

// linkForms are the channels that are posted to.
var linkForms = []string{"slack", "teams", "webhook"}

// Form says what the channel is: mail, slack, teams or webhook; "" when that is not said.
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

// URL is where a channel that is no mail is posted to.
func (c Channel) URL() Secret { return c.link(c.Form()) }

func (v validator) notify(n Notify, jobs int) {
	v.require(n.RejectsAbove >= 0, "rejects_above cannot be below 0", "0 tells of every rejected row", "rejects_above")
	if n.Link != "" {
		u, err := url.Parse(n.Link)
		v.require(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "", "this link is no address",
			"write it as https://files.example/reports/{folder}/report.html", "link")
	}
	for _, name := range n.ChannelNames() {
		v.in("channels", name).channel(name, n.Channels[name])
	}
	v.secretURL(n.Ping.URL, "ping", "url")
	v.require(n.Ping.URL.Empty() || jobs < 2 || strings.Contains(n.Ping.URL.Reveal(), "{job}"),
		"with several jobs, one that runs would hide one that does not",
		"put {job} into the address: it stands for the name of the job", "ping", "url")
}

func (v validator) channel(name string, c Channel) {
	v.require(listName.MatchString(name), fmt.Sprintf("%q cannot be the name of a channel", name), "small letters a to z, digits, - and _, at most 41")
	var forms []string
	for _, form := range append([]string{"mail"}, linkForms...) {
		if v.has(form) || form == "mail" && c.Mail != nil || !c.link(form).Empty() {
			forms = append(forms, form)
		}
	}
	switch len(forms) {
	case 0:
		v.fail(fmt.Sprintf("it is not said what the channel %q is", name), "write mail: {…}, or slack:, teams: or webhook: {env: NAME}")
	case 1:
	default:
		v.fail(fmt.Sprintf("a channel is one thing, and this is %s", strings.Join(forms, " and ")), "make a channel of each")
	}
	v.require(len(c.On) > 0, "this channel would be told nothing", "write on: [broken, still_broken, recovered]", "on")
	words := choices()["notify.channels.on"]
	for _, word := range c.On {
		v.require(slices.Contains(words, word), fmt.Sprintf("%q is nothing that a channel can be told", word), diagnostic.Suggest(word, words), "on")
	}
	for _, form := range linkForms {
		v.secretURL(c.link(form), form)
	}
	if c.Mail != nil {
		v.in("mail").mail(*c.Mail)
	}
}

// secretURL requires an address that keeps what is sent to it from others. The address itself is a secret and is not shown.
func (v validator) secretURL(s Secret, path ...any) {
	if s.Empty() {
		return
	}
	u, err := url.Parse(s.Reveal())
	switch {
	case err != nil || u.Host == "":
		v.fail("this secret is no address", "it begins with https://", path...)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		v.fail("this address is not encrypted", "use one that begins with https://; http:// is for this machine alone", path...)
	default:
		v.localDefault(s, u.Hostname(), path...)
	}
}

func (v validator) mail(m Mail) {
	host, port, err := net.SplitHostPort(m.Server)
	v.require(err == nil && host != "" && port != "", "the mail server is HOST:PORT", "such as smtp.firm.example:587", "server")
	v.require(m.TLS != "none" || loopback(host), "without TLS, mails and the password could be read on the way",
		"write tls: starttls (port 587) or tls: implicit (port 465); none is for a server on this machine", "tls")
	_, err = mail.ParseAddress(m.From)
	v.require(err == nil, "from is no mail address", "such as docketsync@firm.example", "from")
	v.require(len(m.To) > 0, "nobody is written to", "write to: [NAME@firm.example]", "to")
	for _, to := range m.To {
		_, err := mail.ParseAddress(to)
		v.require(err == nil, fmt.Sprintf("%q is no mail address", to), "such as operations@firm.example", "to")
	}
	v.require((m.User == "") == (m.Password.Empty() && !v.has("password")), "user and password go together", "write both, or none", "user")
	v.require(m.AttachLimit >= 0 && m.AttachLimit <= 100e6, "attach_limit is at most 100MB", "mail servers refuse more than they are set to take, often 25MB", "attach_limit")
}
