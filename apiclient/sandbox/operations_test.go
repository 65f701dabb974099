package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/sandbox"
)

var noon = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

// TestCreateCaseAnswersTheFullRecord holds the record of interface.md parts 2.1 to 2.5, member by member.
func TestCreateCaseAnswersTheFullRecord(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Now: func() time.Time { return noon }})
	r := s.do("POST", "/v1/firms/file", edit(t, caseA, `client_id="`+strings.ToUpper(heron)+`"`, `other_supervisors=["`+chloe+`"]`, `file_template_id="`+general+`"`))
	if r.status != 201 {
		t.Fatalf("answer %d %s", r.status, r.body)
	}
	got := decode[map[string]any](t, r)
	id, _ := got["id"].(string)
	want := map[string]any{
		"enable": true, "id": id, "name": "Åkerman v. Blue", "number": "M-001", "folder": nil, "tags": []any{}, "other_supervisors": []any{chloe},
		"client": map[string]any{"id": heron, "name": "Blue Heron Foods Ltd"},
		"user": map[string]any{
			"enable": true, "id": ben, "first_name": "Ben", "last_name": "Osei", "user_name": "bosei", "email": "b.osei@firm.example", "phone_number": "",
			"language_id": zero, "language_name": "", "country_id": zero, "country_name": "", "user_role": "Attorney",
			"last_login_date": "2024-01-01T00:00:00Z", "is_yoti": false, "is_locked_out": false, "yoti_id": nil, "user_settings": nil,
			"claims": []any{}, "user_type_id": zero, "user_type_name": nil,
		},
		"file_status":   map[string]any{"enable": true, "id": open, "name": "Open", "initial_state": true},
		"file_template": map[string]any{"enable": true, "id": general, "name": "General matter", "file_template_components": []any{}, "is_base": false, "is_template_for_trademark_filing": false, "base_id": general},
		"components":    nil, "created_by": agnes, "updated_at": "2024-03-01T12:00:00.000000Z", "updated_by": agnes, "firm_portfolio": nil, "active": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if len(id) != 36 {
		t.Errorf("id %q is no GUID", id)
	}
}

const zero = "00000000-0000-0000-0000-000000000000"

func TestTemplateComponentsHaveAllThirteenMembers(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	got := decode[struct {
		FileTemplate struct {
			FileTemplateComponents []map[string]any `json:"file_template_components"`
		} `json:"file_template"`
	}](t, s.do("POST", "/v1/firms/file", caseA))
	want := map[string]any{
		"enable": true, "id": deadline, "name": "Next deadline", "description": "In UTC", "definition": nil, "definition_type": nil, "entity_type": "",
		"permissions": []any{}, "required": false, "regex_to_validate": nil, "multiple_values": false, "display_order": 4.0, "value_type": "date-time",
	}
	if len(got.FileTemplate.FileTemplateComponents) != 5 {
		t.Fatalf("%d components, want 5", len(got.FileTemplate.FileTemplateComponents))
	}
	if diff := cmp.Diff(want, got.FileTemplate.FileTemplateComponents[3]); diff != "" {
		t.Errorf("component (-want +got):\n%s", diff)
	}
}

func TestDefaultOwnerIsTheAuthenticatedUser(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	s = s.with(cookieHeader, s.signIn("bosei", "battery staple"))
	for _, c := range []struct{ name, body, owner string }{
		{"variant B without user_id", caseB, ben},
		{"variant B with user_id", edit(t, caseA, `user_id="`+chloe+`"`), chloe},
	} {
		got := decode[struct{ User struct{ ID string } }](t, s.do("POST", "/v1/firms/file", c.body))
		if got.User.ID != c.owner {
			t.Errorf("%s: owner %s, want %s", c.name, got.User.ID, c.owner)
		}
	}
}

// file is what tests look at in a case record.
type file struct {
	ID, Number, Name string
	Active           bool
	Tags             []string
	OtherSupervisors []string `json:"other_supervisors"`
	User             struct{ ID string }
	Client           *struct{ ID string }
	FileStatus       struct{ ID string }        `json:"file_status"`
	FileTemplate     struct{ ID string }        `json:"file_template"`
	Folder           *struct{ Files []file }    `json:"folder"`
	Components       []map[string]any           `json:"components"`
	UpdatedBy        string                     `json:"updated_by"`
	FolderID         string                     `json:"folder_id"`
	Rest             map[string]json.RawMessage `json:"-"`
}

