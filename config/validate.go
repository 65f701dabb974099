package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// problems returns the problems that a correct type does not rule out. said are the faults that were found before.
func (c *Config) problems(said diagnostic.Faults) diagnostic.Faults {
	v := validator{file: c.place.document(), said: map[position]bool{}, faults: &diagnostic.Faults{}}
	for _, fault := range said {
		v.said[placed(fault)] = true
	}
	v.bounds(c)
	if c.Firms == "" {
		v.in("service").service(c.Service)
	}
	v.fleet(c)
	v.in("retry").retry(c.Retry)
	v.require(c.Pace.Concurrency >= 1 && c.Pace.Concurrency <= 256, "concurrency must be between 1 and 256",
		"start with 8", "pace", "concurrency")
	v.require(c.Pace.Rate >= 0, "rate must not be negative", "0 means no limit", "pace", "rate")
	v.ledger(c.Ledger)
	v.require(c.Reports != "", "reports is required", "specify a folder", "reports")
	v.in("guards").guards(c.Guards)
	v.remotes(c)
	v.jobs(c)
	v.require(c.Schedule.StopWithin >= 0 && c.Schedule.StopWithin <= time.Hour, "stop_within must be between 0s and 1h",
		"the default is 60s; a request may take up to service.timeout", "schedule", "stop_within")
	if command := c.Certificate.Command; v.has("certificate", "command") {
		v.require(!v.has("certificate", "private_key"), "certificate has both a private_key and a command", "remove one of them", "certificate", "command")
		v.require(len(command) > 0 && command[0] != "", "the command has no program", "use the form [program, argument, …]", "certificate", "command")
	}
	v.in("notify").notify(c.Notify, len(c.Jobs))
	v.in("metrics").metrics(c.Metrics)
	v.in("console").console(c.Console, c.Jobs, c.Firms != "")
	return *v.faults
}

// document returns the file to point into; settings that came from no file have an empty one.
func (p *place) document() *document.File {
	return cmp.Or(p.file, &document.File{})
}

// FaultAt returns a fault at a setting, for problems that only another package can find. If the setting is not in the
// file, the fault points at what surrounds it.
func (c *Config) FaultAt(message, hint string, path ...any) diagnostic.Fault {
	file := c.place.document()
	return file.At(file.Node(path...), message, hint)
}

// validator collects the faults of a block. The paths passed to its methods begin in that block.
type validator struct {
	file   *document.File
	said   map[position]bool // where a fault was found before
	block  []any
	faults *diagnostic.Faults
}

// in returns the validator of a block within this one.
func (v validator) in(keys ...any) validator {
	v.block = slices.Concat(v.block, keys)
	return v
}

// has reports whether the file contains a setting.
func (v validator) has(keys ...any) bool { return v.file.Has(slices.Concat(v.block, keys)...) }

func (v validator) fail(message, hint string, keys ...any) {
	path := slices.Concat(v.block, keys)
	fault := v.file.At(v.file.Node(path...), message, hint)
	if !v.said[placed(fault)] && !v.misspelt(path) { // what could not be read is not also missing
		*v.faults = append(*v.faults, fault)
	}
}

func (v validator) require(ok bool, message, hint string, keys ...any) {
	if !ok {
		v.fail(message, hint, keys...)
	}
}

// misspelt reports whether a setting is missing only because its key is misspelt, which has been reported.
func (v validator) misspelt(path []any) bool {
	for end := len(path); end > 0; end-- {
		last, ok := path[end-1].(string)
		if !ok || v.file.Has(path[:end]...) || end > 1 && !v.file.Has(path[:end-1]...) {
			continue
		}
		for key := range document.Pairs(v.file.Node(path[:end-1]...)) {
			if v.said[positionOf(v.file, key)] && diagnostic.Nearest(key.Value, []string{last}) != "" {
				return true
			}
		}
	}
	return false
}

