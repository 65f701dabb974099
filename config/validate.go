package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Validate returns every problem of the settings as document.Faults with line and column, nil when there is none. Load
// has called it already; it is there for settings changed since.
func (c *Config) Validate() error { return c.problems(nil).Err() }

// problems are those that a correct type does not rule out. said are the faults that were found before.
func (c *Config) problems(said diagnostic.Faults) diagnostic.Faults {
	v := validator{file: c.place.document(), said: positions(said)}
	v.service(c.Service)
	v.retry(c.Retry)
	v.require(c.Pace.Concurrency >= 1 && c.Pace.Concurrency <= 256, "concurrency is from 1 to 256",
		"8 is a good beginning", "pace", "concurrency")
	v.require(c.Pace.Rate >= 0, "the rate cannot be below 0", "0 means no limit", "pace", "rate")
	v.choice(c.Log.Level, "log", "level")
	v.choice(c.Log.Format, "log", "format")
	v.require(c.Ledger != "", "the ledger is nowhere", "name a file, or a database with postgres://…", "ledger")
	v.require(c.Reports != "", "the reports are nowhere", "name a folder", "reports")
	v.ledger(c.Ledger)
	v.atLeast(c.LedgerServer.Outage, 0, "ledger_server", "outage")
	v.choice(c.LedgerServer.LaggingStandby, "ledger_server", "lagging_standby")
	v.choice(c.LedgerServer.Unverified, "ledger_server", "unverified")
	v.choice(c.SecretFiles.Readable, "secret_files", "readable")
	v.guards(c.Guards, "guards")
	v.stopAfter(c.StopAfter)
	v.remotes(c)
	v.jobs(c)
	v.schedule(c)
	v.notify(c.Notify, len(c.Jobs))
	v.metrics(c.Metrics)
	v.console(c.Console)
	return v.faults
}

// document is the file to point into; settings that came from no file have an empty one.
func (p *place) document() *document.File {
	if p != nil {
		return p.file
	}
	empty, err := document.Parse("configuration", nil)
	if err != nil {
		panic(err) // an empty text is always readable
	}
	return empty
}

type validator struct {
	file   *document.File
	said   map[position]bool // where a fault was found before
	faults diagnostic.Faults
}

func (v *validator) fail(message, hint string, path ...any) {
	if v.misspelt(path) {
		return
	}
	v.faults = append(v.faults, v.file.At(v.file.Node(path...), message, hint))
}

// misspelt tells whether a setting is only missing because its key is misspelt, which has been said.
func (v *validator) misspelt(path []any) bool {
	for end := len(path); end > 0; end-- {
		last, ok := path[end-1].(string)
		if !ok || v.file.Has(path[:end]...) || end > 1 && !v.file.Has(path[:end-1]...) {
			continue
		}
		block := v.file.Node(path[:end-1]...)
		for i := 0; block != nil && block.Kind == document.Block && i+1 < len(block.Content); i += 2 {
			key := block.Content[i]
			if v.said[positionOf(v.file, key)] && diagnostic.Nearest(key.Value, []string{last}) != "" {
				return true
			}
		}
	}
	return false
}

func (v *validator) require(ok bool, message, hint string, path ...any) {
	if !ok {
		v.fail(message, hint, path...)
	}
}

// choice requires one of a setting's words.
func (v *validator) choice(value string, path ...any) {
	v.among(choices[settingPath(path)], value, path...)
}

func (v *validator) among(words []string, value string, path ...any) {
	if slices.Contains(words, value) {
		return
	}
	hint := ""
	if near := diagnostic.Nearest(value, words); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.fail(fmt.Sprintf("%v is one of %s, not %q", path[len(path)-1], strings.Join(words, ", "), value), hint, path...)
}