func (s *service) files(query string) []file {
	s.t.Helper()
	return decode[struct{ Items []file }](s.t, s.do("GET", "/v1/lists/files"+query, "")).Items
}

func TestCreateFolderFillsDefaultsAndKeepsDigits(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	body := edit(t, folder, fmt.Sprintf(`files=[{"name":"One","number":12345678901234567890},{"name":"Two","number":2.50,"user_id":"%s","file_status_id":"%s","file_template_id":"%s"}]`, chloe, closed, general))
	r := s.do("POST", "/v1/firms/folder", body)
	if r.status != 201 {
		t.Fatalf("answer %d %s", r.status, r.body)
	}
	answered := decode[struct {
		ID, Name string
		Enable   bool
		Files    []file
	}](t, r)
	if !answered.Enable || answered.Name != "Åkerman 2024" || len(answered.Files) != 2 {
		t.Errorf("folder record %+v", answered)
	}
	var got []string
	for _, f := range s.files("") {
		got = append(got, fmt.Sprintln(f.Number, f.Name, f.User.ID, f.FileStatus.ID, f.FileTemplate.ID, f.Client.ID, f.FolderID == answered.ID, f.Active))
	}
	want := []string{
		fmt.Sprintln("12345678901234567890", "One", agnes, open, filing, akerman, true, true),
		fmt.Sprintln("2.50", "Two", chloe, closed, general, akerman, true, true),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestFolderAnswerBodies(t *testing.T) {
	t.Parallel()
	for body, want := range map[sandbox.Body]string{
		sandbox.BodyRecord: `{"enable":true,"id":"`,
		sandbox.BodyID:     `{"id":"`,
		sandbox.BodyEmpty:  ``,
	} {
		s := start(t, sandbox.Options{Answers: sandbox.Answers{Folder: body}})
		r := s.do("POST", "/v1/firms/folder", folder)
		if r.status != 201 || !strings.HasPrefix(string(r.body), want) || want == "" && len(r.body) > 0 {
			t.Errorf("%s: answer %d %q, want it to begin with %q", body, r.status, r.body, want)
		}
	}
}

func TestUpdateCaseReplacesWhatItLists(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Now: func() time.Time { return noon }})
	id := s.newCase()
	for _, step := range []struct{ name, body, want string }{
		{"first", edit(t, updateOf(id), `tags=["`+urgent+`"]`, `other_supervisors=["`+agnes+`"]`, `number="M-002"`), "M-002 [" + urgent + "] [" + agnes + "] " + heron},
		{"without tags, supervisors and number they stay", edit(t, updateOf(id), `file_client_id=null`), "M-002 [" + urgent + "] [" + agnes + "] none"},
		{"empty tags are none", edit(t, updateOf(id), `tags=[]`), "M-002 [] [" + agnes + "] " + heron},
	} {
		r := s.do("PUT", "/v1/firms/file", step.body)
		if want := `{"id":"` + id + `","updated_at":"2024-03-01T12:00:00.000000Z","updated_by":"` + agnes + `"}`; r.status != 200 || strings.TrimSpace(string(r.body)) != want {
			t.Fatalf("%s: answer %d %s, want %s", step.name, r.status, r.body, want)
		}
		f := s.files("")[0]
		client := "none"
		if f.Client != nil {
			client = f.Client.ID
		}
		if got := fmt.Sprintln(f.Number, f.Tags, f.OtherSupervisors, client); got != step.want+"\n" {
			t.Errorf("%s: case is %s want %s", step.name, got, step.want)
		}
		if f.Name != "Åkerman v. Heron" || f.Active || f.User.ID != chloe || f.FileStatus.ID != closed || len(f.Components) != 1 {
			t.Errorf("%s: case is %+v", step.name, f)
		}
	}
	if n := created(snapshot(t, s.server), "M-001"); n != 1 {
		t.Errorf("the case is remembered under its first number %d times, want 1", n)
	}
}

