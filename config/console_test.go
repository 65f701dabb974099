package config_test

import (
	"strings"
	"testing"

	"docketsync/config"
)

const hash = `'$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA'`

func TestConsoleRefuses(t *testing.T) {
	t.Parallel()
	user := "users: [{name: Ines, role: operator, password: " + hash + "}]"
	oidc := "url: https://c.example, oidc: {issuer: https://l.example, client_id: c, claim: groups, operators: a}"
	for text, want := range map[string]string{
		"listen: 0.0.0.0:80":                                 "4:19: sign-in is required unless the console listens on a loopback address",
		"listen: ':8180'":                                    "4:19: sign-in is required unless the console listens on a loopback address",
		"listen: 10.0.0.1:80, " + user:                       "4:19: TLS is required unless the console listens on a loopback address: passwords would be sent unencrypted",
		"listen: 10.0.0.1:80, " + oidc:                       "TLS is required unless the console listens on a loopback address: passwords would be sent unencrypted",
		"proxies: 127.0.0.1":                                 "sign-in is required behind a proxy",
		"listen: nowhere":                                    "listen must be HOST:PORT or unix:PATH",
		"listen: 'unix:'":                                    "listen must be HOST:PORT or unix:PATH",
		"listen: 'unix:a', tls: {cert: a, key: b}":           "tls and proxies are not supported on a Unix socket",
		"listen: 'unix:a', proxies: 127.0.0.1, " + user:      "tls and proxies are not supported on a Unix socket",
		"tls: {cert: a}":                                     "tls requires both cert and key",
		"tls: {cert: a, key: b}, proxies: 10.0.0.5, " + user: "tls and proxies cannot be used together: either the console or the proxy has the certificate",
		"proxies: [proxy.example], " + user:                  `"proxy.example" is not an IP address`,
		"url: c.example":                                     "invalid URL",
		"url: https://c.example":                             "the URL has the wrong scheme",
		"url: http://c.example, tls: {cert: a, key: b}":      "the URL has the wrong scheme",
		"users: [{role: viewer, password: " + hash + "}]":    "the user name is missing or invalid",
		"users: [{name: " + strings.Repeat("é", 65) + ", role: viewer, password: " + hash + "}]":                    "the user name is missing or invalid",
		"users: [{name: '<b>', role: viewer, password: " + hash + "}]":                                              "the user name is missing or invalid",
		"users: [{name: A, role: admin, password: " + hash + "}]":                                                   `role must be one of viewer, operator, not "admin"`,
		"users: [{name: A, role: viewer}]":                                                                          "the user's password is missing",
		"users: [{name: A, role: viewer, password: my-password}]":                                                   "this is not an argon2id password hash",
		"users: [{name: A, role: viewer, password: '$2a$10$abcdefghij'}]":                                           "this is not an argon2id password hash",
		"users: [{name: A, role: viewer, password: " + hash + "}, {name: a, role: viewer, password: " + hash + "}]": `duplicate user "a"`,
		"oidc: {issuer: http://l.example, client_id: c, claim: groups, operators: a}":                               "issuer is missing or is not an https:// URL",
		"oidc: {issuer: https://l.example, client_id: c, claim: groups, operators: a}":                              "url is required for sign-in with OIDC",
		strings.Replace(oidc, "operators: a", "operators: ['']", 1):                                                 "empty values are not allowed: they would match users without the claim",
		strings.Replace(oidc, ", operators: a", "", 1):                                                              "operators or viewers is required: otherwise nobody can sign in",
		strings.Replace(oidc, "claim: groups, ", "", 1):                                                             "claim is required: it determines the roles",
		strings.Replace(oidc, "client_id: c,", "client_id: c, client_secret: abc,", 1):                              "secrets are not allowed in the configuration",
		"users: [{name: A, role: viewer, jobs: [], password: " + hash + "}]":                                        "the list of jobs is empty",
		"users: [{name: A, role: viewer, jobs: [x, cz], password: " + hash + "}]":                                   `unknown job "x"`,
		strings.Replace(oidc, "operators: a", "operators: a, jobs: {b: [c]}", 1):                                    `"b" is neither under operators nor under viewers`,
		strings.Replace(oidc, "operators: a", "operators: a, jobs: {a: [x]}", 1):                                    `unknown job "x"`,
		strings.Replace(oidc, "operators: a", "operators: a, jobs: {a: ['*', c]}", 1):                               `unknown job "*"`,
		strings.Replace(oidc, "operators: a", "operators: a, jobs: {a: []}", 1):                                     "the list of jobs is empty",
		strings.Replace(oidc, "operators: a", "operators: a, jobs: {}", 1):                                          "the table of jobs is empty",
		"session: {idle: 2h, lifetime: 1h}":                                                                         "idle must be between 1m and lifetime",
		"sign_in: elsewhere":                                                                                        `sign_in must be one of here, firms, not "elsewhere"`,
		"sign_in: firms":                                                                                            "nobody may see this firm in the console of all firms",
		"sign_in: firms, users: [{name: A}]":                                                                        "role must be one of viewer, operator",
		"sign_in: firms, listen: 127.0.0.1:1, users: [{name: A, role: viewer}]":                                     "listen belongs to the console of all firms",
		"sign_in: firms, url: http://a, users: [{name: A, role: viewer}]":                                           "url belongs to the console of all firms",
		"sign_in: firms, tls: {cert: a, key: b}, users: [{name: A, role: viewer}]":                                  "tls belongs to the console of all firms",
		"sign_in: firms, proxies: 10.0.0.5, users: [{name: A, role: viewer}]":                                       "proxies belongs to the console of all firms",
		"sign_in: firms, session: {idle: 5m}, users: [{name: A, role: viewer}]":                                     "session belongs to the console of all firms",
		"sign_in: firms, users: [{name: A, role: viewer, password: " + hash + "}]":                                  "passwords belong to the console of all firms",
		"sign_in: firms, oidc: {issuer: https://l.example, operators: a}":                                           "issuer belongs to the console of all firms",
		"sign_in: firms, oidc: {claim: groups, operators: a}":                                                       "claim belongs to the console of all firms",
		"sign_in: firms, oidc: {jobs: {a: ['*']}}":                                                                  "operators or viewers is required",
		"upload_limit: 3GiB": "upload_limit must be between 1KiB and 2GiB",
	} {
		_, err := load(small+"console: {"+text+"}\n", key)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		} else if strings.Contains(err.Error(), "my-password") {
			t.Errorf("%s: the password is shown:\n%v", text, err)
		}
	}
}

