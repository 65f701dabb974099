package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/config/document"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// files is a readFile over texts.
func files(texts map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := texts[filepath.ToSlash(path)]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
}

func environment(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// load reads a text as /etc/firm/docketsync.yaml. What loads has to fit the schema too, so that an editor never marks what is
// right.
func load(text string, env map[string]string) (*config.Config, error) {
	c, err := config.Load("/etc/firm/docketsync.yaml", environment(env),
		files(map[string]string{"/etc/firm/docketsync.yaml": text, "/etc/firm/key.txt": "file-key\n", "/etc/firm/empty.txt": "\n", "/etc/firm/lines.txt": "a\nb\n",
			"/etc/firm/notepad.txt": "\ufefffile-key \r\n", "/etc/firm/powershell.txt": "\xff\xfef\x00i\x00l\x00e\x00"}), nil, nil)
	if err == nil {
		err = fits(text)
	}
	return c, err
}

// small is a configuration without mistakes that a test may add to.
const small = "service:\n  base_url: https://service.example\n  subscription_key: {env: KEY}\n"

var key = map[string]string{"KEY": "the-firm-key", "WORD": "many"}

func TestLoadReadsEverySetting(t *testing.T) {
	t.Parallel()
	c, err := load(`
labels: {region: eu}
service:
  base_url: https://service.example/api/
  paths: {create_case: /a, create_folder: /b, update_case: "/c/{id}", update_trademark: "/d/{id}"}
  subscription_key: {env: KEY}
  auth_cookie: {file: key.txt}
  cookie_header: X-Cookie
  folder_cookie: no
  sign_in: {path: /v1/login, user: import, password: {env: PASSWORD}, user_member: login, password_member: pass}
  create_case_variant: B
  switches: {active: text, registration_number: integer, component_id: "null", do_not_create_file: omit, folder_file_number: text, update_answer: any}
  user_agent: firm-import/1.0
  timeout: 5s
  answer_limit: 2 MiB
  ca_file: ca.pem
  proxy: environment
  lists: {settle_after: 1h, companies: {path: /l}}
retry: {creates: always, refused: never, first_delay: 1s, max_delay: 2s, total: 3s, retry_after_cap: 4s}
pace: {concurrency: {env: CONCURRENCY}, rate: 12.5}
guards: {changes: 12.5 %, max_changes: 500, rows_fell: 5%, vanished: off, rejects: 0%, dates_shifted: 1%, days_swapped: 9, characters_lost: 8, ids_changed: 4, scope: ignore, empty: ignore, header: ignore,
  columns: ignore, same_file: stop, listed: ignore, older_than: 36h, least: 3}
stop_after: {same_refusal: 7, same_difference: 6, in_doubt: 8, failed: 9, rejected: 10%}
ledger: data/x.db
secret_files: {readable: accept}
ledger_server: {outage: 3m, lagging_standby: accept, ca_file: db.pem, unverified: accept}
reports: /var/reports
retention: {runs: 400d, reports: {env: KEPT}}
log: {level: debug, format: json}
schedule: {stop_within: 5m}
notify:
  firm: Miller
  link: https://files.example/{folder}/report.html
  rejects_above: 5
  timeout: 9s
  ca_file: ca.pem
  channels:
    ops:
      mail: {server: "mail.example:25", tls: implicit, user: u, password: {env: PASSWORD}, from: a@firm.example, to: [b@firm.example], attach: no, attach_limit: 1MB}
    chat: {slack: {env: HOOK}, on: broken}
  ping: {url: {env: PING}, on: always, start_and_fail: yes}
metrics: {listen: "127.0.0.1:9180", textfile: out/docketsync.prom, traces: "http://127.0.0.1:4318/v1/traces"}
console:
  listen: 0.0.0.0:8443
  url: https://docketsync.miller.example
  tls: {cert: tls/cert.pem, key: tls/key.pem}
  users:
    - {name: Ines, role: operator, password: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA'}
    - {name: Victor, role: viewer, password: {env: VICTOR}}
  oidc: {issuer: "https://login.miller.example", client_id: docketsync, client_secret: {file: key.txt}, claim: groups, operators: clerks, viewers: [partners, "paralegals"]}
  session: {idle: 5m, lifetime: 1h}
  upload_limit: 2MB
  uploads: taken
sandbox: {data: s.db, directory: d.json}
jobs:
  - name: matters
    mapping: m.yaml
    source: {file: [a.csv, sub/b.csv], format: csv, encoding: windows-1252, delimiter: ";", quote: none, header: 3, password: {env: PASSWORD}}
    when: {cron: "0 2 * * 1-5", zone: Europe/Madrid, delay: 10m, catch_up: never}
  - {name: marks, mapping: n.yaml, source: marks.xlsx, vanished: inactive, guards: {changes: off, least: 7, header: stop}, when: {after: matters}}
  - {name: names, mapping: n.yaml, source: names.xlsx, when: "@daily"}
`, map[string]string{"KEY": "the-firm-key", "PASSWORD": "the-password", "CONCURRENCY": "16", "KEPT": "3650d",
		"HOOK": "https://hooks.example/abc", "PING": "https://ping.example/{job}",
		"VICTOR": "$argon2id$v=19$m=19456,t=2,p=1$dmljdG9yMTI$aGFzaGhhc2hoYXNoaGFzaA"})
	if err != nil {
		t.Fatal(err)
	}
	guards := config.Guards{
		Changes: 12.5, MaxChanges: 500, RowsFell: 5, DatesShifted: 1, DaysSwapped: 9, CharactersLost: 8, IDsChanged: 4, Scope: "ignore", Empty: "ignore", Header: "ignore", Columns: "ignore", SameFile: "stop", Listed: "ignore",
		OlderThan: 36 * time.Hour, Least: 3,
	}
	ofMarks := guards
	ofMarks.Changes, ofMarks.Least, ofMarks.Header = 0, 7, "stop"
	want := config.Config{
		Guards:    guards,
		StopAfter: config.StopAfter{SameRefusal: 7, SameDifference: 6, InDoubt: 8, Failed: 9, Rejected: 10},
		Service: config.Service{
			BaseURL:      "https://service.example/api",
			Paths:        config.Paths{payload.CreateCase: "/a", payload.CreateFolder: "/b", payload.UpdateCase: "/c/{id}", payload.UpdateTrademark: "/d/{id}"},
			CookieHeader: "X-Cookie", SignIn: &config.SignIn{Path: "/v1/login", User: "import", UserMember: "login", PasswordMember: "pass"}, CreateCaseVariant: "B",
			Switches:  config.Switches{Active: "text", RegistrationNumber: "integer", ComponentID: "null", DoNotCreateFile: "omit", FolderFileNumber: "text", UpdateAnswer: "any"},
			UserAgent: "firm-import/1.0",
			Timeout:   5 * time.Second, AnswerLimit: 2 << 20, CAFile: "/etc/firm/ca.pem", Proxy: "environment",
			Lists: config.Lists{SettleAfter: time.Hour, Named: map[string]config.List{"companies": {Path: "/l", ID: "id", Name: config.Names{"name"}, Total: "total", Take: 100}}},
		},
		Retry:        config.Retry{Creates: "always", Refused: -1, FirstDelay: time.Second, MaxDelay: 2 * time.Second, Total: 3 * time.Second, RetryAfterCap: 4 * time.Second},
		Pace:         config.Pace{Concurrency: 16, Rate: 12.5},
		Ledger:       "/etc/firm/data/x.db",
		LedgerServer: config.LedgerServer{Outage: 3 * time.Minute, LaggingStandby: "accept", CAFile: "/etc/firm/db.pem", Unverified: "accept", Schema: "address"},
		SecretFiles:  config.SecretFiles{Readable: "accept"},
		Reports:      "/var/reports", Retention: config.Retention{Runs: 400, Reports: 3650}, Schedule: config.Schedule{StopWithin: 5 * time.Minute},
		Log: config.Log{Level: "debug", Format: "json"},
		Notify: config.Notify{Firm: "Miller", Link: "https://files.example/{folder}/report.html", RejectsAbove: 5, Timeout: 9 * time.Second, CAFile: "/etc/firm/ca.pem",
			Channels: map[string]config.Channel{
				"ops": {Mail: &config.Mail{Server: "mail.example:25", TLS: "implicit", User: "u", From: "a@firm.example", To: config.Names{"b@firm.example"}, AttachLimit: 1e6},
					On: config.Names{"broken", "still_broken", "recovered"}},
				"chat": {On: config.Names{"broken"}},
			},
			Ping: config.Ping{On: "always", StartAndFail: true}},
		Metrics: config.Metrics{Listen: "127.0.0.1:9180", Textfile: "/etc/firm/out/docketsync.prom", Traces: "http://127.0.0.1:4318/v1/traces"},
		Console: config.Console{
			Listen: "0.0.0.0:8443", URL: "https://docketsync.miller.example", TLS: &config.ConsoleTLS{Cert: "/etc/firm/tls/cert.pem", Key: "/etc/firm/tls/key.pem"}, SignInAt: "here",
			Users: []config.ConsoleUser{
				{Name: "Ines", Role: "operator", Password: config.PasswordHash{}},
				{Name: "Victor", Role: "viewer", Password: config.PasswordHash{}},
			},
			OIDC: &config.OIDC{Issuer: "https://login.miller.example", ClientID: "docketsync", Claim: "groups",
				Operators: config.Names{"clerks"}, Viewers: config.Names{"partners", "paralegals"}},
			Session: config.ConsoleSession{Idle: 5 * time.Minute, Lifetime: time.Hour}, UploadLimit: 2_000_000, Uploads: "/etc/firm/taken",
		},
		Sandbox: config.Sandbox{Data: "/etc/firm/s.db", Directory: "/etc/firm/d.json"}, Labels: map[string]string{"region": "eu"},
		Jobs: []config.Job{
			{Name: "matters", Mapping: "/etc/firm/m.yaml", Guards: guards, Source: config.Source{
				Files: config.Names{"/etc/firm/a.csv", "/etc/firm/sub/b.csv"}, Format: "csv", Encoding: "windows-1252", Delimiter: ";", Quote: "none", Header: 3},
				When: &config.When{Cron: "0 2 * * 1-5", Zone: "Europe/Madrid", Delay: 10 * time.Minute, CatchUp: "never"}},
			{Name: "marks", Mapping: "/etc/firm/n.yaml", Guards: ofMarks, Vanished: "inactive",
				Source: config.Source{Files: config.Names{"/etc/firm/marks.xlsx"}}, When: &config.When{After: "matters"}},
			{Name: "names", Mapping: "/etc/firm/n.yaml", Guards: guards, Source: config.Source{Files: config.Names{"/etc/firm/names.xlsx"}},
				When: &config.When{Cron: "@daily"}},
		},
	}
	if diff := cmp.Diff(want, *c, cmpopts.IgnoreUnexported(config.Config{}), cmpopts.IgnoreTypes(config.Secret{})); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
	secrets := []string{c.Service.SubscriptionKey.Reveal(), c.Service.AuthCookie.Reveal(), c.Service.SignIn.Password.Reveal(), c.Jobs[0].Source.Password.Reveal(),
		c.Notify.Channels["ops"].Mail.Password.Reveal(), c.Notify.Channels["chat"].Slack.Reveal(), c.Notify.Ping.URL.Reveal(),
		c.Console.Users[1].Password.Reveal(), c.Console.OIDC.ClientSecret.Reveal()}
	if diff := cmp.Diff([]string{"the-firm-key", "file-key", "the-password", "the-password", "the-password", "https://hooks.example/abc", "https://ping.example/{job}",
		"$argon2id$v=19$m=19456,t=2,p=1$dmljdG9yMTI$aGFzaGhhc2hoYXNoaGFzaA", "file-key"}, secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if c.Dir() != "/etc/firm" {
		t.Errorf("Dir = %q", c.Dir())
	}
}

func TestLoadLeavesDefaults(t *testing.T) {
	t.Parallel()
	c, err := load(small, key)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Service.BaseURL = "https://service.example"
	want.Ledger, want.Reports, want.Sandbox.Data = "/etc/firm/docketsync.db", "/etc/firm/reports", "/etc/firm/sandbox.db"
	want.Console.Uploads = "/etc/firm/uploads"
	if diff := cmp.Diff(want, *c, cmpopts.IgnoreUnexported(config.Config{}), cmpopts.IgnoreTypes(config.Secret{})); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func TestDatabaseURLsAreNoPaths(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://u@host/db", "file:x.db?mode=rw", "postgresql://host/db"} {
		c, err := load(small+"ledger: "+dsn+"\n", key)
		if err != nil {
			t.Fatal(err)
		}
		if c.Ledger.Reveal() != dsn {
			t.Errorf("ledger = %q, want %q", c.Ledger.Reveal(), dsn)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		setting string
		value   string
		want    string
	}{
		"variable":                 {"{env: V}", "json", "json"},
		"variable before default":  {"{env: V, default: console}", "json", "json"},
		"default when not set":     {"{env: V, default: json}", "", "json"},
		"empty default means none": {"{env: V, default: }", "", "console"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := load(small+"log: {format: "+test.setting+"}\n", map[string]string{"KEY": "the-firm-key", "V": test.value})
			if err != nil {
				t.Fatal(err)
			}
			if c.Log.Format != test.want {
				t.Errorf("format = %q, want %q", c.Log.Format, test.want)
			}
		})
	}
}

// faults gives the faults of an error as "line:column: message | hint".
func faults(t *testing.T, err error) []string {
	t.Helper()
	var list diagnostic.Faults
	if !errors.As(err, &list) {
		t.Fatalf("error is %v, want faults", err)
	}
	var lines []string
	for _, f := range list {
		line := strings.TrimPrefix(strings.SplitN(f.Error(), "\n", 2)[0], "/etc/firm/docketsync.yaml:")
		if f.Hint != "" {
			line += " | " + f.Hint
		}
		lines = append(lines, line)
	}
	return lines
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	url := func(u string) string { return "service:\n  base_url: " + u + "\n  subscription_key: {env: KEY}\n" }
	tests := map[string]struct{ text, want string }{
		"nothing":                         {"", "1:1: the file is empty"},
		"not YAML":                        {"service: [", "2:1: a value or a closing bracket is missing before this point"},
		"unknown key":                     {small + "retrys: {}\n", `4:1: unknown key "retrys" | did you mean "retry"?`},
		"no base URL":                     {"service: {subscription_key: {env: KEY}}\n", "1:10: base_url is required"},
		"plain HTTP":                      {url("http://service.example"), "2:13: base_url must use https://: with http://, keys and cookies are sent unencrypted"},
		"plain HTTP to a lookalike":       {url("http://localhost.example"), "2:13: base_url must use https://: with http://, keys and cookies are sent unencrypted"},
		"plain HTTP to 127.0.0.1.example": {url("http://127.0.0.1.example"), "2:13: base_url must use https://: with http://, keys and cookies are sent unencrypted"},
		"another scheme":                  {url("ftp://service.example"), "2:13: base_url must use https://, not ftp://"},
		"no host":                         {url("https://"), "2:13: base_url is not a valid URL"},
		"no scheme":                       {url("service.example"), "2:13: base_url is not a valid URL"},
		"password in the URL":             {url("https://u:p@service.example"), "2:13: base_url must not contain a user name or password"},
		"query in the URL":                {url("https://service.example?x=1"), "2:13: base_url must not contain ? or #"},
		"empty query in the URL":          {url("https://service.example/?"), "2:13: base_url must not contain ? or #"},
		"no subscription key":             {"service:\n  base_url: https://service.example\n", "2:3: the subscription key is required"},
		"missing variable":                {small + "log: {level: {env: NO_SUCH}}\n", "4:14: the environment variable NO_SUCH is not set | set it, or write {env: NO_SUCH, default: VALUE}"},
		"env names nothing":               {small + "log: {level: {env: }}\n", "4:14: env is empty"},
		"misspelt default":                {small + "log: {level: {env: V, defualt: info}}\n", `4:23: unknown key "defualt" | did you mean "default"?`},
		"default is a list":               {small + "log: {level: {env: V, default: [a]}}\n", "4:32: expected text or a number as the default, found a list"},
		"bad value from the environment":  {small + "pace: {concurrency: {env: WORD}}\n", `4:21: expected a whole number, found text "many" | the value is from the environment variable WORD`},
		"bad word from the environment":   {small + "log: {level: {env: WORD}}\n", `4:14: level must be one of debug, info, warn, error, not "many" | the value is from the environment variable WORD`},
		"path without slash":              {small + "  paths: {update_case: v1}\n", "4:24: a path must start with a single slash"},
		"path to another host":            {small + "  paths: {update_case: //evil}\n", "4:24: a path must start with a single slash"},
		"path that climbs":                {small + "  paths: {update_case: /a/../b}\n", "4:24: invalid path"},
		"path with a query":               {small + "  paths: {update_case: /a?b}\n", "4:24: invalid path"},
		"path with a broken escape":       {small + "  paths: {update_case: /a/%zz}\n", "4:24: invalid path"},
		"path with a backslash":           {small + "  paths: {update_case: '/a\\b'}\n", "4:24: a path must not contain a backslash"},
		"unknown placeholder":             {small + "  paths: {update_case: '/a/{key}'}\n", "4:24: this path contains an unknown placeholder"},
		"id of what does not exist yet":   {small + "  paths: {create_case: '/a/{id}'}\n", "4:24: this path contains an unknown placeholder"},
		"header that is none":             {small + "  cookie_header: 'a: b'\n", "4:18: invalid header name"},
		"header that is taken":            {small + "  cookie_header: Subscription-Key\n", "4:18: cookie_header is a header that every request has already"},
		"variant C":                       {small + "  create_case_variant: C\n", "4:24: create_case_variant must be one of A, B, not \"C\""},
		"misspelt word":                   {small + "  switches: {active: bolean}\n", `4:22: active must be one of boolean, text, not "bolean" | did you mean boolean?`},
		"null that is not text":           {small + "  proxy: system\n", "4:10: proxy must be one of none, environment"},
		"time without unit":               {small + "  timeout: 30\n", `4:12: expected a duration, such as "30s" or "5m", found the number "30"`},
		"time below zero":                 {small + "  timeout: -3s\n", "4:12: timeout must be between 1s and 24h, not -3s"},
		"size without unit":               {small + "  answer_limit: 100\n", `4:17: expected a size with its unit, such as "500KB" or "1MiB", found the number "100"`},
		"size that overflows":             {small + "  answer_limit: 99999999999GiB\n", `4:17: expected a size with its unit`},
		"delays the wrong way round":      {small + "retry: {first_delay: 3s, max_delay: 2s}\n", "4:37: max_delay (2s) is shorter than first_delay (3s)"},
		"no workers":                      {small + "pace: {concurrency: 0}\n", "4:21: concurrency must be between 1 and 256"},
		"negative rate":                   {small + "pace: {rate: -1}\n", "4:14: rate must not be negative"},
		"another database":                {small + "ledger: mysql://host/db\n", "4:9: ledger must be a file or a PostgreSQL database"},
		"no ledger":                       {small + "ledger: ''\n", "4:9: ledger is required"},
		"no reports":                      {small + "reports: ''\n", "4:10: reports is required"},
		"job without name":                {small + "jobs:\n  - {mapping: m, source: s}\n", "5:5: the name of the job is required"},
		"job without mapping":             {small + "jobs:\n  - {name: a, source: s}\n", "5:5: the job requires a mapping"},
		"job without source":              {small + "jobs:\n  - {name: a, mapping: m}\n", "5:5: the source requires a file"},
		"source without file":             {small + "jobs:\n  - {name: a, mapping: m, source: {sheet: x}}\n", "5:35: the source requires a file"},
		"name with a blank":               {small + "jobs:\n  - {name: a b, mapping: m, source: s}\n", `5:12: invalid job name "a b"`},
		"name of 65 letters":              {small + "jobs:\n  - {name: " + strings.Repeat("é", 65) + ", mapping: m, source: s}\n", `5:12: invalid job name`},
		"name with a slash":               {small + "jobs:\n  - {name: ../a, mapping: m, source: s}\n", `5:12: invalid job name "../a"`},
		"same name in other letters":      {small + "jobs:\n  - {name: a, mapping: m, source: s}\n  - {name: A, mapping: m, source: s}\n", `6:12: duplicate job "A"; the first is in /etc/firm/docketsync.yaml, line 5`},
		"header below zero":               {small + "jobs:\n  - {name: a, mapping: m, source: {file: s, header: -1}}\n", "5:53: the number of rows must not be negative"},
		"format unknown":                  {small + "jobs:\n  - {name: a, mapping: m, source: {file: s, format: csb}}\n", `5:53: format must be one of csv, xlsx, ods, xls, not "csb" | did you mean csv?`},
		"hidden rows under both names":    {small + "jobs:\n  - {name: a, mapping: m, source: {file: s, hidden: keep, ignore_hidden: true}}\n", "5:74: hidden and ignore_hidden contradict each other"},
		"footer that is no expression":    {small + "jobs:\n  - {name: a, mapping: m, source: {file: s, footer: '('}}\n", "5:53: footer is not a valid regular expression: missing closing ): `(`"},
		"header and none":                 {small + "jobs:\n  - {name: a, mapping: m, source: {file: s, header: 1, no_header: true}}\n", "5:67: header and no_header cannot be used together"},
		"files as a block":                {small + "jobs:\n  - {name: a, mapping: m, source: {file: {a: b}}}\n", "5:42: expected one value, or a list of values, found a block of keys"},
		"sign-in twice":                   {small + "  sign_in: {command: [x], path: /l}\n", "4:12: sign_in has both a command and a path"},
		"sign-in not at all":              {small + "  sign_in: {user: x}\n", "4:12: sign_in requires command or path"},
		"sign-in without user":            {small + "  sign_in: {path: /l, password: {env: KEY}}\n", "4:12: user is required"},
		"sign-in without password":        {small + "  sign_in: {path: /l, user: x}\n", "4:12: password is required"},
		"sign-in command without program": {small + "  sign_in: {command: ['']}\n", "4:22: the command has no program"},
		"secret of two lines":             {small + "  auth_cookie: {file: lines.txt}\n", "4:16: this secret contains a line break or another control character"},
		"secret from nowhere":             {small + "  auth_cookie: {}\n", "4:16: the source of this secret is missing"},
		"default secret for the world":    {"service:\n  base_url: https://service.example\n  subscription_key: {env: NO, default: abcdef}\n", "3:21: a secret's default is used only for the sandbox and for loopback addresses"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := load(test.text, key)
			if err == nil || c != nil {
				t.Fatalf("Load = %v, %v; want faults", c, err)
			}
			if got := faults(t, err); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("faults = %q, want %q", got, test.want)
			}
		})
	}
}

