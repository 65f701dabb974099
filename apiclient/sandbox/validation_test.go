package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
)

const longest = 254

func TestCreateCaseReasons(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"everything at once", `{"name":3,"active":"yes","file_template_id":"x","user_id":null,"client_id":"` + stranger + `","other_supervisors":[1,"` + ben + `","` + ben + `","` + akerman + `"],"extra":{}}`, []string{
			"name: must be a string, not a number",
			"number: is required",
			"active: must be a boolean, not a string",
			`file_template_id: "x" is not a GUID`,
			"user_id: must be a string, not null",
			"client_id: " + stranger + " is not the id of a known company of type Agent",
			"other_supervisors[0]: must be a string, not a number",
			"other_supervisors[3]: " + akerman + " is not the id of a known user",
			"extra: is not a member of this object",
		}},
		{"duplicate member", strings.Replace(caseA, "{", `{"name":"other",`, 1), []string{"name: occurs more than once"}},
		{"members differ by case", edit(t, caseA, "name", `Name="x"`), []string{"name: is required", "Name: is not a member of this object"}},
		{"unknown template", edit(t, caseA, `file_template_id="`+stranger+`"`), []string{"file_template_id: " + stranger + " is not the id of a known case template"}},
		{"a company that is no agent", edit(t, caseA, `client_id="`+carta+`"`), []string{"client_id: the company " + carta + " is not of type Agent"}},
		{"GUID in braces", edit(t, caseA, `user_id="{`+ben+`}"`), []string{`user_id: "{` + ben + `}" is not a GUID`}},
		{"GUID without hyphens", edit(t, caseA, `user_id="c00000000000400080000000000000021234"`), []string{`user_id: "c00000000000400080000000000000021234" is not a GUID`}},
		{"GUID with something behind it", edit(t, caseA, `user_id="`+ben+`0"`), []string{`user_id: "` + ben + `0" is not a GUID`}},
		{"client without owner fits neither variant", edit(t, caseB, `client_id="`+heron+`"`), []string{"user_id: is required"}},
		{"number as a number", edit(t, caseA, `number=7`), []string{"number: must be a string, not a number"}},
		{"array", `[]`, []string{": must be an object, not an array"}},
		{"empty", ` `, []string{": the body is empty"}},
		{"two values", caseA + caseA, []string{": the body has something after its JSON value"}},
		{"cut short", `{"name":`, []string{": the body is not JSON: unexpected EOF"}},
		{"not UTF-8", "{\"name\":\"\xff\"}", []string{": the body is not UTF-8"}},
		{"too deep", strings.Repeat(`[`, 99), []string{": the body is not JSON: nested deeper than 16 levels"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantReasons(t, s.do("POST", "/v1/firms/file", c.body), 400, c.want...)
		})
	}
	if st := s.state(); st.Cases != 0 {
		t.Errorf("refused requests made %d cases", st.Cases)
	}
}

func TestCreateFolderReasons(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	long := strings.Repeat("é", longest)
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"names of 254 characters and more bytes are fine", edit(t, folder, `name="`+long+`"`, `files=[{"name":"`+long+`","number":1}]`), nil},
		{"255 characters", edit(t, folder, `name="`+long+`x"`, `files=[{"name":"`+long+`x","number":1}]`), []string{
			"name: has 255 characters, at most 254 are allowed", "files[0].name: has 255 characters, at most 254 are allowed"}},
		{"number as text", edit(t, folder, `files=[{"name":"a","number":"1"}]`), []string{"files[0].number: must be a number, not a string"}},
		{"everything at once", `{"client_id":"` + stranger + `","files":[7,{"number":null,"user_id":"` + heron + `","file_status_id":"` + stranger + `","file_template_id":"","folder":1},{"name":"x"}]}`, []string{
			"name: is required",
			"client_id: " + stranger + " is not the id of a known company",
			"files[0]: must be an object, not a number",
			"files[1].name: is required",
			"files[1].number: must be a number, not null",
			"files[1].user_id: " + heron + " is not the id of a known user",
			"files[1].file_status_id: " + stranger + " is not the id of a known case status",
			`files[1].file_template_id: "" is not a GUID`,
			"files[1].folder: is not a member of this object",
			"files[2].number: is required",
		}},
		{"no files member", edit(t, folder, "files"), []string{"files: is required"}},
		{"no files", edit(t, folder, "files=[]"), nil},
		{"a client that is no agent is a client", edit(t, folder, `client_id="`+carta+`"`), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.do("POST", "/v1/firms/folder", c.body)
			if c.want == nil {
				if r.status != 201 {
					t.Errorf("answer %d %s, want 201", r.status, r.body)
				}
				return
			}
			wantReasons(t, r, 400, c.want...)
		})
	}
	if st := s.state(); st.Folders != 3 || st.Cases != 3 {
		t.Errorf("%d folders and %d cases, want 3 and 3", st.Folders, st.Cases)
	}
}