func (v *validator) service(s Service) {
	v.baseURL(s.BaseURL)
	v.path(s.Paths.CreateCase, false, "service", "paths", "create_case")
	v.path(s.Paths.CreateFolder, false, "service", "paths", "create_folder")
	v.path(s.Paths.UpdateCase, true, "service", "paths", "update_case")
	v.path(s.Paths.UpdateTrademark, true, "service", "paths", "update_trademark")
	v.secret(s, s.SubscriptionKey, "service", "subscription_key")
	v.secret(s, s.AuthCookie, "service", "auth_cookie")
	v.require(!s.SubscriptionKey.Empty() || s.UsesSandbox() || s.BaseURL == "" || v.file.Has("service", "subscription_key"),
		"the subscription key is missing, which every request must carry (interface.md part 5)",
		"write subscription_key: {env: NAME} under service", "service")
	v.require(headerName.MatchString(s.CookieHeader), "this cannot be the name of a header",
		"no blanks, colons or brackets in it", "service", "cookie_header")
	v.signIn(s)
	v.choice(s.CreateCaseVariant, "service", "create_case_variant")
	v.choice(s.Switches.Active, "service", "switches", "active")
	v.choice(s.Switches.RegistrationNumber, "service", "switches", "registration_number")
	v.choice(s.Switches.ComponentID, "service", "switches", "component_id")
	v.choice(s.Switches.DoNotCreateFile, "service", "switches", "do_not_create_file")
	v.choice(s.Switches.FolderFileNumber, "service", "switches", "folder_file_number")
	v.choice(s.Switches.UpdateAnswer, "service", "switches", "update_answer")
	v.require(!strings.ContainsFunc(s.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }), "this cannot be the value of a header",
		"letters, digits and signs of ASCII, such as firm-import/1.0", "service", "user_agent")
	v.choice(s.Proxy, "service", "proxy")
	v.atLeast(s.Timeout, time.Second, "service", "timeout")
	v.lists(s)
	v.require(s.AnswerLimit >= 1<<10, "an answer has more than that", "1KiB is the least", "service", "answer_limit")
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (v *validator) baseURL(text string) {
	u, err := url.Parse(text)
	fail := func(message, hint string) { v.fail(message, hint, "service", "base_url") }
	const example = "write it as https://host.example, or sandbox for the sandbox in the process"
	switch {
	case text == InProcess:
	case text == "":
		fail("base_url is missing: it says where the service is", example)
	case err != nil || u.Host == "" || u.Hostname() == "":
		fail("base_url is no address of a service", example)
	case u.Scheme != "https" && u.Scheme != "http":
		fail(fmt.Sprintf("base_url begins with %s://; the service speaks HTTPS", u.Scheme), example)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		fail("base_url is not encrypted: with http:// keys and cookies could be read by anybody on the way",
			"write https://; http:// is for this machine alone (localhost, 127.0.0.1, [::1])")
	case u.User != nil:
		fail("base_url may not hold a user or password", "write the secrets as {env: NAME} in their own settings")
	case u.RawQuery != "" || u.Fragment != "":
		fail("base_url may not hold ? or #", "the operations have no query parameters (interface.md part 4)")
	}
}

// path checks the path of an operation; an empty one is allowed until a job needs it, when Service.Path speaks up.
func (v *validator) path(path string, id bool, where ...any) {
	rest := path
	if id {
		rest = strings.ReplaceAll(path, "{id}", "id")
	}
	switch {
	case path == "":
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//"):
		v.fail("a path begins with one slash", "write what follows the host, such as /v1/firms/file", where...)
	case strings.ContainsAny(rest, "{}"):
		hint := "only {id} may stand in a path"
		if !id {
			hint = "the service gives a new record its id, so there is none to put into this path"
		}
		v.fail("this path holds a placeholder that cannot be filled", hint, where...)
	case strings.ContainsAny(path, "?# \t") || slices.Contains(strings.Split(path, "/"), ".."):
		v.fail("this cannot be a path of the service", "no ?, #, blanks or .. in it", where...)
	}
}

// secret refuses a default that is written into the file, unless the service is on this machine: there it is no secret.
func (v *validator) secret(s Service, secret Secret, path ...any) {
	if secret.kept != nil && secret.kept.local && !s.UsesLocal() {
		v.fail("the default of a secret is used for the sandbox and for loopback addresses alone",
			"set the environment variable", path...)
	}
}

func (v *validator) signIn(s Service) {
	if s.SignIn == nil {
		return
	}
	in, at := *s.SignIn, func(key string) []any { return []any{"service", "sign_in", key} }
	v.secret(s, in.Password, at("password")...)
	switch {
	case len(in.Command) > 0 && in.Path != "":
		v.fail("sign_in has both a command and a path", "leave one of them", "service", "sign_in")
	case len(in.Command) > 0:
		v.require(in.Command[0] != "", "the command has no program", "write [program, argument, …]", at("command")...)
	case in.Path == "":
		v.fail("sign_in says neither command nor path", "write command: [program, …] or path: /v1/login", "service", "sign_in")
	default:
		v.path(in.Path, false, at("path")...)
		v.require(in.User != "", "the user to sign in with is missing", "write user: NAME beside path", at("user")...)
		v.require(!in.Password.Empty() || v.file.Has(at("password")...), "the password to sign in with is missing",
			"write password: {env: NAME} beside path", at("password")...)
	}
}