// What is only needed to send is missing only for who sends.
func TestTheProxyOfTheEnvironmentIsAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"": true, "proxy.example:8080": true, "http://proxy.example": true, "https://kate:p%23%2F%25@proxy.example:8080/": true, "socks5://proxy.example:1080": true, "kate:p@ss@proxy.example:8080": true,
		"http://kate:pr%zzX@proxy.example:8080": false, "http://kate:pr#X@proxy.example:8080": false, "http://kate:pr/X@proxy.example:8080": false, "http://kate:12#X@proxy.example:8080": false,
		"http://kate:12?X@proxy.example:8080": false, "http:///": false, "ftp://proxy.example": false, "kate:pr/X@proxy.example:8080": false,
	} {
		for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
			_, err := load(small+"  proxy: environment\n", map[string]string{"KEY": "the-firm-key", name: address})
			if want != (err == nil) || err != nil && (!strings.Contains(err.Error(), "HTTPS_PROXY is no address of a proxy") || strings.Contains(err.Error(), address)) {
				t.Errorf("%s=%q: %v", name, address, err)
			}
		}
		if _, err := load(small, map[string]string{"KEY": "the-firm-key", "HTTPS_PROXY": address}); err != nil {
			t.Errorf("a proxy that is not used, %q: %v", address, err)
		}
	}
}

