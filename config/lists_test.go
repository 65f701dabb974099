package config_test

import (
	"strings"
	"testing"
	"time"

	"docketsync/config"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	t.Parallel()
	c, err := load(small+`
  lists:
    settle_after: 30m
    companies: /v1/lists/companies
    users: {path: /v1/people, id: key.id, name: [login, mail], items: result.rows, total: count, take: 500, max_age: 12h}
    cases: {path: /v1/lists/files}
    folders: {path: /v1/lists/folders, same: {}}
`, key)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Lists{SettleAfter: 30 * time.Minute, Named: map[string]config.List{
		"companies": {Path: "/v1/lists/companies", ID: "id", Name: config.Names{"name"}, Total: "total", Take: 100},
		"users": {Path: "/v1/people", ID: "key.id", Name: config.Names{"login", "mail"}, Items: "result.rows", Total: "count", Take: 500,
			MaxAge: 12 * time.Hour},
		"cases":   {Path: "/v1/lists/files", ID: "id", Name: config.Names{"number"}, Total: "total", Take: 100, Same: map[string]string{"name": "name"}},
		"folders": {Path: "/v1/lists/folders", ID: "id", Name: config.Names{"name"}, Total: "total", Take: 100, Same: map[string]string{}},
	}}
	if diff := cmp.Diff(want, c.Service.Lists); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cases", "companies", "folders", "users"}, c.Service.ListNames()); diff != "" {
		t.Error(diff)
	}
	if got := c.ListFolder(); got != "/etc/firm/docketsync.db.lists" {
		t.Errorf("lists are kept in %s", got)
	}
}

func TestListFolderBesideTheConfiguration(t *testing.T) {
	t.Parallel()
	c, err := load(small+"ledger: postgres://host/db\n", key)
	if err != nil || c.ListFolder() != "/etc/firm/docketsync.lists" {
		t.Errorf("%v, lists are kept in %s", err, c.ListFolder())
	}
}

func TestMistakesInLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ lists, want string }{
		"no path":              {"companies: {id: id}", `the list "companies" requires a path`},
		"relative path":        {"companies: {path: lists}", "a path must start with a single slash"},
		"query in path":        {"companies: {path: /a?b=c}", "invalid path"},
		"braces":               {"companies: {path: '/a/{id}'}", "placeholders are not allowed in the path of a list"},
		"unknown key":          {"companies: {path: /a, nmae: x}", `did you mean "name"?`},
		"a list of lists":      {"[companies]", "a block of lists by name"},
		"name of a list":       {"Big Companies: /a", "invalid list name"},
		"settle_after misread": {"setle_after: 10m", "did you mean settle_after?"},
		"settle_after is text": {"settle_after: soon", "settle_after"},
		"a single item a page": {"companies: {path: /a, take: 1}", "take must be between 2 and 10000, or 0 for a list without paging"},
		"negative age":         {"companies: {path: /a, max_age: -1h}", "max_age must be between 0 and one year"},
		"same elsewhere":       {"companies: {path: /a, same: {name: x}}", "same is supported only for the lists cases and folders"},
		"same of nothing sent": {"cases: {path: /a, same: {nmae: x}}", `did you mean "name"?`},
		"a list twice":         {"{companies: /a, companies: /b}", "companies"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := small + "  lists:\n    " + test.lists + "\n"
			_, err := load(text, key)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "docketsync.yaml:5:") {
				t.Errorf("error: %v", err)
			}
		})
	}
}
