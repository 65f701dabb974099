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
	"docketsync/config/document"
)

// Notify says who is told how jobs fare.
type Notify struct {
	// Firm is what subjects call the installation.
	Firm string `yaml:"firm" json:"firm,omitempty"`
	// Link is where a report can be opened in a browser; {folder} stands for the name of the report's folder.
	Link string `yaml:"link" json:"link,omitempty"`
	// RejectsAbove is how many records of a run may be rejected or failed before the job counts as broken.
	RejectsAbove int `yaml:"rejects_above" json:"rejects_above"`
	// Timeout is the longest that one message or ping may take.
	Timeout time.Duration `yaml:"timeout" json:"timeout"`
	// CAFile is a PEM file of certificate authorities to trust beside the system's.
	CAFile string `yaml:"ca_file" json:"ca_file,omitempty"`
	// Channels are the ways to people, by the names that logs and the ledger call them.
	Channels map[string]Channel `yaml:"channels" json:"channels,omitempty"`
	// Ping is a dead man's switch, which notices a run that did not happen.
	Ping Ping `yaml:"ping" json:"ping"`
}

// Channel is one way to people. One of Mail, Slack, Teams and Webhook is set.
type Channel struct {
	// Mail is sent over SMTP.
	Mail *Mail `yaml:"mail" json:"mail,omitempty"`
	// Slack is the URL of an incoming webhook of Slack.
	Slack Secret `yaml:"slack" json:"slack,omitzero"`
	// Teams is the URL of a workflow of Microsoft Teams that posts what it is sent.
	Teams Secret `yaml:"teams" json:"teams,omitzero"`
	// Webhook is a URL that is sent the message as JSON.
	Webhook Secret `yaml:"webhook" json:"webhook,omitzero"`
	// On are the events that the channel is told: broken, still_broken, recovered, success.
	On Events `yaml:"on" json:"on"`
}

// Mail is a mail server and who is written to.
type Mail struct {
	// Server is host:port.
	Server string `yaml:"server" json:"server"`
	// TLS is starttls, implicit, or none for a server on this machine.
	TLS string `yaml:"tls" json:"tls"`
	// User and Password are for servers that want them.
	User     string `yaml:"user" json:"user,omitempty"`
	Password Secret `yaml:"password" json:"password,omitzero"`
	// From is the sender, To are the receivers.
	From string `yaml:"from" json:"from"`
	To   Names  `yaml:"to" json:"to"`
	// Attach says whether report.html and rejects.xlsx go with the mail; AttachLimit is how large they may be together.
	Attach      bool `yaml:"attach" json:"attach"`
	AttachLimit Size `yaml:"attach_limit" json:"attach_limit"`
}

// Ping is a URL that is asked after runs, at a service that raises an alarm when nobody asks.
type Ping struct {
	// URL is asked with GET; {job} in it stands for the name of the job.
	URL Secret `yaml:"url" json:"url,omitzero"`
	// On is success, or always.
	On string `yaml:"on" json:"on"`
	// StartAndFail asks URL/start before a run and URL/fail after one that went badly.
	StartAndFail bool `yaml:"start_and_fail" json:"start_and_fail,omitempty"`
}

// Events is a list of the words broken, still_broken, recovered, success.
type Events []string

var eventWords = []string{"broken", "still_broken", "recovered", "success"}

// UnmarshalNode reads a word or a list of words.
func (e *Events) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	return (*Files)(e).UnmarshalNode(f, n)
}

func defaultNotify() Notify {
	return Notify{Timeout: 30 * time.Second, Ping: Ping{On: "success"}}
}

// UnmarshalNode reads a channel over its defaults.
func (c *Channel) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	type plain Channel
	read := plain{On: Events{"broken", "still_broken", "recovered"}}
	faults := f.Decode(n, &read)
	*c = Channel(read)
	return faults
}

// UnmarshalNode reads the settings of a mail server over their defaults.
func (m *Mail) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	type plain Mail
	read := plain{TLS: "starttls", Attach: true, AttachLimit: 10e6}
	faults := f.Decode(n, &read)
	*m = Mail(read)
	return faults
}

// ChannelNames are the names of the channels, in order.
func (n Notify) ChannelNames() []string { return slices.Sorted(maps.Keys(n.Channels)) }