func TestConsoleAccepts(t *testing.T) {
	t.Parallel()
	user := "users: [{name: Ines, role: operator, password: " + hash + "}]"
	for text, loopback := range map[string]bool{
		"listen: 127.0.0.1:0": true, "listen: '[::1]:8180'": true, "listen: localhost:1": true, "listen: 'unix:a.sock'": true,
		"listen: 0.0.0.0:8443, tls: {cert: a, key: b}, " + user:                                                                                          false,
		"listen: 10.0.0.1:80, proxies: [10.0.0.5, 10.1.0.0/16], " + user:                                                                                 false,
		"url: https://c.example, tls: {cert: a, key: b}, oidc: {issuer: https://l.example, client_id: c, claim: groups, operators: a, jobs: {a: ['*']}}": true,
		"sign_in: firms, users: [{name: A, role: viewer}], oidc: {operators: [a], viewers: [b]}":                                                         true,
		"users: [{name: A B, role: viewer, password: {env: KEY, default: x}}]":                                                                           true,
		"listen: 127.0.0.1:1, url: http://localhost:9, users: [{name: ines@firm.example, role: viewer, password: {file: key.txt}}]":                      true,
	} {
		env := map[string]string{"KEY": strings.Trim(hash, "'")}
		c, err := load(small+"console: {"+text+"}\n", env)
		if strings.Contains(text, "key.txt") {
			if err == nil || !strings.Contains(err.Error(), "this is not an argon2id password hash") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if c.Console.Loopback() != loopback {
			t.Errorf("%s: loopback is %v", text, !loopback)
		}
	}
}

// A secret of the console that cannot be had keeps nothing but the console from working.
func TestSecretsOfTheConsoleAreForTheConsole(t *testing.T) {
	t.Parallel()
	c, err := load(small+"console: {users: [{name: A, role: viewer, password: {env: NOT_SET}}, {name: B, role: viewer, password: {file: none.txt}}]}\n", key)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Missing(config.OfService); err != nil {
		t.Error(err)
	}
	err = c.Missing(config.OfConsole)
	if err == nil || !strings.Contains(err.Error(), "NOT_SET") || !strings.Contains(err.Error(), "none.txt") {
		t.Errorf("the console is told %v", err)
	}
}

func TestEffectiveHidesSecrets(t *testing.T) {
	t.Parallel()
	c, err := load(small+"ledger: {env: DB}\nconsole: {users: [{name: Ines, role: operator, password: "+hash+"}]}\n"+
		"jobs: [{name: marks, source: c.csv, mapping: n.yaml}, {name: matters, source: {file: [a.csv, b.csv], password: {env: KEY}}, mapping: m.yaml, when: '@daily'}]\n"+
		"remotes: {bank: {sftp: {host: bank.example, user: u, password: {env: KEY}, fingerprint: 'SHA256:"+strings.Repeat("a", 43)+"'}}}\n",
		map[string]string{"KEY": "the-firm-key", "DB": "postgres://u:the-key@db/firm"})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]config.Line{}
	for _, line := range c.Effective() {
		lines[line.Path] = line
		if strings.Contains(line.Value, "the-firm-key") || strings.Contains(line.Value, "argon2id") {
			t.Errorf("%s shows %s", line.Path, line.Value)
		}
	}
	for path, want := range map[string]config.Line{
		"service":                    {Depth: 0, Key: "service", Block: true, Stated: true},
		"service.subscription_key":   {Depth: 1, Key: "subscription_key", Value: "[hidden]", Stated: true},
		"retry.total":                {Depth: 1, Key: "total", Value: "5m"},
		"jobs.0":                     {Depth: 1, Key: "1.", Block: true, Stated: true},
		"jobs.1.source.password":     {Depth: 3, Key: "password", Value: "[hidden]", Stated: true},
		"jobs.0.source.file":         {Depth: 3, Key: "file", Value: "/etc/firm/c.csv", Stated: true},
		"jobs.1.source.file":         {Depth: 3, Key: "file", Value: "/etc/firm/a.csv, /etc/firm/b.csv", Stated: true},
		"remotes.bank.sftp.password": {Depth: 3, Key: "password", Value: "[hidden]", Stated: true},
		"console.users.0.password":   {Depth: 3, Key: "password", Value: "[hidden]", Stated: true},
		"console.users.0.name":       {Depth: 3, Key: "name", Value: "Ines", Stated: true},
		"console.upload_limit":       {Depth: 1, Key: "upload_limit", Value: "50MiB"},
		"jobs.1.when.cron":           {Depth: 3, Key: "cron", Value: "@daily", Stated: true},
		"retry.refused":              {Depth: 1, Key: "refused", Value: "24h"},
		"guards.changes":             {Depth: 1, Key: "changes", Value: "20%"},
	} {
		want.Path = path
		if lines[path] != want {
			t.Errorf("%+v, want %+v", lines[path], want)
		}
	}
	for _, path := range []string{"retention", "pace.rate", "jobs.0.source.lenient", "jobs.1.source.header"} {
		if line, there := lines[path]; there {
			t.Errorf("what says nothing is listed: %+v", line)
		}
	}
}

