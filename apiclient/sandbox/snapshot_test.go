package sandbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docketsync/apiclient/sandbox"
)

// TestSnapshotTellsAllThatIsHeld compares the snapshots of two sandboxes that were told the same in another order, one of them in
// memory, and holds them to what was sent.
func TestSnapshotTellsAllThatIsHeld(t *testing.T) {
	t.Parallel()
	folder := `{"name":"Heron","client_id":"` + heron + `","files":[{"name":"One","number":1},{"name":"Two","number":2}]}`
	update := `{"id":"` + mark + `","registry_id":"` + euipo + `","mark_text":"SOL","application_number":"018","notes":"n","do_not_create_file":true,
		"good_and_services":[{"id":null,"language_id":"` + english + `","text":"software","search_class_id":"` + class9 + `"}]}`
	tell := []func(*service) reply{
		func(s *service) reply { return s.do("POST", "/v1/firms/file", caseA) },
		func(s *service) reply { return s.do("POST", "/v1/firms/folder", folder) },
		func(s *service) reply { return s.do("PUT", "/v1/firms/trademark", update) },
	}
	one, other := start(t, sandbox.Options{}), start(t, sandbox.Options{Data: t.TempDir() + "/box.db"})
	for n := range tell {
		tell[n](one)
		tell[len(tell)-1-n](other)
	}
	first := decode[sandbox.Snapshot](t, one.do("GET", "/v1/sandbox/snapshot", ""))
	second := snapshot(t, other.server)
	ids := cmp.Options{cmpopts.IgnoreFields(sandbox.Case{}, "ID", "Folder"), cmpopts.IgnoreFields(sandbox.Folder{}, "ID"), cmpopts.IgnoreFields(sandbox.Goods{}, "ID"),
		cmpopts.IgnoreUnexported(sandbox.Case{}, sandbox.Goods{}, sandbox.Mark{}), cmpopts.IgnoreFields(sandbox.Snapshot{}, "Requests")}
	if diff := cmp.Diff(first, second, ids); diff != "" {
		t.Errorf("the same in another order (-one +other):\n%s", diff)
	}
	if len(first.Cases) != 3 || first.Cases[1].Folder != first.Folders[0].ID || first.Cases[2].FirstNumber != "2" {
		t.Errorf("the cases are %+v", first.Cases)
	}
	if diff := cmp.Diff([]sandbox.Folder{{Name: "Heron", Client: heron, Files: 2}}, first.Folders, ids); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	got := first.Trademarks[0]
	goods := []sandbox.Goods{{Language: english, Class: class9, Text: "software"}}
	if diff := cmp.Diff(goods, got.Goods, ids); diff != "" || got.Number != "018" || got.Updates != 1 {
		t.Errorf("the trademark is %+v", got)
	}
}
