package importer_test

import (
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/referencelist"
)

const listMapping = `
operation: create_case
key: Ref
lookups:
  users: {service: people}
fields:
  name: Title
  number: Ref
  active: {value: true}
  file_template_id: {value: ` + template + `}
  user_id: {column: Lawyer, lookup: users}
`

func people(items ...apiclient.ListItem) map[string]*referencelist.List {
	return map[string]*referencelist.List{"people": {Name: "people", Fetched: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Items: items}}
}

// TestListsDecideThePlan shows that a changed list makes another plan, and that fetching the same list again does not.
func TestListsDecideThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("cases", listMapping, "Ref,Title,Lawyer\nM-1,One,Ada\n")
	ada, bob := apiclient.ListItem{ID: user, Texts: []string{"Ada", "ada@firm.example"}}, apiclient.ListItem{ID: company, Texts: []string{"Bob", ""}}
	var prints []string
	for _, items := range [][]apiclient.ListItem{{ada, bob}, {bob, ada}, {ada}, {{ID: company, Texts: ada.Texts}, bob}} {
		job.Lists = people(items...)
		job.Lists["people"].Fetched = time.Now()
		run, err := w.importer().Plan(t.Context(), job)
		w.must(err)
		prints = append(prints, run.Fingerprint)
	}
	if prints[0] != prints[1] || prints[0] == prints[2] || prints[0] == prints[3] {
		t.Errorf("fingerprints %q", prints)
	}
}

func TestListLookups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lists map[string]*referencelist.List
		state ledger.State
		want  string // reason or error
	}{
		"found by either name": {people(apiclient.ListItem{ID: user, Texts: []string{"A. Moreau", "Ada"}}), ledger.Planned, ""},
		"two have the name":    {people(apiclient.ListItem{ID: user, Texts: []string{"Ada"}}, apiclient.ListItem{ID: company, Texts: []string{"Ada"}}), ledger.Rejected, user + ", " + company},
		"nobody has it":        {people(apiclient.ListItem{ID: user, Texts: []string{"Bob"}}), ledger.Rejected, `"Ada" is not in the lookup`},
		"an empty list":        {people(), ledger.Rejected, `"Ada" is not in the lookup`},
		"ids are no GUIDs":     {people(apiclient.ListItem{ID: "17", Texts: []string{"Ada"}}), "", `"17", the id of "Ada" in the lookup "users", is not a GUID`},
		"no names":             {people(apiclient.ListItem{ID: user, Texts: []string{" "}}), "", "has 1 items, none with a name"},
		"not at hand":          {nil, "", "docketsync lists refresh people"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("cases", listMapping, "Ref,Title,Lawyer\nM-1,One,Ada\n")
			job.Lists = test.lists
			run, err := w.importer().Plan(t.Context(), job)
			if test.state == "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v", err)
				}
				return
			}
			w.must(err)
			record := w.records(run)[0]
			if record.State != test.state || test.want != "" && !strings.Contains(record.Reasons[0].Message, test.want) {
				t.Errorf("%s: %+v", record.State, record.Reasons)
			}
			if !strings.Contains(string(run.Notes), `"list":"people"`) {
				t.Errorf("the run's notes do not name the list: %s", run.Notes)
			}
		})
	}
}
