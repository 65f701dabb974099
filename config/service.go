package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Service says where the service of interface.md is, and settles what that document leaves open.
type Service struct {
	BaseURL           string        `yaml:"base_url" jsonschema:"required"` // InProcess for the sandbox inside the process
	Account           string        `yaml:"account"`                        // the firm's name for its account at the service
	Paths             Paths         `yaml:"paths"`
	SubscriptionKey   Secret        `yaml:"subscription_key"` // interface.md part 5
	AuthCookie        Secret        `yaml:"auth_cookie"`      // interface.md part 5; not needed if SignIn provides one
	CookieHeader      string        `yaml:"cookie_header" default:".Service.AuthCookie"`
	FolderCookie      bool          `yaml:"folder_cookie" default:"true"` // interface.md part 4.4 does not list it
	UserAgent         string        `yaml:"user_agent"`
	SignIn            *SignIn       `yaml:"sign_in"`                                     // nil if there is no way to get a new cookie
	CreateCaseVariant string        `yaml:"create_case_variant" default:"A" oneof:"A B"` // the two field lists of interface.md part 4.1
	Switches          Switches      `yaml:"switches"`
	NotReadBack       []string      `yaml:"not_read_back"`
	Timeout           time.Duration `yaml:"timeout" default:"30s" least:"1s"`
	AnswerLimit       size          `yaml:"answer_limit" default:"1MiB"`
	CAFile            string        `yaml:"ca_file" path:"true"`
	Proxy             string        `yaml:"proxy" default:"none" oneof:"none environment"` // never used for loopback addresses
	Lists             Lists         `yaml:"lists"`
}

// Paths are the paths that the file sets, each beginning with a slash; {id} in the path of an update stands for the id
// of the record. Other operations use the path that interface.md states, if any: see Service.Path.
type Paths map[payload.Operation]string

// UnmarshalNode reads the path of each operation.
func (p *Paths) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Block {
		return diagnostic.Faults{f.Expected(n, "a block of keys")}
	}
	*p = Paths{}
	var faults diagnostic.Faults
	for key, value := range document.Pairs(n) {
		op := payload.Operation(key.Value)
		if !op.Known() {
			faults = append(faults, f.At(key, fmt.Sprintf("unknown key %q", key.Value), diagnostic.Suggest(key.Value, operations())))
			continue
		}
		var path string
		faults = append(faults, f.Decode(value, &path)...)
		(*p)[op] = path
	}
	return faults
}

func operations() (words []string) {
	for _, op := range payload.Operations {
		words = append(words, string(op))
	}
	return words
}

// SignIn is one of two ways to get a new cookie: a command that prints it, or the service's login operation, which
// takes credentials and answers with the cookie in Set-Cookie.
type SignIn struct {
	Command        []string `yaml:"command"`
	Path           string   `yaml:"path"`
	User           string   `yaml:"user"`
	Password       Secret   `yaml:"password"`
	UserMember     string   `yaml:"user_member"`
	PasswordMember string   `yaml:"password_member"`
}

// Switches settle what interface.md says in two ways: parts 4.2 (active, component_id, update_answer), 4.3
// (registration_number, do_not_create_file) and 4.4 (folder_file_number). The defaults follow its field lists.
type Switches struct {
	Active             string `yaml:"active" default:"boolean" oneof:"boolean text"`
	RegistrationNumber string `yaml:"registration_number" default:"text" oneof:"text integer"`
	ComponentID        string `yaml:"component_id" default:"omit" oneof:"omit same null"`
	DoNotCreateFile    string `yaml:"do_not_create_file" default:"send" oneof:"send omit"`
	FolderFileNumber   string `yaml:"folder_file_number" default:"number" oneof:"number text"`
	UpdateAnswer       string `yaml:"update_answer" default:"json" oneof:"json any"`
}

// Lists are the list operations that the service has beyond interface.md, by their names in mappings and commands.
// Three names have a special meaning: records in doubt are looked for in the lists cases and folders, and marks are in
// trademarks.
type Lists struct {
	// SettleAfter is how long ago a record must have been looked for first before its absence from a list counts: a
	// list may lag behind, and the service may still be working on a request whose connection broke.
	SettleAfter time.Duration   `yaml:"settle_after" default:"10m" least:"0s"`
	Named       map[string]List `yaml:"-"`
}

// List is one list operation: its path, and which members of its items hold what. Path is appended to base_url; skip
// and take are added to it as a query.
type List struct {
	Path   string            `yaml:"path,short" jsonschema:"required"`
	ID     string            `yaml:"id" default:"id"`
	Name   Names             `yaml:"name" default:"name"`
	Items  string            `yaml:"items"`
	Total  string            `yaml:"total" default:"total"`
	Take   int               `yaml:"take" default:"100"`
	MaxAge time.Duration     `yaml:"max_age"`
	Same   map[string]string `yaml:"same"` // member of the payload → member of the item

	Changed *Changed `yaml:"changed"` // nil if updates are sent whoever has changed the record meanwhile
}