func TestUpdateCaseReasons(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	id := s.newCase()
	component := func(members string) string {
		return fmt.Sprintf(`components=[{"file_template_component_id":"%s","entity_id":"%s"},{%s}]`, examiner, ben, members)
	}
	the := func(id string) string { return `"file_template_component_id":"` + id + `"` }
	for _, c := range []struct {
		name   string
		change []string
		want   []string
	}{
		{"everything missing", []string{"name", "file_status_id", "file_client_id", "user_id", "components", "active"}, []string{
			"name: is required", "file_status_id: is required", "file_client_id: is required", "user_id: is required", "components: is required", "active: is required"}},
		{"active as text", []string{`active="true"`}, []string{"active: must be a boolean, not a string"}},
		{"client that is no agent", []string{`file_client_id="` + carta + `"`}, []string{"file_client_id: the company " + carta + " is not of type Agent"}},
		{"client of a wrong type", []string{`file_client_id=1`}, []string{"file_client_id: must be a string or null, not a number"}},
		{"unknown tag", []string{`tags=["` + stranger + `"]`}, []string{"tags[0]: " + stranger + " is not the id of a known tag"}},
		{"null tags", []string{`tags=null`}, []string{"tags: must be an array, not null"}},
		{"unknown status", []string{`file_status_id="` + stranger + `"`}, []string{"file_status_id: " + stranger + " is not the id of a known case status"}},
		{"required component missing", []string{`components=[]`}, []string{`components: the component "Examiner" (` + examiner + `) of the template is required and missing`}},
		{"foreign component", []string{component(the(stranger) + `,"value":"x"`)}, []string{"components[1].file_template_component_id: " + stranger + ` is not a component of the case's template "Trademark filing" (` + filing + `)`}},
		{"component without its id", []string{component(`"value":"x"`)}, []string{"components[1].file_template_component_id: is required"}},
		{"id in a component", []string{component(the(note) + `,"id":null`)}, []string{"components[1].id: is not a member of this object"}},
		{"entity and value", []string{component(the(note) + `,"value":"x","entity_id":"` + ben + `"`)}, []string{"components[1]: has entity_id and value; a component is either bound to an entity or holds a value"}},
		{"value for an entity", []string{component(the(offices) + `,"value":"x"`)}, []string{`components[1].value: the component "Offices" is bound to a registry; send entity_id`}},
		{"entity for a value", []string{component(the(note) + `,"entity_id":"` + ben + `"`)}, []string{`components[1].entity_id: the component "Docket note" is not bound to an entity; send value`}},
		{"unknown entity", []string{component(the(offices) + `,"entity_id":"` + ben + `"`)}, []string{"components[1].entity_id: " + ben + " is not the id of a known registry"}},
		{"null value", []string{component(the(note) + `,"value":null`)}, []string{"components[1].value: must be a string, not null"}},
		{"second value of a component that takes one", []string{component(the(examiner) + `,"entity_id":"` + agnes + `"`)}, []string{`components[1]: the component "Examiner" takes one value and is given a second`}},
		{"no date", []string{component(the(deadline) + `,"value":"2024-03-01"`)}, []string{`components[1].value: "2024-03-01" is not a value of type date-time, which the component "Next deadline" holds`}},
		{"no integer", []string{component(the(classes) + `,"value":"2.5"`)}, []string{`components[1].value: "2.5" is not a value of type integer, which the component "Number of classes" holds`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantReasons(t, s.do("PUT", "/v1/firms/file", edit(t, updateOf(id), c.change...)), 400, c.want...)
		})
	}
	if f := s.files("")[0]; f.Name != "Åkerman v. Blue" {
		t.Errorf("a refused update changed the case: %+v", f)
	}
	good := fmt.Sprintf(`components=[{"file_template_component_id":"%s","entity_id":"%s"},{"file_template_component_id":"%[3]s","entity_id":"%[4]s"},{"file_template_component_id":"%[3]s","entity_id":"f0000000-0000-4000-8000-000000000002"},
		{"file_template_component_id":"%[5]s","value":"-7"},{"file_template_component_id":"%[6]s","value":"2024-03-01T00:00:00Z"},{"file_template_component_id":"%[7]s"}]`, examiner, ben, offices, euipo, classes, deadline, note)
	if r := s.do("PUT", "/v1/firms/file", edit(t, updateOf(id), good)); r.status != 200 {
		t.Errorf("good components: answer %d %s", r.status, r.body)
	}
	if f := s.files("")[0]; len(f.Components) != 6 || f.Components[3]["value"] != "-7" {
		t.Errorf("components %+v", f.Components)
	}
}