func TestMissingSecretsOfTheServiceAreForWhoSends(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"missing variable":     {strings.Replace(small, "KEY", "NO_SUCH", 1), "3:21: the environment variable NO_SUCH is not set | set it before sending"},
		"empty variable":       {strings.Replace(small, "KEY", "EMPTY", 1), "3:21: the environment variable EMPTY is not set | set it before sending"},
		"secret file missing":  {small + "  auth_cookie: {file: nowhere}\n", "4:16: cannot read the file of this secret: file does not exist | "},
		"secret as a name":     {strings.Replace(small, "KEY", "Pa55word_of_the_firm", 1), "3:21: the environment variable that is named here is not set | set it before sending"},
		"secret file empty":    {small + "  auth_cookie: {file: empty.txt}\n", "4:16: the file of this secret is empty"},
		"secret file UTF-16":   {small + "  auth_cookie: {file: powershell.txt}\n", "4:16: the file of this secret is UTF-16, as PowerShell writes it with > | save powershell.txt as UTF-8"},
		"password is required": {small + "  sign_in: {path: /l, user: u, password: {env: NO_SUCH}}\n", "4:42: the environment variable NO_SUCH is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := load(test.text, key)
			if err != nil {
				t.Fatalf("Load: %v; want it to leave that to who sends", err)
			}
			if got := faults(t, c.Missing(config.OfService)); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
				t.Errorf("Missing = %q, want %q", got, test.want)
			}
		})
	}
	if _, err := load(strings.Replace(small, "KEY", "sk-live-8f7a9c0d", 1), key); err == nil || strings.Contains(err.Error(), "8f7a9c0d") || !strings.Contains(err.Error(), "3:21: this is not the name of an environment variable") {
		t.Errorf("a secret in the place of a name: %v", err)
	}
	if c, err := load(small, key); err != nil || c.Missing(config.OfService) != nil {
		t.Errorf("nothing is missing, but %v, %v", err, c.Missing(config.OfService))
	}
	source := "jobs: [{name: a, mapping: m, source: {file: f, password: %s}}]\n"
	for setting, want := range map[string]string{
		"{env: NO_SUCH}":  "4:58: the environment variable NO_SUCH is not set",
		"{file: nowhere}": "4:58: cannot read the file of this secret:",
	} {
		_, err := load(small+fmt.Sprintf(source, setting), key)
		if got := faults(t, err); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("a source's password %s: %q, want %q", setting, got, want)
		}
	}
}

func TestLoadReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load("service:\n  base_url: http://a.example\n  timeout: soon\n  sign_in: {}\npace: {concurrency: 0}\njobs:\n  - {}\n  - {name: x, nmae: y}\n", nil)
	want := []string{
		"2:3: the subscription key is required for every request (interface.md part 5) | set subscription_key: {env: NAME} under service",
		"2:13: base_url must use https://: with http://, keys and cookies are sent unencrypted | http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])",
		`3:12: expected a duration, such as "30s" or "5m", found text "soon"`,
		"4:12: sign_in requires command or path | set command: [program, …] or path: /v1/login",
		"5:21: concurrency must be between 1 and 256 | start with 8",
		"7:5: the name of the job is required | for example, name: matters",
		"7:5: the job requires a mapping | set mapping: FILE.yaml",
		"7:5: the source requires a file | set source: {file: PATH}",
		"8:5: the job requires a mapping | set mapping: FILE.yaml",
		"8:5: the source requires a file | set source: {file: PATH}",
		`8:15: unknown key "nmae" | did you mean "name"?`,
	}
	if diff := cmp.Diff(want, faults(t, err)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLocalAddressesMayBePlain(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://localhost:8080", "http://127.0.0.1:1", "http://127.9.9.9", "'http://[::1]:80'", "sandbox"} {
		c, err := load("service: {base_url: "+url+", subscription_key: {env: NO, default: sandbox-key}}\n", nil)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if c.Service.SubscriptionKey.Reveal() != "sandbox-key" || !c.Service.UsesLocal() || c.Service.UsesSandbox() != (url == "sandbox") {
			t.Errorf("%s: key %q, local %v, sandbox %v", url, c.Service.SubscriptionKey.Reveal(), c.Service.UsesLocal(), c.Service.UsesSandbox())
		}
	}
}