// Changed says which members of an item show when the record was last changed, and by whom, so that an update does not
// overwrite what somebody else has changed.
type Changed struct {
	At      string            `yaml:"at"`
	By      string            `yaml:"by"`
	Us      Names             `yaml:"us"`     // the accounts that docketsync uses, as By shows them
	Fields  map[string]string `yaml:"fields"` // field of the payload → member of the item, if its name differs
	Unknown string            `yaml:"unknown" default:"hold" oneof:"hold send"`
}

// UnmarshalNode reads settle_after, and every other key as a list of that name.
func (l *Lists) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Block {
		return diagnostic.Faults{f.Expected(n, "a block of lists by name")}
	}
	l.Named = map[string]List{}
	var faults diagnostic.Faults
	for key, value := range document.Pairs(n) {
		name := key.Value
		if name == "settle_after" {
			faults = append(faults, f.Decode(value, &l.SettleAfter)...)
			continue
		}
		var list List
		document.SetDefaults(&list)
		if name == "cases" {
			list.Name = Names{"number"}
		}
		faults = append(faults, f.Decode(value, &list)...)
		if list.Same == nil {
			list.Same = map[string]map[string]string{"cases": {"name": "name"}, "folders": {"client_id": "client_id"}}[name]
		}
		l.Named[name] = list
	}
	return faults
}

// ListNames returns the names of the lists, sorted.
func (s Service) ListNames() []string { return slices.Sorted(maps.Keys(s.Lists.Named)) }

// InProcess is the base URL that stands for the sandbox inside the process.
const InProcess = "sandbox"

// UsesSandbox reports whether payloads go to the sandbox inside the process.
func (s Service) UsesSandbox() bool { return s.BaseURL == InProcess }

// UsesLocal reports whether the service is the sandbox inside the process or listens on a loopback address.
func (s Service) UsesLocal() bool {
	if s.UsesSandbox() {
		return true
	}
	u, err := url.Parse(s.BaseURL)
	return err == nil && payload.Loopback(u.Hostname())
}

// Address returns the service as a ledger remembers it: scheme, host, port and base path in one spelling, or the word
// sandbox for the sandbox inside the process. Two configurations with the same address send to the same service; any
// other address counts as another service.
func (s Service) Address() (string, error) {
	if s.UsesSandbox() {
		return InProcess, nil
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return "", err
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[scheme] {
		host += ":" + port
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// WasCalled reports whether name is this service's name in releases that knew services only by their host: the host
// with the port as written, or "this machine" for the sandbox and every loopback address.
func (s Service) WasCalled(name string) bool {
	if s.UsesLocal() {
		return name == "this machine"
	}
	old, err := Service{BaseURL: "https://" + name}.Address()
	if err != nil || strings.Contains(name, "://") {
		return false
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return false
	}
	now, err := Service{BaseURL: "https://" + u.Host}.Address()
	return err == nil && old == now
}

// Path returns the path of an operation (such as create_case): the one that the file sets, otherwise the one that
// interface.md states. If there is none, the error says why, and where to set it.
func (s Service) Path(operation string) (string, error) {
	op := payload.Operation(operation)
	path := cmp.Or(s.Paths[op], op.About().Path)
	switch {
	case !op.Known():
		return "", fmt.Errorf("the service has no operation %q", operation)
	case path == "":
		return "", fmt.Errorf("service.paths.%[1]s is required: interface.md does not state the path. "+
			"Ask the service's operator for it and set service.paths.%[1]s in the configuration "+
			"({id} is replaced with the id of the record)", operation)
	}
	return path, nil
}

// Identity returns an error if an operation cannot be sent because the authentication cookie that it needs is missing
// (interface.md part 5). It returns nil if there is a cookie or a way to get one, or if the sandbox in the process is
// used.
func (s Service) Identity(operation string) error {
	if payload.Operation(operation).About().NoCookie || !s.AuthCookie.Empty() || s.SignIn != nil || s.UsesSandbox() {
		return nil
	}
	return fmt.Errorf("%s requires the authentication cookie (interface.md part 5), which is not configured: "+
		"set service.auth_cookie: {env: NAME}, or configure service.sign_in", operation)
}

// unreadableProxy refuses an address of the environment's proxy that cannot be read. net/http would silently bypass
// such a proxy, or take another part of the address for its host. The address is not shown, because it may contain a
// password.
func (c *Config) unreadableProxy(env func(string) (string, bool)) diagnostic.Faults {
	upper, _ := env("HTTPS_PROXY")
	lower, _ := env("https_proxy")
	if c.Service.Proxy != "environment" || isProxy(cmp.Or(upper, lower)) {
		return nil
	}
	return diagnostic.Faults{c.place.file.At(c.place.file.Node("service", "proxy"), "the environment variable HTTPS_PROXY is no address of a proxy",
		"write it as http://host:port or http://user:password@host:port, with %23, %2F, %3F and %25 for #, /, ? and % in the password")}
}

func isProxy(address string) bool {
	if address == "" {
		return true
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Hostname() != "" &&
		!strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") // the host would come after it
}