func TestUpdateTrademarkReasons(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	for _, c := range []struct {
		name   string
		change []string
		want   []string
	}{
		{"required members", []string{"registry_id", "mark_text", "application_number"}, []string{"registry_id: is required", "mark_text: is required", "application_number: is required"}},
		{"id", []string{"id"}, []string{"id: is required"}},
		{"references", []string{`registry_id="` + stranger + `"`, `registration_type_id="` + stranger + `"`, `trademark_type_id="` + stranger + `"`, `client_agent_id="` + carta + `"`}, []string{
			"registry_id: " + stranger + " is not the id of a known registry",
			"client_agent_id: the company " + carta + " is not of type Agent",
			"registration_type_id: " + stranger + " is not the id of a known registration type",
			"trademark_type_id: " + stranger + " is not the id of a known trademark type",
		}},
		{"date without time", []string{`application_date="2024-03-01"`}, []string{`application_date: "2024-03-01" is not an ISO 8601 date in UTC such as 2024-03-01T00:00:00Z`}},
		{"date with a zone", []string{`grant_date="2024-03-01T00:00:00+01:00"`}, []string{`grant_date: "2024-03-01T00:00:00+01:00" is not an ISO 8601 date in UTC such as 2024-03-01T00:00:00Z`}},
		{"day that does not exist", []string{`expiry_date="2023-02-29T00:00:00Z"`}, []string{`expiry_date: "2023-02-29T00:00:00Z" is not an ISO 8601 date in UTC such as 2024-03-01T00:00:00Z`}},
		{"registration number as integer", []string{`registration_number=12`}, []string{"registration_number: must be a string, not a number"}},
		{"flag as text", []string{`do_not_create_file="true"`}, []string{"do_not_create_file: must be a boolean, not a string"}},
		{"null note", []string{`notes=null`}, []string{"notes: must be a string, not null"}},
		{"image", []string{`image_url="mark.png"`}, []string{`image_url: "mark.png" is not a URL that starts with http:// or https://`}},
		{"misspelled list", []string{`goods_and_services=[]`}, []string{"goods_and_services: is not a member of this object"}},
		{"entries", []string{`good_and_services=[{"id":7},{"language_id":"` + stranger + `","search_class_id":"` + stranger + `","text":1,"x":1,"id":"y"}]`}, []string{
			"good_and_services[0].id: must be a string or null, not a number",
			"good_and_services[0].language_id: is required", "good_and_services[0].text: is required", "good_and_services[0].search_class_id: is required",
			`good_and_services[1].id: "y" is not a GUID`,
			"good_and_services[1].language_id: " + stranger + " is not the id of a known language",
			"good_and_services[1].text: must be a string, not a number",
			"good_and_services[1].search_class_id: " + stranger + " is not the id of a known search class",
			"good_and_services[1].x: is not a member of this object",
		}},
		{"entry without id", []string{`good_and_services=[{"language_id":"` + english + `","text":"","search_class_id":"` + class9 + `"}]`}, []string{"good_and_services[0].id: is required"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantReasons(t, s.do("PUT", "/v1/firms/trademark", edit(t, tmark, c.change...)), 400, c.want...)
		})
	}
	full := edit(t, tmark, `application_date="2024-03-01T00:00:00Z"`, `registration_number="0012/A"`, `registration_date="2024-03-01T10:11:12.5Z"`,
		`status_date="2024-03-01T00:00:00Z"`, `mark_feature="Word"`, `status="Live"`, `registration_type_id="f1000000-0000-4000-8000-000000000001"`,
		`trademark_type_id="f2000000-0000-4000-8000-000000000001"`, `expiry_date="2034-03-01T00:00:00Z"`, `publication_date="2024-03-01T00:00:00Z"`,
		`declaration_date="2024-03-01T00:00:00Z"`, `office_action_date="2024-03-01T00:00:00Z"`, `final_office_action_date="2024-03-01T00:00:00Z"`,
		`grant_date="2024-02-29T00:00:00Z"`, `client_agent_id="`+heron+`"`, `publication_notes=""`, `image_url="https://firm.example/m.png"`, `notes="é"`)
	if r := s.do("PUT", "/v1/firms/trademark", full); r.status != 200 || !decode[markAnswer](t, r).Successful {
		t.Errorf("all members: answer %d %s", r.status, r.body)
	}
}