func TestUpdateCaseAnswerBodies(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Answers: sandbox.Answers{UpdateCase: sandbox.BodyRecord, Folder: sandbox.BodyRecord}})
	made := decode[struct{ Files []file }](t, s.do("POST", "/v1/firms/folder", folder))
	got := decode[file](t, s.do("PUT", "/v1/firms/file", updateOf(made.Files[0].ID)))
	if got.Folder == nil || len(got.Folder.Files) != 2 || got.Folder.Files[1].Folder != nil || got.Name != "Åkerman v. Heron" {
		t.Errorf("record with folder: %+v", got)
	}
	empty := start(t, sandbox.Options{Answers: sandbox.Answers{UpdateCase: sandbox.BodyEmpty}})
	if r := empty.do("PUT", "/v1/firms/file", updateOf(empty.newCase())); r.status != 200 || len(r.body) != 0 {
		t.Errorf("answer %d %q, want 200 without body", r.status, r.body)
	}
}

func TestUpdateOfUnknownCaseIs404(t *testing.T) {
	t.Parallel()
	for _, any := range []bool{false, true} {
		s := start(t, sandbox.Options{AnyReference: any, Directory: small()})
		wantReasons(t, s.do("PUT", "/v1/firms/file", updateOf(stranger)), 404, "id: is not the id of a case")
	}
}

type markAnswer struct {
	ID, Message string
	Successful  bool
}

func TestUpdateTrademarkMergesMembers(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	first := edit(t, tmark, `notes="kept"`, `status="Filed"`, `application_date="2024-03-01T00:00:00Z"`)
	for _, body := range []string{first, edit(t, tmark, `status="Registered"`, `mark_text="HERON BLUE!"`)} {
		r := s.do("PUT", "/v1/firms/trademark", body)
		if got := decode[markAnswer](t, r); r.status != 200 || !got.Successful || got.ID != mark || got.Message == "" {
			t.Fatalf("answer %d %s", r.status, r.body)
		}
	}
	got := s.marks()[0]
	want := listedMark{ID: mark, MarkText: "HERON BLUE!", Updates: 2, Members: map[string]any{
		"id": mark, "registry_id": euipo, "mark_text": "HERON BLUE!", "application_number": "018/123", "notes": "kept", "status": "Registered",
		"application_date": "2024-03-01T00:00:00Z"}}
	delete(want.Members, "id")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trademark (-want +got):\n%s", diff)
	}
	if st := s.state(); st.Cases != 0 || st.Trademarks != 1 {
		t.Errorf("do_not_create_file: true left %d cases and %d updated trademarks, want 0 and 1", st.Cases, st.Trademarks)
	}
}

type listedMark struct {
	ID       string
	MarkText string `json:"mark_text"`
	Updates  int
	Members  map[string]any
	Goods    []goods `json:"good_and_services"`
}

type goods struct {
	ID       string
	Text     string
	Class    string `json:"search_class_id"`
	Language string `json:"language_id"`
}

func (s *service) marks() []listedMark {
	s.t.Helper()
	list := decode[struct{ Items []listedMark }](s.t, s.do("GET", "/v1/lists/trademarks", "")).Items
	for i := range list {
		if list[i].Goods == nil {
			s.t.Error("a mark without goods has null instead of an empty list")
		}
		if len(list[i].Goods) == 0 {
			list[i].Goods = nil
		}
	}
	return list
}

func TestUpdateTrademarkCreatesACaseUnlessToldNotTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, change string
		cases        int64
	}{
		{"absent", "do_not_create_file", 2}, {"false", "do_not_create_file=false", 2}, {"true", "do_not_create_file=true", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, sandbox.Options{})
			for range 2 {
				s.do("PUT", "/v1/firms/trademark", edit(t, tmark, c.change, `client_agent_id="`+heron+`"`))
			}
			st := s.state()
			if st.Cases != c.cases || st.Origins[sandbox.UpdateTrademark] != c.cases {
				t.Errorf("two updates made %d cases, want %d", st.Cases, c.cases)
			}
			for _, f := range s.files("") {
				if f.Number != "018/123" || f.Name != "HERON BLUE" || f.FileTemplate.ID != filing || f.Client.ID != heron || f.User.ID != agnes {
					t.Errorf("case %+v", f)
				}
			}
		})
	}
}