// bounds checks every setting against the tags of its field: oneof and least.
func (v validator) bounds(c *Config) {
	c.visit(func(s setting) bool {
		if len(s.path) == 3 && s.path[0] == "jobs" && s.path[2] == "guards" && !v.file.Has(s.path...) {
			return false // those of the installation, which have been checked
		}
		if words := strings.Fields(s.tag.Get("oneof")); len(words) > 0 && s.value.Kind() == reflect.String {
			if _, has := s.tag.Lookup("default"); has || s.value.String() != "" {
				v.among(words, s.value.String(), s.path...)
			}
		}
		least, bounded := s.tag.Lookup("least")
		switch value := s.value.Interface().(type) {
		case int:
			v.require(!bounded || value >= 0, fmt.Sprintf("%v must be at least %s", s.path[len(s.path)-1], least), "0 means any number", s.path...)
		case time.Duration:
			bound, err := time.ParseDuration(least)
			v.require(!bounded || err == nil && value >= bound && value <= 24*time.Hour, fmt.Sprintf("%v must be between %s and 24h, not %s", s.path[len(s.path)-1], least, value), "", s.path...)
		}
		return true
	})
}

func (v validator) among(words []string, value string, path ...any) {
	hint := ""
	if near := diagnostic.Nearest(value, words); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.require(slices.Contains(words, value), fmt.Sprintf("%v must be one of %s, not %q", path[len(path)-1], strings.Join(words, ", "), value), hint, path...)
}

// oneOf returns the words that the tag of a field allows, for code that checks them itself.
func oneOf[T any](field string) []string {
	f, _ := reflect.TypeFor[T]().FieldByName(field)
	return strings.Fields(f.Tag.Get("oneof"))
}

func (v validator) service(s Service) {
	v.baseURL(s.BaseURL)
	for _, op := range slices.Sorted(maps.Keys(s.Paths)) {
		v.path(s.Paths[op], !op.Creates(), "paths", string(op))
	}
	v.localDefault(s.SubscriptionKey, s.UsesLocal(), "subscription_key")
	v.localDefault(s.AuthCookie, s.UsesLocal(), "auth_cookie")
	v.require(!s.SubscriptionKey.Empty() || s.UsesSandbox() || s.BaseURL == "" || v.has("subscription_key"),
		"the subscription key is required for every request (interface.md part 5)",
		"set subscription_key: {env: NAME} under service")
	v.require(headerName.MatchString(s.CookieHeader), "invalid header name",
		"spaces, colons and brackets are not allowed", "cookie_header")
	v.require(!slices.Contains(otherHeaders, strings.ToLower(s.CookieHeader)), "cookie_header is a header that every request has already",
		"use the name of the service's authentication cookie", "cookie_header")
	if s.SignIn != nil {
		v.in("sign_in").signIn(s, *s.SignIn)
	}
	v.require(!strings.ContainsFunc(s.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }), "invalid header value",
		"use ASCII characters only, such as firm-import/1.0", "user_agent")
	v.lists(s)
	v.require(s.AnswerLimit >= 1<<10, "answer_limit is too small", "the minimum is 1KiB", "answer_limit")
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// otherHeaders are the headers of requests besides the cookie.
var otherHeaders = []string{"subscription-key", "content-type", "accept", "user-agent", "host", "content-length", "transfer-encoding", "connection"}

func (v validator) baseURL(text string) {
	u, err := url.Parse(text)
	fail := func(message, hint string) { v.fail(message, hint, "base_url") }
	const example = "use the form https://host.example, or sandbox for the built-in sandbox"
	switch {
	case text == InProcess:
	case text == "":
		fail("base_url is required", example)
	case err != nil || u.Host == "" || u.Hostname() == "":
		fail("base_url is not a valid URL", example)
	case u.Scheme != "https" && u.Scheme != "http":
		fail(fmt.Sprintf("base_url must use https://, not %s://", u.Scheme), example)
	case u.Scheme == "http" && !payload.Loopback(u.Hostname()):
		fail("base_url must use https://: with http://, keys and cookies are sent unencrypted",
			"http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])")
	case u.User != nil:
		fail("base_url must not contain a user name or password", "set the secrets as {env: NAME} in their own settings")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		fail("base_url must not contain ? or #", "the operations have no query parameters (interface.md part 4)")
	}
}

