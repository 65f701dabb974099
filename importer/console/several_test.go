package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docketsync/importer/console"
	"docketsync/importer/console/firms"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/console/signin"
)

// folder is two firms that say by values of the provider's claim who may see them.
type folder struct{ of map[string]signin.Accounts }

func (f folder) Seen(p signin.Person) (seen []firms.Firm) {
	for _, name := range []string{"acme", "birch"} {
		if may := f.of[name].Of(p); may.Role != signin.Anybody {
			seen = append(seen, firms.Firm{Name: name, Role: may.Role})
		}
	}
	return seen
}

func (f folder) Enter(door *signin.Authenticator, firm string, _ signin.Person) (http.Handler, func(), error) {
	own := door.To(signin.Firm{Name: firm, Of: f.of[firm].Of, Trouble: func() signin.Trouble { return signin.Trouble{} }})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, p, err := own.Find(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(firm + ": " + p.Name + ", " + string(p.Role) + ", sees " + strings.Join(p.Jobs, " ")))
	}), func() {}, nil
}

// TestFirmsDecideByGroups has people of a provider come in by whatever group they have; what they may do is what each firm says of that group, and a name of theirs
// that is also a user's gives them nothing.
func TestFirmsDecideByGroups(t *testing.T) {
	t.Parallel()
	all := folder{map[string]signin.Accounts{
		"acme": {Users: []signin.User{{Name: "ines", Role: signin.Operator}}, OIDC: &signin.Provider{Claim: "groups", Operators: []string{"acme-clerks", "vendor"}, Viewers: []string{"acme-partners"},
			Jobs: map[string][]string{"acme-partners": {"matters"}, "acme-clerks": {"*"}}}},
		"birch": {OIDC: &signin.Provider{Claim: "groups", Viewers: []string{"vendor", "birch"}}},
	}}
	for name, c := range map[string]struct {
		who         map[string]any
		list        string // where the first page leads, or what it shows
		acme, birch string
	}{
		"clerks of one":                      {map[string]any{"name": "C", "groups": "acme-clerks"}, "/firms/acme/", "acme: C, operator, sees ", ""},
		"of some jobs":                       {map[string]any{"name": "P", "groups": "acme-partners"}, "/firms/acme/", "acme: P, viewer, sees matters", ""},
		"a group that the other has no jobs": {map[string]any{"name": "V", "groups": []any{"vendor"}}, "/firms/birch/", "", "birch: V, viewer, sees "},
		"two groups":                         {map[string]any{"name": "B", "groups": []any{"acme-clerks", "birch"}}, "acme birch", "acme: B, operator, sees ", "birch: B, viewer, sees "},
		"a group of nobody":                  {map[string]any{"name": "N", "groups": "cooks"}, "no access to any firm", "", ""},
		"a user's name":                      {map[string]any{"preferred_username": "ines", "groups": "cooks"}, "no access to any firm", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := withProvider(t, "groups", nil, nil, func(o *console.Options) {
				o.SignIn.Users, o.SignIn.OIDC.Firms = nil, true
			})
			w.at.Close()
			server, err := console.NewSeveral(t.Context(), *w.options, all)
			w.must(err)
			w.at = httptest.NewServer(server.Handler())
			t.Cleanup(w.at.Close)
			p.who = c.who
			browser := w.client()
			if said := browser.get(browser.back(p)); said.StatusCode != http.StatusSeeOther {
				t.Fatalf("signing in: %d\n%s", said.StatusCode, said.text)
			}
			first := browser.get("/")
			shown := first.Header.Get("Location")
			if first.StatusCode == http.StatusOK {
				shown = strings.Join(pagetest.TokenField.Split(first.text, -1), "")
			}
			for _, want := range strings.Fields(c.list) {
				if !strings.Contains(shown, want) {
					t.Errorf("the first page leads to or shows %s, not %s", shown, want)
				}
			}
			for firm, want := range map[string]string{"acme": c.acme, "birch": c.birch} {
				got := browser.get("/firms/" + firm + "/runs")
				if want == "" && got.StatusCode != http.StatusNotFound || want != "" && got.text != want {
					t.Errorf("%s answers with %d %s, not %q", firm, got.StatusCode, got.text, want)
				}
			}
		})
	}
}