func TestGoodsWithoutIDAreNewEachTime(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	entry := func(id, text string) string {
		return fmt.Sprintf(`good_and_services=[{"id":%s,"language_id":"%s","text":"%s","search_class_id":"%s"}]`, id, english, text, class9)
	}
	for range 2 {
		s.do("PUT", "/v1/firms/trademark", edit(t, tmark, entry("null", "software")))
	}
	made := s.marks()[0].Goods
	if len(made) != 2 || made[0].ID == made[1].ID {
		t.Fatalf("two updates made %+v, want two entries", made)
	}
	if st := s.state(); len(st.Repeated) != 1 || st.Repeated[0].Kind != "goods_and_services" || st.Repeated[0].Count != 2 {
		t.Errorf("repeated %+v", st.Repeated)
	}
	s.do("PUT", "/v1/firms/trademark", edit(t, tmark, entry(`"`+strings.ToUpper(made[1].ID)+`"`, "hardware")))
	want := []goods{{made[0].ID, "software", class9, english}, {made[1].ID, "hardware", class9, english}}
	if diff := cmp.Diff(want, s.marks()[0].Goods); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	wantReasons(t, s.do("PUT", "/v1/firms/trademark", edit(t, tmark, entry(`"`+stranger+`"`, "x"))), 400,
		"good_and_services[0].id: "+stranger+" is not the id of an entry of this trademark")
	other := edit(t, tmark, entry(`"`+made[0].ID+`"`, "x"), `id="99000000-0000-4000-8000-000000000002"`)
	wantReasons(t, s.do("PUT", "/v1/firms/trademark", other), 400, "good_and_services[0].id: "+made[0].ID+" is not the id of an entry of this trademark")
}

func TestUnknownTrademark(t *testing.T) {
	t.Parallel()
	body := edit(t, tmark, `id="`+stranger+`"`)
	s := start(t, sandbox.Options{})
	r := s.do("PUT", "/v1/firms/trademark", body)
	if got := decode[markAnswer](t, r); r.status != 200 || got.Successful || got.ID != stranger || !strings.Contains(got.Message, stranger) {
		t.Errorf("answer %d %s", r.status, r.body)
	}
	s = start(t, sandbox.Options{AnyReference: true})
	if r := s.do("PUT", "/v1/firms/trademark", body); !decode[markAnswer](t, r).Successful {
		t.Errorf("any reference: answer %d %s", r.status, r.body)
	}
}

// TestPathsAreConfigurable also holds that a path with {id} must name the record that the body names.
func TestPathsAreConfigurable(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Paths: map[sandbox.Operation]string{sandbox.CreateCase: "/api/v1/cases", sandbox.UpdateCase: "/api/v1/cases/{id}", sandbox.UpdateTrademark: "/marks/{id}/update"}})
	made := decode[file](t, s.do("POST", "/api/v1/cases", caseA))
	if r := s.do("PUT", "/api/v1/cases/"+strings.ToUpper(made.ID), updateOf(made.ID)); r.status != 200 {
		t.Errorf("update by path: %d %s", r.status, r.body)
	}
	wantReasons(t, s.do("PUT", "/api/v1/cases/"+stranger, updateOf(made.ID)), 400, `id: is `+made.ID+`, but the path names "`+stranger+`"`)
	if r := s.do("PUT", "/marks/"+mark+"/update", tmark); r.status != 200 {
		t.Errorf("update by path: %d %s", r.status, r.body)
	}
	wantReasons(t, s.do("POST", "/v1/firms/file", caseA), 404, ": there is nothing at /v1/firms/file")
	wrong := s.do("PATCH", "/api/v1/cases", caseA)
	wantReasons(t, wrong, 405, ": PATCH is not allowed at /api/v1/cases; allowed: POST")
	if got := wrong.header.Get("Allow"); got != "POST" {
		t.Errorf("Allow is %q, want POST", got)
	}
	if _, err := sandbox.Open(sandbox.Options{Paths: map[sandbox.Operation]string{sandbox.UpdateCase: "/{id"}}); err == nil || !strings.Contains(err.Error(), "sandbox paths") {
		t.Errorf("a path that is none: %v", err)
	}
}