// Form says what the channel is: mail, slack, teams or webhook; "" when that is not said.
func (c Channel) Form() string {
	for _, form := range []string{"slack", "teams", "webhook"} {
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

// place is where a secret of the notify block stands.
type placedSecret struct {
	secret Secret
	path   []any
}

// placed are the secrets of the block with their places.
func (n Notify) placed() []placedSecret {
	list := []placedSecret{{n.Ping.URL, []any{"notify", "ping", "url"}}}
	for _, name := range n.ChannelNames() {
		c := n.Channels[name]
		at := []any{"notify", "channels", name}
		for _, form := range []string{"slack", "teams", "webhook"} {
			list = append(list, placedSecret{c.link(form), append(slices.Clone(at), form)})
		}
		if c.Mail != nil {
			list = append(list, placedSecret{c.Mail.Password, append(slices.Clone(at), "mail", "password")})
		}
	}
	return list
}

// NotifyCredentials returns the faults of the secrets of channels and of the ping that are named in the file and could not be
// had; nil when all are there. Only who tells people needs them.
func (c *Config) NotifyCredentials() error {
	if c.place == nil {
		return nil
	}
	return c.place.missingOf[channelSecrets].Err()
}

func (v *validator) notify(n Notify, jobs int) {
	v.require(n.RejectsAbove >= 0, "rejects_above cannot be below 0", "0 tells of every rejected row", "notify", "rejects_above")
	v.atLeast(n.Timeout, time.Second, "notify", "timeout")
	if n.Link != "" {
		u, err := url.Parse(n.Link)
		v.require(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "", "this link is no address",
			"write it as https://files.example/reports/{folder}/report.html", "notify", "link")
	}
	for _, name := range n.ChannelNames() {
		v.channel(name, n.Channels[name])
	}
	v.ping(n.Ping, jobs)
}

func (v *validator) channel(name string, c Channel) {
	at := func(keys ...any) []any { return append([]any{"notify", "channels", name}, keys...) }
	v.require(listName.MatchString(name), fmt.Sprintf("%q cannot be the name of a channel", name), "small letters a to z, digits, - and _, at most 41", at()...)
	var forms []string
	for _, form := range []string{"mail", "slack", "teams", "webhook"} {
		if v.file.Has(at(form)...) || form == "mail" && c.Mail != nil || !c.link(form).Empty() {
			forms = append(forms, form)
		}
	}
	switch len(forms) {
	case 0:
		v.fail(fmt.Sprintf("it is not said what the channel %q is", name), "write mail: {…}, or slack:, teams: or webhook: {env: NAME}", at()...)
	case 1:
	default:
		v.fail(fmt.Sprintf("a channel is one thing, and this is %s", strings.Join(forms, " and ")), "make a channel of each", at()...)
	}
	v.require(len(c.On) > 0, "this channel would be told nothing", "write on: [broken, still_broken, recovered]", at("on")...)
	for _, word := range c.On {
		v.require(slices.Contains(eventWords, word), fmt.Sprintf("%q is nothing that a channel can be told", word), diagnostic.Suggest(word, eventWords), at("on")...)
	}
	for _, form := range []string{"slack", "teams", "webhook"} {
		v.secretURL(c.link(form), at(form)...)
	}
	if c.Mail != nil {
		v.mail(*c.Mail, func(key string) []any { return at("mail", key) })
	}
}

// secretURL requires an address that keeps what is sent to it from others. The address itself is a secret and is not shown.
func (v *validator) secretURL(s Secret, path ...any) {
	if s.Empty() {
		return
	}
	u, err := url.Parse(s.Reveal())
	switch {
	case err != nil || u.Host == "":
		v.fail("this secret is no address", "it begins with https://", path...)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		v.fail("this address is not encrypted", "use one that begins with https://; http:// is for this machine alone", path...)
	case s.kept != nil && s.kept.local && !loopback(u.Hostname()):
		v.fail("the default of a secret is used for loopback addresses alone", "set the environment variable", path...)
	}
}

func (v *validator) mail(m Mail, at func(string) []any) {
	host, port, err := net.SplitHostPort(m.Server)
	v.require(err == nil && host != "" && port != "", "the mail server is HOST:PORT", "such as smtp.firm.example:587", at("server")...)
	v.among(choices["notify.channels.mail.tls"], m.TLS, at("tls")...)
	v.require(m.TLS != "none" || loopback(host), "without TLS, mails and the password could be read on the way",
		"write tls: starttls (port 587) or tls: implicit (port 465); none is for a server on this machine", at("tls")...)
	_, err = mail.ParseAddress(m.From)
	v.require(err == nil, "from is no mail address", "such as docketsync@firm.example", at("from")...)
	v.require(len(m.To) > 0, "nobody is written to", "write to: [NAME@firm.example]", at("to")...)
	for _, to := range m.To {
		_, err := mail.ParseAddress(to)
		v.require(err == nil, fmt.Sprintf("%q is no mail address", to), "such as operations@firm.example", at("to")...)
	}
	v.require((m.User == "") == (m.Password.Empty() && !v.file.Has(at("password")...)), "user and password go together", "write both, or none", at("user")...)
	v.require(m.AttachLimit >= 0 && m.AttachLimit <= 100e6, "attach_limit is at most 100MB", "mail servers refuse more than they are set to take, often 25MB", at("attach_limit")...)
}

func (v *validator) ping(p Ping, jobs int) {
	v.choice(p.On, "notify", "ping", "on")
	v.secretURL(p.URL, "notify", "ping", "url")
	v.require(p.URL.Empty() || jobs < 2 || strings.Contains(p.URL.Reveal(), "{job}"),
		"with several jobs, one that runs would hide one that does not",
		"put {job} into the address: it stands for the name of the job", "notify", "ping", "url")
}
