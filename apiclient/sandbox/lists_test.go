package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/sandbox"
)

type page struct {
	Total, Skip, Take int
	Items             []struct {
		ID, Name, Number string
		Agent            *bool
		FileCount        int `json:"file_count"`
	}
}

func TestListsOfTheDirectory(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	for kind, total := range map[string]int{"users": 3, "companies": 3, "templates": 2, "statuses": 2, "tags": 2, "registries": 2,
		"registration_types": 1, "trademark_types": 2, "languages": 2, "search_classes": 2, "trademarks": 2, "files": 0, "folders": 0} {
		r := s.do("GET", "/v1/lists/"+kind+"?skip=1&take=1", "")
		p := decode[page](t, r)
		if r.status != 200 || p.Total != total || p.Skip != 1 || p.Take != 1 || len(p.Items) != min(1, max(0, total-1)) {
			t.Errorf("%s: answer %d %s", kind, r.status, r.body)
		}
	}
	if p := decode[page](t, s.do("GET", "/v1/lists/companies?skip=2", "")); p.Items[0].ID != carta || p.Items[0].Agent == nil || *p.Items[0].Agent {
		t.Errorf("the third company: %+v", p)
	}
	wantReasons(t, s.do("GET", "/v1/lists/clients", ""), 404, `: there is no list "clients"`)
	wantReasons(t, s.do("GET", "/v1/lists/users?skip=-1&take=5000", ""), 400,
		`skip: must be a whole number from 0 to 1099511627776, not "-1"`, `take: must be a whole number from 0 to 1000, not "5000"`)
}

func TestListsOfWhatWasMade(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	for n := range 5 {
		s.do("POST", "/v1/firms/file", edit(t, caseA, fmt.Sprintf(`number="M %d/é"`, n)))
	}
	for range 2 {
		s.do("POST", "/v1/firms/folder", folder)
	}
	var numbers []string
	for skip := 0; skip < 9; skip += 2 {
		p := decode[page](t, s.do("GET", fmt.Sprintf("/v1/lists/files?skip=%d&take=2", skip), ""))
		for _, f := range p.Items {
			numbers = append(numbers, f.Number)
		}
		if p.Total != 9 {
			t.Errorf("total %d, want 9", p.Total)
		}
	}
	if diff := cmp.Diff([]string{"M 0/é", "M 1/é", "M 2/é", "M 3/é", "M 4/é", "1", "2.50", "1", "2.50"}, numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if p := decode[page](t, s.do("GET", "/v1/lists/files?number=M%203%2F%C3%A9", "")); p.Total != 1 || p.Items[0].Number != "M 3/é" {
		t.Errorf("by number: %+v", p)
	}
	if p := decode[page](t, s.do("GET", "/v1/lists/folders?name=%C3%85kerman+2024&take=1", "")); p.Total != 2 || len(p.Items) != 1 || p.Items[0].FileCount != 2 {
		t.Errorf("by name: %+v", p)
	}
	s.do("PUT", "/v1/firms/trademark", tmark)
	if p := decode[page](t, s.do("GET", "/v1/lists/trademarks?number=018/123", "")); p.Total != 1 || p.Items[0].ID != mark {
		t.Errorf("by application number: %+v", p)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	s.newCase()
	s.newCase()
	s.do("POST", "/v1/firms/file", "{}")
	s.do("POST", "/v1/firms/folder", folder)
	s.do("PUT", "/v1/firms/trademark", edit(t, tmark, "do_not_create_file"))
	r := s.do("GET", "/v1/sandbox/state", "")
	want := `{"cases":5,"folders":1,"trademarks":1,"goods_and_services":0,"requests":5,
		"cases_by_operation":{"create_case":2,"create_folder":2,"update_trademark":1},
		"outcomes":[{"operation":"create_case","acted":false,"status":400,"fault":"","count":1},{"operation":"create_case","acted":true,"status":201,"fault":"","count":2},
		{"operation":"create_folder","acted":true,"status":201,"fault":"","count":1},{"operation":"update_trademark","acted":true,"status":200,"fault":"","count":1}],
		"repeated":[{"kind":"case","key":"M-001","count":2}]}`
	if diff := cmp.Diff(decode[any](t, reply{body: []byte(want)}), decode[any](t, r)); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if log := s.log(); len(log) != 5 || log[1].Seq != 2 || log[1].Key != "M-001" {
		t.Errorf("log by number: %+v", log)
	}
	if log := s.log()[2:3]; !strings.HasPrefix(log[0].Message, "name is required; number is required") {
		t.Errorf("log of the refused request: %+v", log)
	}
}