// path checks the path of an operation. An empty one is allowed until a job needs it; then Service.Path reports it.
func (v validator) path(path string, id bool, where ...any) {
	rest := path
	if id {
		rest = strings.ReplaceAll(path, "{id}", "id")
	}
	_, err := url.Parse(path)
	switch {
	case path == "":
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//"):
		v.fail("a path must start with a single slash", "use the part after the host, such as /v1/firms/file", where...)
	case strings.ContainsAny(rest, "{}"):
		hint := "only {id} is allowed in a path"
		if !id {
			hint = "{id} is not available here: a new record has no id yet"
		}
		v.fail("this path contains an unknown placeholder", hint, where...)
	case strings.Contains(path, `\`):
		v.fail("a path must not contain a backslash", "write it with slashes, such as /v1/firms/file", where...)
	case err != nil || strings.ContainsAny(path, "?# \t") || slices.Contains(strings.Split(path, "/"), ".."):
		v.fail("invalid path", `?, #, spaces and .. are not allowed, and % must be followed by two hexadecimal digits`, where...)
	}
}

// localDefault refuses a secret's default that is written in the file, unless what the secret opens is on this machine:
// there it is not a secret.
func (v validator) localDefault(secret Secret, local bool, path ...any) {
	if secret.kept != nil && secret.kept.local && !local {
		v.fail("a secret's default is used only for the sandbox and for loopback addresses",
			"set the environment variable", path...)
	}
}

func (v validator) signIn(s Service, in SignIn) {
	v.localDefault(in.Password, s.UsesLocal(), "password")
	switch {
	case len(in.Command) > 0 && in.Path != "":
		v.fail("sign_in has both a command and a path", "remove one of them")
	case len(in.Command) > 0:
		v.require(in.Command[0] != "", "the command has no program", "use the form [program, argument, …]", "command")
	case in.Path == "":
		v.fail("sign_in requires command or path", "set command: [program, …] or path: /v1/login")
	default:
		v.path(in.Path, false, "path")
		v.require(in.User != "", "user is required", "set user: NAME next to path", "user")
		v.require(!in.Password.Empty() || v.has("password"), "password is required",
			"set password: {env: NAME} next to path", "password")
	}
}

// sameMembers are the members of the payloads of create case and create folder that a list can be compared with.
var sameMembers = map[string][]string{
	"cases":   {"name", "user_id", "client_id", "file_template_id"},
	"folders": {"client_id"},
}

var listName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,40}$`)

func (v validator) lists(s Service) {
	for _, name := range s.ListNames() {
		l, v := s.Lists.Named[name], v.in("lists", name)
		if !listName.MatchString(name) {
			v.fail(fmt.Sprintf("invalid list name %q", name), "use lowercase letters a to z, digits, - and _, starting with a letter, up to 41 characters")
			continue
		}
		v.listPath(name, l.Path)
		v.require(l.ID != "", "id must not be empty", "remove id to use the default, id", "id")
		v.require(len(l.Name) > 0 && !slices.Contains(l.Name, ""), "name must not be empty", "remove name to use the default, name", "name")
		v.require(l.Take == 0 || l.Take >= 2 && l.Take <= 10_000, "take must be between 2 and 10000, or 0 for a list without paging",
			"the default is 100", "take")
		v.require(l.MaxAge >= 0 && l.MaxAge <= 366*24*time.Hour, "max_age must be between 0 and one year", "for example, 12h; 0 fetches the list for every run", "max_age")
		v.same(name, l.Same)
		if l.Changed != nil {
			v.in("changed").changed(name, *l.Changed)
		}
	}
}

// changed checks how a list shows changes. Only the lists that show what an operation updates can.
func (v validator) changed(list string, c Changed) {
	var lists, fields []string
	for _, op := range payload.Operations {
		if shows := op.About().Shows; shows != "" {
			lists = append(lists, shows)
			if shows == list {
				for _, f := range payload.Fields(op, payload.Switches{}) {
					fields = append(fields, f.Name)
				}
			}
		}
	}
	if len(fields) == 0 {
		v.fail("changed is supported only for the lists "+strings.Join(lists, " and "), "remove changed")
		return
	}
	v.require(c.At != "" || c.By != "", "changed requires at or by", "set at: to the field with the time of the last change, by: to the one with the person")
	v.require(c.By == "" || len(c.Us) > 0 && !slices.Contains(c.Us, ""), "by requires us", "set us: to the accounts that docketsync signs in with, as the list shows them", "us")
	v.require(c.By != "" || len(c.Us) == 0, "us requires by", "set by: to the field with the person who changed a record", "us")
	for _, field := range slices.Sorted(maps.Keys(c.Fields)) {
		v.require(slices.Contains(fields, field), fmt.Sprintf("%q is not a field of the payload", field), diagnostic.Suggest(field, fields), "fields", field)
		v.require(c.Fields[field] != "", "the name of the list's field is required", "set fields: {"+field+": "+field+"}", "fields", field)
	}
}

func (v validator) listPath(name, path string) {
	switch {
	case path == "":
		v.fail(fmt.Sprintf("the list %q requires a path", name), "set path: /v1/…, as provided by the service's operator")
	case strings.ContainsAny(path, "{}"):
		v.fail("placeholders are not allowed in the path of a list", "", "path")
	case diagnostic.Nearest(name, []string{"settle_after"}) != "" && !strings.HasPrefix(path, "/"):
		v.fail(fmt.Sprintf("the list %q requires a path", name), "did you mean settle_after?", "path")
	default:
		v.path(path, false, "path")
	}
}

func (v validator) same(name string, same map[string]string) {
	known, has := sameMembers[name]
	if !has {
		v.require(len(same) == 0, "same is supported only for the lists cases and folders", "remove same", "same")
		return
	}
	for _, member := range slices.Sorted(maps.Keys(same)) {
		v.require(slices.Contains(known, member), fmt.Sprintf("%q cannot be compared with a list", member),
			diagnostic.Suggest(member, known), "same", member)
		v.require(same[member] != "", "the name of the list's field is required", "set same: {"+member+": "+member+"}", "same", member)
	}
}

func (v validator) retry(r Retry) {
	v.require(r.Refused <= again(366*24*time.Hour), fmt.Sprintf("refused must not exceed 8784h, not %s", r.Refused), "use never to prevent resending", "refused")
	v.require(r.MaxDelay >= r.FirstDelay, fmt.Sprintf("max_delay (%s) is shorter than first_delay (%s)", r.MaxDelay, r.FirstDelay),
		"the delay increases from first_delay to max_delay", "max_delay")
}

func (v validator) ledger(dsn DSN) {
	v.require(dsn != "", "ledger is required", "specify a file, or a database with postgres://…", "ledger")
	scheme, _, isURL := strings.Cut(string(dsn), "://")
	v.require(!isURL || slices.Contains([]string{"postgres", "postgresql", "file"}, scheme),
		"ledger must be a file or a PostgreSQL database", "use a path, or postgres://user@host/database", "ledger")
}

func (v validator) guards(g Guards) {
	v.require(g.Least >= 0, "least must not be negative", "start with 10", "least")
	v.require(g.OlderThan >= 0 && g.OlderThan <= 366*24*time.Hour, "older_than must be between 0 and one year", "for example, 36h; 0s for any age", "older_than")
}

func (v validator) metrics(m Metrics) {
	if m.Listen != "" {
		_, port, err := net.SplitHostPort(m.Listen)
		v.require(err == nil && port != "", "listen must be HOST:PORT", "for example, 127.0.0.1:9180", "listen")
	}
	v.require(m.Textfile == "" || strings.HasSuffix(m.Textfile, ".prom"), "textfile must end in .prom",
		"for example, /var/lib/node_exporter/docketsync.prom", "textfile")
	if m.Traces != "" {
		u, err := url.Parse(m.Traces)
		v.require(err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != "" && u.User == nil, "traces is not a valid collector URL",
			"for example, http://127.0.0.1:4318/v1/traces", "traces")
	}
}
