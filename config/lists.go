package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// Lists are the list operations that the service has beyond interface.md, by the names that mappings and commands call
// them. Three names mean something more: what is in doubt is looked for in the lists cases and folders, and trademarks
// is where marks are.
type Lists struct {
	// SettleAfter is how long ago a record must have been sent for its absence from a list to count: a list may lag
	// behind, and the service may still be at work on a request whose connection broke.
	SettleAfter time.Duration `yaml:"settle_after" json:"settle_after"`
	// Named are the lists.
	Named map[string]List `yaml:"-" json:"named,omitempty"`
}

// List is one list operation: where it is, and which members of its items hold what.
type List struct {
	// Path is appended to base_url; skip and take are added to it as a query.
	Path string `yaml:"path" json:"path"`
	// ID is the member of an item that holds its id. In this and the other members a dot leads into an object.
	ID string `yaml:"id" json:"id"`
	// Name is the member that holds the name, or several members that each hold one.
	Name Names `yaml:"name" json:"name"`
	// Items is the member of an answer that holds the items; left out, the answer is an array or has them in items or data.
	Items string `yaml:"items" json:"items,omitempty"`
	// Total is the member of an answer that says how many items there are in all; it may be missing there.
	Total string `yaml:"total" json:"total"`
	// Take is how many items a page is asked to hold; 0 asks for the whole list at once, without skip and take.
	Take int `yaml:"take" json:"take"`
	// MaxAge is how old what was fetched may be for a run or plan to use it; 0 fetches anew for each.
	MaxAge time.Duration `yaml:"max_age" json:"max_age"`
	// Same says, of the lists cases and folders, which member of an item must hold what a record was sent with, beside its
	// number or name: member of the payload → member of the item.
	Same map[string]string `yaml:"same" json:"same,omitempty"`
}

// Names is one member or several.
type Names []string

// UnmarshalNode reads a text or a list of texts.
func (n *Names) UnmarshalNode(f *document.File, node *document.Node) diagnostic.Faults {
	return (*Files)(n).UnmarshalNode(f, node)
}

// defaultList is a list of which only the name is said.
func defaultList(name string) List {
	l := List{ID: "id", Name: Names{"name"}, Total: "total", Take: 100}
	switch name {
	case "cases":
		l.Name, l.Same = Names{"number"}, map[string]string{"name": "name"}
	case "folders":
		l.Same = map[string]string{"client_id": "client_id"}
	}
	return l
}

// UnmarshalNode reads settle_after, and every other key as a list of that name.
func (l *Lists) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind != document.Block {
		return diagnostic.Faults{f.Expected(n, "a block of lists by name")}
	}
	l.Named = map[string]List{}
	var faults diagnostic.Faults
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Value == "settle_after" {
			faults = append(faults, f.Decode(value, &l.SettleAfter)...)
			continue
		}
		list := defaultList(key.Value)
		faults = append(faults, f.Decode(value, &list)...)
		l.Named[key.Value] = list
	}
	return faults
}

// UnmarshalNode reads the settings of a list, or its path alone.
func (l *List) UnmarshalNode(f *document.File, n *document.Node) diagnostic.Faults {
	if n.Kind == document.Scalar {
		l.Path = n.Value
		return nil
	}
	type plain List
	same := l.Same
	l.Same = nil
	faults := f.Decode(n, (*plain)(l))
	if l.Same == nil {
		l.Same = same
	}
	return faults
}

// ListNames are the names of the lists, in order.
func (s Service) ListNames() []string { return slices.Sorted(maps.Keys(s.Lists.Named)) }

// ListFolder is where lists that were fetched are kept: beside the ledger's file, or beside the configuration where the
// ledger is a database on a server.
func (c *Config) ListFolder() string {
	if c.liveLists != "" {
		return c.liveLists
	}
	if c.Ledger.IsFile() {
		return c.Ledger.Reveal() + ".lists"
	}
	return filepath.Join(c.Dir(), "docketsync.lists")
}

// sameMembers are the members of the payloads of create case and create folder that a list can be compared with.
var sameMembers = map[string][]string{
	"cases":   {"name", "user_id", "client_id", "file_template_id"},
	"folders": {"client_id"},
}

var listName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,40}$`)

func (v *validator) lists(s Service) {
	v.atLeast(s.Lists.SettleAfter, 0, "service", "lists", "settle_after")
	for _, name := range s.ListNames() {
		l, at := s.Lists.Named[name], func(keys ...any) []any { return append([]any{"service", "lists", name}, keys...) }
		if !listName.MatchString(name) {
			v.fail(fmt.Sprintf("%q cannot be the name of a list", name), "small letters a to z, digits, - and _, at most 41", at()...)
			continue
		}
		v.listPath(name, l.Path, at)
		v.require(l.ID != "", "the member with the ids has no name", "leave id out where it is id", at("id")...)
		v.require(len(l.Name) > 0 && !slices.Contains(l.Name, ""), "the member with the names has no name", "leave name out where it is name", at("name")...)
		v.require(l.Take == 0 || l.Take >= 2 && l.Take <= 10_000, "take is from 2 to 10000, or 0 for a list that is not paged",
			"100 is what is asked for otherwise", at("take")...)
		v.require(l.MaxAge >= 0 && l.MaxAge <= 366*24*time.Hour, "max_age is from 0 to a year", "such as 12h; 0 fetches the list for every run", at("max_age")...)
		v.same(name, l, at)
	}
}

func (v *validator) listPath(name, path string, at func(...any) []any) {
	switch {
	case path == "":
		v.fail(fmt.Sprintf("the list %q has no path", name), "write path: /v1/…, as the service's operator says", at()...)
	case strings.ContainsAny(path, "{}"):
		v.fail("nothing may stand in braces in the path of a list", "", at("path")...)
	default:
		if diagnostic.Nearest(name, []string{"settle_after"}) != "" && !strings.HasPrefix(path, "/") {
			v.fail(fmt.Sprintf("the list %q has no path", name), "did you mean settle_after?", at("path")...)
			return
		}
		v.path(path, false, at("path")...)
	}
}

func (v *validator) same(name string, l List, at func(...any) []any) {
	known, has := sameMembers[name]
	if !has {
		v.require(len(l.Same) == 0, "same is for the lists cases and folders", "remove it: nothing else is looked for in a list", at("same")...)
		return
	}
	for _, member := range slices.Sorted(maps.Keys(l.Same)) {
		v.require(slices.Contains(known, member), fmt.Sprintf("%q is not sent in a way that a list could be compared with", member),
			diagnostic.Suggest(member, known), at("same", member)...)
		v.require(l.Same[member] != "", "the member of the list's items is missing", "write same: {"+member+": "+member+"}", at("same", member)...)
	}
}
