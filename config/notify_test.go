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
		"a channel of nothing":         {channels + "ops: {on: broken}", `the channel "ops" has no type`},
		"a channel of two":             {channels + "ops: {slack: {env: HOOK}, teams: {env: HOOK}}", "a channel has one type, and this has slack and teams"},
		"an event that is none":        {channels + "ops:\n      slack: {env: HOOK}\n      on: [brokn]", `unknown event "brokn"`},
		"no events":                    {channels + "ops: {slack: {env: HOOK}, on: []}", "the channel has no events"},
		"a hook that is not encrypted": {channels + "ops: {webhook: {env: PLAIN}}", "this URL is not encrypted"},
		"a hook in the file":           {channels + "ops: {slack: https://chat.example/hook-s3cr3t}", "secrets are not allowed in the configuration"},
		"no server":                    {channels + "ops: {mail: {from: a@b.example, to: c@d.example}}", "server must be HOST:PORT"},
		"nobody to write to":           {channels + "ops: {mail: {server: 'm.example:587', from: a@b.example}}", "to is required"},
		"a receiver that is none":      {channels + "ops: {mail: {server: 'm.example:587', from: a@b.example, to: operations}}", `"operations" is not a valid email address`},
		"mail in the open":             {mail + ", tls: none}}", "TLS is required: emails and the password would be sent unencrypted"},
		"a user without a password":    {mail + ", user: u}}", "user and password must be set together"},
		"a word of no TLS":             {mail + ", tls: strattls}}", "tls must be one of starttls, implicit, none"},
		"one ping for several jobs": {small + "jobs: [{name: a, source: s, mapping: m}, {name: b, source: s, mapping: m}]\nnotify: {ping: {url: {env: PING}}}",
			"with several jobs, the URL must contain {job}: otherwise a missed run goes unnoticed"},
		"a link that is none":       {small + "notify: {link: reports}", "invalid link"},
		"a port alone to listen on": {small + "metrics: {listen: 9180}", "listen must be HOST:PORT"},
		"a textfile not collected":  {small + "metrics: {textfile: docketsync.txt}", "textfile must end in .prom"},
		"traces to nowhere":         {small + "metrics: {traces: collector}", "traces is not a valid collector URL"},
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