func (v *validator) retry(r Retry) {
	v.choice(r.Creates, "retry", "creates")
	v.require(r.Refused <= Again(366*24*time.Hour), fmt.Sprintf("refused is at most 8784h, not %s", r.Refused), "write never to have it not sent again", "retry", "refused")
	v.atLeast(r.FirstDelay, time.Millisecond, "retry", "first_delay")
	v.atLeast(r.MaxDelay, time.Millisecond, "retry", "max_delay")
	v.atLeast(r.Total, 0, "retry", "total")
	v.atLeast(r.RetryAfterCap, 0, "retry", "retry_after_cap")
	v.require(r.MaxDelay >= r.FirstDelay, fmt.Sprintf("max_delay (%s) is shorter than first_delay (%s)", r.MaxDelay, r.FirstDelay),
		"the wait grows from first_delay to max_delay", "retry", "max_delay")
}

func (v *validator) atLeast(d, least time.Duration, path ...any) {
	v.require(d >= least && d <= 24*time.Hour, fmt.Sprintf("%v is from %s to 24h, not %s", path[len(path)-1], least, d), "", path...)
}

func (v *validator) ledger(dsn DSN) {
	scheme, _, isURL := strings.Cut(string(dsn), "://")
	v.require(!isURL || scheme == "postgres" || scheme == "postgresql" || scheme == "file",
		"the ledger is a file or a PostgreSQL database", "write a path, or postgres://user@host/database", "ledger")
}

var jobName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$`)

func (v *validator) jobs(c *Config) {
	first := map[string]int{}
	for i, job := range c.Jobs {
		at := func(keys ...any) []any { return append([]any{"jobs", i}, keys...) }
		name := strings.ToLower(job.Name)
		switch earlier, twice := first[name]; {
		case job.Name == "":
			v.fail("the job has no name", "write name: matters", at("name")...)
		case !jobName.MatchString(job.Name):
			v.fail(fmt.Sprintf("%q cannot be the name of a job", job.Name),
				"letters, digits and the signs - . _, at most 64, no blanks: it is typed in commands", at("name")...)
		case twice:
			one := v.file.At(v.file.Node("jobs", earlier, "name"), "", "")
			v.fail(fmt.Sprintf("the job %q is there twice; the first is in %s, line %d", job.Name, one.File, one.Line),
				"give it another name: the ledger knows a job by its name", at("name")...)
		default:
			first[name] = i
		}
		v.require(job.Mapping != "", "the job has no mapping", "write mapping: FILE.yaml", at("mapping")...)
		v.source(c, job.Source, at("source")...)
		v.either(job.Vanished, at("vanished")...)
		if v.file.Has(at("guards")...) {
			v.guards(job.Guards, at("guards")...)
		}
		if job.Source.Inbox != nil && job.Source.Inbox.Holds == "changes" {
			v.require(job.Vanished == "", "nothing vanishes from files that hold changes", "leave vanished out, or write holds: export", at("vanished")...)
			v.require(!v.file.Has(at("guards")...), "files that hold changes are not guarded: there is no export to compare them with",
				"leave guards out, or write holds: export", at("guards")...)
		}
	}
}

func (v *validator) source(c *Config, s Source, at ...any) {
	under := func(key string) []any { return append(slices.Clone(at), key) }
	if s.Inbox != nil {
		v.require(len(s.Files) == 0, "the source has both a file and an inbox", "leave one of them; a job of its own may read the other", under("file")...)
		v.inbox(*s.Inbox, func(keys ...any) []any { return append(under("inbox"), keys...) })
	} else {
		v.require(len(s.Files) > 0 && !slices.Contains(s.Files, ""), "the source has no file", "write source: {file: PATH}", under("file")...)
	}
	v.remoteFiles(c, s, under("file")...)
	for key, rows := range map[string]int{"header": s.Header, "header_rows": s.HeaderRows, "footer_rows": s.FooterRows} {
		v.require(rows >= 0, "rows count from 1", "leave it out to have it found", under(key)...)
	}
	v.require(!s.NoHeader || s.Header == 0 && s.HeaderRows == 0, "header and no_header contradict each other", "leave one of them", under("no_header")...)
	v.either(s.Format, under("format")...)
	v.either(s.Escape, under("escape")...)
	if _, err := regexp.Compile(s.Footer); err != nil {
		v.fail("footer is no regular expression: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), `such as "^Total"`, under("footer")...)
	}
}

// either requires one of a setting's words, or none.
func (v *validator) either(value string, path ...any) {
	if value != "" {
		v.choice(value, path...)
	}
}
