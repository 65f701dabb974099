package apiclient

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The payloads with every member, as they go out without a switch.
const (
	fullCase   = `{"name":"Zoë & <Söhne>","number":"0012","active":true,"file_template_id":"t","user_id":"u","client_id":"c","other_supervisors":["a","b"]}`
	fullFolder = `{"name":"F","client_id":"c","files":[{"name":"1st","number":12.50,"user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":12345678901234567890}]}`
	fullUpdate = `{"id":"i","name":"n","file_status_id":"s","file_client_id":"c","tags":["t"],"other_supervisors":[],"user_id":"u","number":"7","components":[{"file_template_component_id":"x","entity_id":"e"},{"file_template_component_id":"y","value":"{\"a\":1}"}],"active":false}`
	fullMark   = `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A/1","application_date":"2024-03-01T00:00:00Z","registration_number":"0077","registration_date":"d1","status_date":"d2","mark_feature":"f","status":"s","registration_type_id":"rt","trademark_type_id":"tt","expiry_date":"d3","publication_date":"d4","declaration_date":"d5","office_action_date":"d6","final_office_action_date":"d7","grant_date":"d8","client_agent_id":"ca","publication_notes":"pn","good_and_services":[{"id":null,"language_id":"l","text":"t","search_class_id":"9"},{"id":"g","language_id":"l","text":"u","search_class_id":"35"}],"image_url":"https://x/y","notes":"no\ntes","do_not_create_file":true}`
)

func TestDecodeThenEncodeGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		op      Operation
		payload string
	}{
		{"create case with all members", OpCreateCase, fullCase},
		{"create case with required members only", OpCreateCase, `{"name":"","number":"","active":false,"file_template_id":"t","user_id":"u"}`},
		{"create case with null members", OpCreateCase, `{"name":"n","number":"1","active":false,"file_template_id":"t","user_id":"u","client_id":null,"other_supervisors":null}`},
		{"create folder with all members", OpCreateFolder, fullFolder},
		{"create folder without files", OpCreateFolder, `{"name":"F","client_id":"c","files":[]}`},
		{"update case with all members", OpUpdateCase, fullUpdate},
		{"update case with required members only", OpUpdateCase, `{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","components":[],"active":true}`},
		{"update trademark with all members", OpUpdateTrademark, fullMark},
		{"update trademark with required members only", OpUpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A"}`},
		{"update trademark with null members", OpUpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A","registration_number":null,"good_and_services":null,"do_not_create_file":null}`},
		{"characters that JSON must escape", OpCreateCase, `{"name":"\"\\\n\r\t\u0001 / \u007f` + "\u2028" + `😀","number":"","active":true,"file_template_id":"","user_id":""}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Decode(test.op, []byte(test.payload))
			if err != nil {
				t.Fatal(err)
			}
			body, err := Encode(p, Switches{})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(test.payload, `\u007f`, "\x7f")
			if diff := cmp.Diff(want, string(body)); diff != "" || p.Operation() != test.op {
				t.Errorf("%s (-want +got):\n%s", p.Operation(), diff)
			}
		})
	}
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		op       Operation
		payload  string
		switches Switches
		old, new string // what the switch changes in the payload
	}{
		{"variant A is the default", OpCreateCase, fullCase, Switches{Variant: VariantA}, "", ""},
		{"variant B sends no client and no other supervisors", OpCreateCase, fullCase, Switches{Variant: VariantB}, `,"client_id":"c","other_supervisors":["a","b"]`, ``},
		{"variant B does without user", OpCreateCase, `{"name":"n","number":"1","active":true,"file_template_id":"t"}`, Switches{Variant: VariantB}, "", ""},
		{"folder file number as text", OpCreateFolder, fullFolder, Switches{FolderFileNumberAsText: true},
			`12.50,"user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":12345678901234567890`,
			`"12.50","user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":"12345678901234567890"`},
		{"active as text", OpUpdateCase, fullUpdate, Switches{ActiveAsText: true}, `"active":false`, `"active":"false"`},
		{"active stays boolean in create case", OpCreateCase, fullCase, Switches{ActiveAsText: true}, "", ""},
		{"component id omitted", OpUpdateCase, fullUpdate, Switches{ComponentID: ComponentIDOmit}, "", ""},
		{"registration number as integer", OpUpdateTrademark, strings.Replace(fullMark, `"0077"`, `"77123456789012345678"`, 1), Switches{RegistrationNumberAsInteger: true}, `"77123456789012345678"`, `77123456789012345678`},
		{"registration number given as integer goes out as text", OpUpdateTrademark, strings.Replace(fullMark, `"0077"`, `77`, 1), Switches{}, `_number":77`, `_number":"77"`},
		{"do_not_create_file omitted", OpUpdateTrademark, fullMark, Switches{OmitDoNotCreateFile: true}, `,"do_not_create_file":true`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Decode(test.op, []byte(test.payload))
			if err != nil {
				t.Fatal(err)
			}
			body, err := Encode(p, test.switches)
			if err != nil {
				t.Fatal(err)
			}
			if test.old != "" && !strings.Contains(test.payload, test.old) {
				t.Fatalf("%s is not in the payload", test.old)
			}
			if diff := cmp.Diff(strings.Replace(test.payload, test.old, test.new, 1), string(body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestComponentIDSwitch(t *testing.T) {
	t.Parallel()
	update := anUpdate()
	update.Components = []Component{{FileTemplateComponentID: "x", Value: Some("v")}, {FileTemplateComponentID: "y", EntityID: Some("e")}}
	for choice, want := range map[ComponentID]string{
		"":              `[{"file_template_component_id":"x","value":"v"},{"file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDOmit: `[{"file_template_component_id":"x","value":"v"},{"file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDSame: `[{"id":"x","file_template_component_id":"x","value":"v"},{"id":"y","file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDNull: `[{"id":null,"file_template_component_id":"x","value":"v"},{"id":null,"file_template_component_id":"y","entity_id":"e"}]`,
	} {
		body, err := Encode(update, Switches{ComponentID: choice})
		if err != nil || !strings.Contains(string(body), `"components":`+want+`,"active"`) {
			t.Errorf("%q: %s %v", choice, body, err)
		}
	}
}

func TestEncodeRefusesWhatItCannotExpress(t *testing.T) {
	t.Parallel()
	folder := func(numbers ...Number) *CreateFolder {
		p := &CreateFolder{Name: "F"}
		for _, number := range numbers {
			p.Files = append(p.Files, FolderFile{Number: number})
		}
		return p
	}
	mark := func(number Number) *UpdateTrademark {
		return &UpdateTrademark{ID: "i", RegistrationNumber: Some(number)}
	}
	integer := Switches{RegistrationNumberAsInteger: true}
	tests := []struct {
		name     string
		payload  Payload
		switches Switches
		fields   []string
	}{
		{"leading zeros, references, exponents, signs and blanks are no numbers", folder("0012", "TM-7/2024", "1E5", "+1", " 1", "1.", ".5", "", "-", "0x1", "１"), Switches{},
			[]string{"files[0].number", "files[1].number", "files[2].number", "files[3].number", "files[4].number", "files[5].number", "files[6].number", "files[7].number", "files[8].number", "files[9].number", "files[10].number"}},
		{"numbers are numbers", folder("0", "7", "-7", "12.50", "0.0", "98765432109876543210"), Switches{}, nil},
		{"as text anything goes", folder("0012", "TM-7/2024", ""), Switches{FolderFileNumberAsText: true}, nil},
		{"registration number with leading zeros as integer", mark("0077"), integer, []string{"registration_number"}},
		{"registration number with a fraction as integer", mark("77.0"), integer, []string{"registration_number"}},
		{"registration number with letters as integer", mark("UK77"), integer, []string{"registration_number"}},
		{"registration number null as integer", &UpdateTrademark{ID: "i", RegistrationNumber: Null[Number]()}, integer, nil},
		{"255 characters", &CreateFolder{Name: strings.Repeat("ä", 255), Files: []FolderFile{{Name: strings.Repeat("x", 255), Number: "1"}}}, Switches{}, []string{"name", "files[0].name"}},
		{"254 characters of several bytes", &CreateFolder{Name: strings.Repeat("漢", 254), Files: []FolderFile{{Name: strings.Repeat("😀", 254), Number: "1"}}}, Switches{}, nil},
		{"other names have no limit", &CreateCase{Name: strings.Repeat("x", 300), UserID: Some("u")}, Switches{}, nil},
		{"variant A without user", &CreateCase{}, Switches{}, []string{"user_id"}},
		{"variant A with user null", &CreateCase{UserID: Null[string]()}, Switches{}, []string{"user_id"}},
		{"variant B without user", &CreateCase{}, Switches{Variant: VariantB}, nil},
		{"an update of nothing", &UpdateCase{}, Switches{}, []string{"id"}},
		{"an update of the folder above", &UpdateTrademark{ID: ".."}, Switches{}, []string{"id"}},
		{"text that is not UTF-8", &UpdateCase{ID: "i", Name: "\xff", Tags: Some([]string{"\xff"}), Components: []Component{{Value: Some("\xc3")}}}, Switches{}, []string{"name", "tags", "components[0].value"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Encode(test.payload, test.switches)
			var problem *PayloadError
			var fields []string
			if errors.As(err, &problem) {
				for _, field := range problem.Fields {
					fields = append(fields, field.Field)
				}
			}
			if diff := cmp.Diff(test.fields, fields); diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAlwaysPresentMembers(t *testing.T) {
	t.Parallel()
	update, _ := Encode(&UpdateCase{ID: "i"}, Switches{})
	if want := `{"id":"i","name":"","file_status_id":"","file_client_id":null,"user_id":"","components":[],"active":false}`; string(update) != want {
		t.Errorf("update case is %s", update)
	}
	folder, _ := Encode(&CreateFolder{}, Switches{})
	if want := `{"name":"","client_id":"","files":[]}`; string(folder) != want {
		t.Errorf("create folder is %s", folder)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	t.Parallel()
	const base = `"name":"n","number":"1","active":true,"file_template_id":"t"`
	tests := []struct {
		name    string
		op      Operation
		payload string
		want    string
	}{
		{"unknown member", OpCreateCase, `{` + base + `,"colour":"red"}`, "colour is no member that interface.md lists here"},
		{"member in other letters", OpCreateCase, `{"Name":"n","number":"1","active":true,"file_template_id":"t"}`, "name is missing; Name is no member that interface.md lists here"},
		{"member of another operation", OpCreateCase, `{` + base + `,"id":"i"}`, "id is no member that interface.md lists here"},
		{"member twice", OpCreateCase, `{` + base + `,"name":"m"}`, "name is there twice"},
		{"member spelled with an escape", OpCreateCase, `{"n\u0061me":"n","number":"1","active":true,"file_template_id":"t"}`, `name is missing; n\u0061me is no member that interface.md lists here`},
		{"white space anywhere", OpCreateCase, " {\n\"name\" : \"n\" ,\t\"number\":\"1\",\"active\":\r\n\"x\" , \"file_template_id\":\"t\", \"other_supervisors\" : [ \"a\" , 2 ] } ",
			"active must be true or false, not \"x\"; other_supervisors item 2 must be text, not 2"},
		{"required member null", OpCreateCase, `{"name":null,"number":"1","active":null,"file_template_id":"t"}`, "name must be text, not null; active must be true or false, not null"},
		{"all problems at once", OpCreateCase, `{"number":1,"active":"true","user_id":7,"other_supervisors":["a",2]}`,
			"name is missing; number must be text, not 1; active must be true or false, not \"true\"; file_template_id is missing; user_id must be text, not 7; other_supervisors item 2 must be text, not 2"},
		{"null in a list", OpCreateCase, `{` + base + `,"other_supervisors":[null]}`, "other_supervisors item 1 must be text, not null"},
		{"not a list", OpCreateCase, `{` + base + `,"other_supervisors":{}}`, "other_supervisors must be a list of texts, not {}"},
		{"inside a list of objects", OpCreateFolder, `{"name":"n","client_id":"c","files":[{"name":"a","number":1},{"name":"b","number":true,"x":1},3,null]}`,
			"files[1].number must be a number or text, not true; files[1].x is no member that interface.md lists here; files[2] is not a JSON object; files[3] is not a JSON object"},
		{"files null", OpCreateFolder, `{"name":"n","client_id":"c","files":null}`, "files must be a list of objects, not null"},
		{"file_client_id missing", OpUpdateCase, `{"id":"i","name":"n","file_status_id":"s","user_id":"u","components":[],"active":true}`, "file_client_id is missing"},
		{"components missing", OpUpdateCase, `{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","active":true}`, "components is missing"},
		{"entry id missing", OpUpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A","good_and_services":[{"language_id":"l","text":"t","search_class_id":"s"}]}`, "good_and_services[0].id is missing"},
		{"something after the object", OpCreateCase, `{` + base + `} {}`, "is not JSON: invalid character '{' after top-level value"},
		{"cut off", OpCreateCase, `{"name":"n"`, "is not JSON: unexpected end of JSON input"},
		{"not an object", OpCreateCase, `[]`, "is not a JSON object"},
		{"empty", OpCreateCase, ``, "is not JSON: unexpected end of JSON input"},
		{"not UTF-8", OpCreateCase, "{\"name\":\"\xff\"}", "is not valid UTF-8"},
		{"half a surrogate pair", OpCreateCase, `{"name":"\ud83d","number":"1","active":true,"file_template_id":"t"}`, `name holds half of a surrogate pair: "\ud83d"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Decode(test.op, []byte(test.payload))
			if want := string(test.op) + " payload: " + test.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	if _, err := Decode("delete_case", []byte(`{}`)); err == nil {
		t.Error("an unknown operation was decoded")
	}
}

func TestRepeatable(t *testing.T) {
	t.Parallel()
	id := "g"
	entries := func(ids ...*string) Optional[[]GoodsAndServices] {
		var list []GoodsAndServices
		for _, id := range ids {
			list = append(list, GoodsAndServices{ID: id})
		}
		return Some(list)
	}
	tests := []struct {
		name     string
		payload  Payload
		switches Switches
		want     bool
	}{
		{"create case", aCase(), Switches{}, false},
		{"create folder", aFolder(), Switches{}, false},
		{"update case", anUpdate(), Switches{}, true},
		{"update trademark that creates no case", aMark(), Switches{}, true},
		{"update trademark that does not say", &UpdateTrademark{}, Switches{}, false},
		{"update trademark that may create a case", &UpdateTrademark{DoNotCreateFile: Some(false)}, Switches{}, false},
		{"update trademark with do_not_create_file null", &UpdateTrademark{DoNotCreateFile: Null[bool]()}, Switches{}, false},
		{"update trademark whose do_not_create_file is not sent", aMark(), Switches{OmitDoNotCreateFile: true}, false},
		{"entries with ids", &UpdateTrademark{DoNotCreateFile: Some(true), GoodAndServices: entries(&id)}, Switches{}, true},
		{"an entry without id", &UpdateTrademark{DoNotCreateFile: Some(true), GoodAndServices: entries(&id, nil)}, Switches{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Repeatable(test.payload, test.switches); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