// null is a word of this setting, and not the absence of one.
func TestNullIsAWordOfComponentID(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{"null": "null", "'null'": "null", "same": "same", "": "omit", "{env: NO, default: null}": "omit"} {
		c, err := load(small+"  switches: {component_id: "+written+"}\n", key)
		if err != nil {
			t.Errorf("%s: %v", written, err)
		} else if got := c.Service.Switches.ComponentID; got != want {
			t.Errorf("component_id: %s is taken as %s, want %s", written, got, want)
		}
	}
}

func TestUnreadableConfiguration(t *testing.T) {
	t.Parallel()
	_, err := config.Load("nowhere.yaml", environment(nil), os.ReadFile, nil, nil)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--config") {
		t.Errorf("error = %v", err)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	s := config.Default().Service
	if path, err := s.Path("create_folder"); path != "/v1/firms/folder" || err != nil {
		t.Errorf("Path(create_folder) = %q, %v", path, err)
	}
	for operation, word := range map[string]string{"update_case": "service.paths.update_case", "update_trademark": "interface.md does not state", "delete": "no operation"} {
		if _, err := s.Path(operation); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Path(%s): %v, want %q in it", operation, err, word)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	var none, cookie, signIn, sandbox config.Service
	cookie.AuthCookie = config.NewSecret("c")
	signIn.SignIn = &config.SignIn{Command: []string{"x"}}
	sandbox.BaseURL = "sandbox"
	for name, s := range map[string]config.Service{"cookie": cookie, "sign-in": signIn, "sandbox": sandbox} {
		if err := s.Identity("create_case"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := none.Identity("create_folder"); err != nil {
		t.Errorf("create_folder: %v", err)
	}
	if err := none.Identity("update_trademark"); err == nil {
		t.Error("update_trademark goes without a cookie")
	}
}

func TestDefaultsNeedOnlyAService(t *testing.T) {
	t.Parallel()
	_, err := load("service: {}\n", nil)
	if got := faults(t, err); len(got) != 1 || !strings.Contains(got[0], "base_url is required") {
		t.Errorf("problems of the defaults: %q", got)
	}
	if _, err := load("service: {base_url: sandbox}\n", nil); err != nil {
		t.Error(err)
	}
}

// TestReference keeps the reference in the package comment complete.
func TestReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []any{config.Config{}, config.Service{}, config.SignIn{}, config.Switches{}, config.Retry{}, config.Pace{}, config.LedgerServer{}, config.Log{}, config.Sandbox{}, config.Job{}, config.Source{}, config.Lists{}, config.List{}, config.Notify{}, config.Channel{}, config.Mail{}, config.Ping{}, config.Metrics{}} {
		for _, key := range document.Keys(block) {
			if !strings.Contains(string(text), " "+key+":") && !strings.Contains(string(text), "\t"+key+":") {
				t.Errorf("doc.go does not describe %s of %T", key, block)
			}
		}
	}
}