// TestHashesThatCostTooLittle: a hash is taken from the least cost on that OWASP gives, and what docketsync prints is.
func TestHashesThatCostTooLittle(t *testing.T) {
	t.Parallel()
	for cost, taken := range map[string]bool{
		"m=64,t=1": false, "m=65536,t=0": false, "m=19456,t=1": false, "m=7167,t=64": false, "m=47103,t=1": false, "m=99999999999,t=2": false,
		"m=19456,t=2": true, "m=47104,t=1": true, "m=7168,t=5": true, "m=65536,t=3": true,
	} {
		written := strings.Replace(hash, "m=19456,t=2", cost, 1)
		for text, env := range map[string]string{written: "", "{env: HASH}": strings.Trim(written, "'")} {
			_, err := load(small+"console: {users: [{name: A, role: viewer, password: "+text+"}]}\n", map[string]string{"KEY": "the-firm-key", "HASH": env})
			const want = "this password hash is too weak: its cost parameters are below the minimum"
			if taken != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "hash the password again with docketsync console password") || strings.Contains(err.Error(), "argon2id")) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestConsoleOfFirms: a console of many firms says who signs in, and each firm who may do what.
func TestConsoleOfFirms(t *testing.T) {
	t.Parallel()
	user := "{name: Ines, password: " + hash
	const oidc = "url: https://c.example, tls: {cert: a, key: b}, oidc: {issuer: https://l.example, client_id: c, claim: groups"
	for text, want := range map[string]string{
		"":                                     "a console of several firms needs a sign-in",
		"listen: 127.0.0.1:1":                  "a console of several firms needs a sign-in",
		"sign_in: firms, users: [{name: A}]":   "sign_in: firms belongs in the configuration of a firm",
		"users: [" + user + ", role: viewer}]": "role belongs in the configuration of each firm",
		"upload_limit: 1MiB, users: [" + user + "}]":  "upload_limit belongs in the configuration of each firm",
		oidc + ", operators: a}":                      "operators belongs in the configuration of each firm",
		oidc + ", viewers: a}":                        "viewers belongs in the configuration of each firm",
		oidc + "}":                                    "",
		"users: [" + user + "}], session: {idle: 5m}": "",
	} {
		c, err := load("firms: firms\nconsole: {"+text+"}\n", key)
		if err != nil {
			if !strings.Contains(text, "sign_in") { // which lacks a role
				t.Errorf("%s: it cannot be loaded, which nodes do that have no console: %v", text, err)
			}
			continue
		}
		if err := c.ConsoleOfFirms(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