func TestRequestsAroundThePayload(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{})
	for _, c := range []struct {
		name, contentType, encoding, path, body string
		status                                  int
		want                                    []string
	}{
		{"charset is fine", "application/json; charset=utf-8", "", "", caseA, 201, nil},
		{"text", "text/plain", "", "", caseA, 400, []string{`Content-Type: must be application/json, not "text/plain"`}},
		{"none, and a reason in the payload", "", "", "", edit(t, caseA, "name"), 400, []string{`Content-Type: must be application/json, not ""`, "name: is required"}},
		{"compressed", "application/json", "gzip", "", caseA, 400, []string{`Content-Encoding: is "gzip"; bodies are not encoded`}},
		{"query", "application/json", "", "?dry=1", caseA, 400, []string{": no query parameters are defined for this operation"}},
		{"too large", "application/json", "", "", caseA + strings.Repeat(" ", 8<<20), 400, []string{": the body has more than 8388608 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := *s
			s.header = s.header.Clone()
			s.header["Content-Type"] = []string{c.contentType}
			if c.encoding != "" {
				s.header["Content-Encoding"] = []string{c.encoding}
			}
			r := s.do("POST", "/v1/firms/file"+c.path, c.body)
			if c.want == nil {
				if r.status != c.status {
					t.Errorf("answer %d %s", r.status, r.body)
				}
				return
			}
			wantReasons(t, r, c.status, c.want...)
		})
	}
}

func TestAnyReferenceStillChecksForm(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{AnyReference: true})
	r := s.do("POST", "/v1/firms/file", edit(t, caseA, `client_id="`+stranger+`"`))
	if r.status != 201 {
		t.Fatalf("answer %d %s", r.status, r.body)
	}
	if r := s.do("PUT", "/v1/firms/file", updateOf(decode[file](t, r).ID)); r.status != 200 {
		t.Errorf("update with components of an unknown template: %d %s", r.status, r.body)
	}
	if r := s.do("POST", "/v1/firms/folder", folder); r.status != 201 {
		t.Errorf("folder: %d %s", r.status, r.body)
	}
	wantReasons(t, s.do("POST", "/v1/firms/file", edit(t, caseA, `client_id="7"`)), 400, `client_id: "7" is not a GUID`)
}
