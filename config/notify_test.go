package config_test

import (
	"slices"
	"strings"
	"testing"

	"docketsync/config"
)

const channels = small + "notify:\n  channels:\n    "

func TestMistakesInNotify(t *testing.T) {
	t.Parallel()
	env := map[string]string{"KEY": "the-firm-key", "PLAIN": "http://chat.example/hook-s3cr3t", "HOOK": "https://chat.example/hook-s3cr3t", "PING": "https://ping.example/s3cr3t"}
	mail := channels + "ops: {mail: {server: 'm.example:587', from: a@b.example, to: c@d.example"
	for name, test := range map[string]struct{ text, want string }{
		"a channel of nothing":         {channels + "ops: {on: broken}", `it is not said what the channel "ops" is`},
		"a channel of two":             {channels + "ops: {slack: {env: HOOK}, teams: {env: HOOK}}", "a channel is one thing, and this is slack and teams"},
		"an event that is none":        {channels + "ops:\n      slack: {env: HOOK}\n      on: [brokn]", `"brokn" is nothing that a channel can be told`},
		"no events":                    {channels + "ops: {slack: {env: HOOK}, on: []}", "this channel would be told nothing"},
		"a hook that is not encrypted": {channels + "ops: {webhook: {env: PLAIN}}", "this address is not encrypted"},
		"a hook in the file":           {channels + "ops: {slack: https://chat.example/hook-s3cr3t}", "a secret may not be written into the configuration"},
		"no server":                    {channels + "ops: {mail: {from: a@b.example, to: c@d.example}}", "the mail server is HOST:PORT"},
		"nobody to write to":           {channels + "ops: {mail: {server: 'm.example:587', from: a@b.example}}", "nobody is written to"},
		"a receiver that is none":      {channels + "ops: {mail: {server: 'm.example:587', from: a@b.example, to: operations}}", `"operations" is no mail address`},
		"mail in the open":             {mail + ", tls: none}}", "without TLS, mails and the password could be read on the way"},
		"a user without a password":    {mail + ", user: u}}", "user and password go together"},
		"a word of no TLS":             {mail + ", tls: strattls}}", "tls is one of starttls, implicit, none"},
		"one ping for several jobs": {small + "jobs: [{name: a, source: s, mapping: m}, {name: b, source: s, mapping: m}]\nnotify: {ping: {url: {env: PING}}}",
			"with several jobs, one that runs would hide one that does not"},
		"a link that is none":       {small + "notify: {link: reports}", "this link is no address"},
		"a port alone to listen on": {small + "metrics: {listen: 9180}", "listen is HOST:PORT"},
		"a textfile not collected":  {small + "metrics: {textfile: docketsync.txt}", "the textfile collector reads files that end in .prom"},
		"traces to nowhere":         {small + "metrics: {traces: collector}", "traces is no address of a collector"},
	} {
		_, err := load(test.text, env)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		} else if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: the message shows a secret: %v", name, err)
		}
	}
}

// A mapping can be checked on a machine that holds no secrets, and a file sent on one that tells nobody.
func TestMissingSecretsOfChannelsAreForWhoTells(t *testing.T) {
	t.Parallel()
	c, err := load(channels+"chat: {slack: {env: HOOK}}\n    ops: {webhook: {file: nowhere.txt}}", key)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Missing(config.OfChannels)
	if err == nil || !strings.Contains(err.Error(), "HOOK is not set") || !strings.Contains(err.Error(), "nowhere.txt") {
		t.Errorf("Missing: %v", err)
	}
	if err := c.Missing(config.OfService); err != nil {
		t.Errorf("Missing: %v", err)
	}
}

func TestSecretsAreListedForWhoHidesThem(t *testing.T) {
	t.Parallel()
	c, err := load(channels+"chat: {slack: {env: HOOK}}\nledger: {env: LEDGER}", map[string]string{"KEY": "the-firm-key", "HOOK": "https://chat.example/h", "LEDGER": "postgres://u:pw@h/db"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the-firm-key", "https://chat.example/h", "postgres://u:pw@h/db"} {
		if !slices.Contains(c.Secrets(), want) {
			t.Errorf("%s is not among the secrets", want)
		}
	}
}
