package payload

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/jsontext"
)

// The payloads with every member, as they go out without a switch.
const (
	fullCase   = `{"name":"Zoë & <Söhne>","number":"0012","active":true,"file_template_id":"t","user_id":"u","client_id":"c","other_supervisors":["a","b"]}`
	fullFolder = `{"name":"F","client_id":"c","files":[{"name":"1st","number":12.50,"user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":12345678901234567890}]}`
	fullUpdate = `{"id":"i","name":"n","file_status_id":"s","file_client_id":"c","tags":["t"],"other_supervisors":[],"user_id":"u","number":"7","components":[{"file_template_component_id":"x","entity_id":"e"},{"file_template_component_id":"y","value":"{\"a\":1}"}],"active":false}`
	fullMark   = `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A/1","application_date":"2024-03-01T00:00:00Z","registration_number":"0077","registration_date":"d1","status_date":"d2","mark_feature":"f","status":"s","registration_type_id":"rt","trademark_type_id":"tt","expiry_date":"d3","publication_date":"d4","declaration_date":"d5","office_action_date":"d6","final_office_action_date":"d7","grant_date":"d8","client_agent_id":"ca","publication_notes":"pn","good_and_services":[{"id":null,"language_id":"l","text":"t","search_class_id":"9"},{"id":"g","language_id":"l","text":"u","search_class_id":"35"}],"image_url":"https://x/y","notes":"no\ntes","do_not_create_file":true}`

	// The payloads with little more than what is required.
	aCase    = `{"name":"Acme","number":"0012","active":true,"file_template_id":"t","user_id":"u"}`
	anUpdate = `{"id":"i","name":"Acme","file_status_id":"s","file_client_id":null,"user_id":"u","components":[],"active":true}`
	aMark    = `{"id":"i","registry_id":"r","mark_text":"ACME","application_number":"A/1","do_not_create_file":true}`
)

func TestWhatIsMappedGoesOutByteForByte(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		op      Operation
		payload string
	}{
		{"create case with all members", CreateCase, fullCase},
		{"create case with required members only", CreateCase, `{"name":"","number":"","active":false,"file_template_id":"t","user_id":"u"}`},
		{"create case with null members", CreateCase, `{"name":"n","number":"1","active":false,"file_template_id":"t","user_id":"u","client_id":null,"other_supervisors":null}`},
		{"create folder with all members", CreateFolder, fullFolder},
		{"create folder without files", CreateFolder, `{"name":"F","client_id":"c","files":[]}`},
		{"update case with all members", UpdateCase, fullUpdate},
		{"update case with required members only", UpdateCase, `{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","components":[],"active":true}`},
		{"update trademark with all members", UpdateTrademark, fullMark},
		{"update trademark with required members only", UpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A"}`},
		{"update trademark with null members", UpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A","registration_number":null,"good_and_services":null,"do_not_create_file":null}`},
		{"characters that JSON must escape", CreateCase, `{"name":"\"\\\n\r\t\u0001 / \u007f` + "\u2028" + `😀","number":"","active":true,"file_template_id":"","user_id":""}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Encode(test.op, []byte(test.payload), Switches{})
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(test.payload, `\u007f`, "\x7f")
			if diff := cmp.Diff(want, string(p.Body)); diff != "" || p.Operation != test.op {
				t.Errorf("%s (-want +got):\n%s", p.Operation, diff)
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
		{"variant A is the default", CreateCase, fullCase, Switches{Variant: VariantA}, "", ""},
		{"variant B sends no client and no other supervisors", CreateCase, fullCase, Switches{Variant: VariantB}, `,"client_id":"c","other_supervisors":["a","b"]`, ``},
		{"variant B does without user", CreateCase, `{"name":"n","number":"1","active":true,"file_template_id":"t"}`, Switches{Variant: VariantB}, "", ""},
		{"folder file number as text", CreateFolder, fullFolder, Switches{FolderFileNumberAsText: true},
			`12.50,"user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":12345678901234567890`,
			`"12.50","user_id":"u","file_status_id":"s","file_template_id":"t"},{"name":"2nd","number":"12345678901234567890"`},
		{"active as text", UpdateCase, fullUpdate, Switches{ActiveAsText: true}, `"active":false`, `"active":"false"`},
		{"active stays boolean in create case", CreateCase, fullCase, Switches{ActiveAsText: true}, "", ""},
		{"component id omitted", UpdateCase, fullUpdate, Switches{ComponentID: ComponentIDOmit}, "", ""},
		{"registration number as integer", UpdateTrademark, strings.Replace(fullMark, `"0077"`, `"77123456789012345678"`, 1), Switches{RegistrationNumberAsInteger: true}, `"77123456789012345678"`, `77123456789012345678`},
		{"registration number given as integer goes out as text", UpdateTrademark, strings.Replace(fullMark, `"0077"`, `77`, 1), Switches{}, `_number":77`, `_number":"77"`},
		{"do_not_create_file omitted", UpdateTrademark, fullMark, Switches{OmitDoNotCreateFile: true}, `,"do_not_create_file":true`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Encode(test.op, []byte(test.payload), test.switches)
			if err != nil {
				t.Fatal(err)
			}
			if test.old != "" && !strings.Contains(test.payload, test.old) {
				t.Fatalf("%s is not in the payload", test.old)
			}
			if diff := cmp.Diff(strings.Replace(test.payload, test.old, test.new, 1), string(p.Body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What the switches have made of a payload is taken again, and stays as it is: the plan keeps it and the push reads it once more.
func TestWhatWasSpelledStays(t *testing.T) {
	t.Parallel()
	everything := Switches{Variant: VariantB, ActiveAsText: true, RegistrationNumberAsInteger: true, FolderFileNumberAsText: true,
		OmitDoNotCreateFile: true, ComponentID: ComponentIDSame}
	null := everything
	null.ComponentID = ComponentIDNull
	for _, switches := range []Switches{{}, everything, null} {
		for op, text := range map[Operation]string{CreateCase: fullCase, CreateFolder: fullFolder, UpdateCase: fullUpdate,
			UpdateTrademark: strings.Replace(fullMark, `"0077"`, `"77"`, 1)} {
			once, err := Encode(op, []byte(text), switches)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := Encode(op, once.Body, switches)
			if diff := cmp.Diff(once, twice); diff != "" || err != nil {
				t.Errorf("%s %+v: %v\n%s", op, switches, err, diff)
			}
		}
	}
}

func TestComponentIDSwitch(t *testing.T) {
	t.Parallel()
	text := strings.Replace(anUpdate, `"components":[]`, `"components":[{"file_template_component_id":"x","value":"v"},{"file_template_component_id":"y","entity_id":"e"}]`, 1)
	for choice, want := range map[ComponentID]string{
		"":              `[{"file_template_component_id":"x","value":"v"},{"file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDOmit: `[{"file_template_component_id":"x","value":"v"},{"file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDSame: `[{"id":"x","file_template_component_id":"x","value":"v"},{"id":"y","file_template_component_id":"y","entity_id":"e"}]`,
		ComponentIDNull: `[{"id":null,"file_template_component_id":"x","value":"v"},{"id":null,"file_template_component_id":"y","entity_id":"e"}]`,
	} {
		p, err := Encode(UpdateCase, []byte(text), Switches{ComponentID: choice})
		if err != nil || !strings.Contains(string(p.Body), `"components":`+want+`,"active"`) {
			t.Errorf("%q: %s %v", choice, p.Body, err)
		}
	}
}

func TestEncodeRefusesWhatItCannotSpell(t *testing.T) {
	t.Parallel()
	text := func(text string) string { return string(jsontext.AppendString(nil, text)) }
	folder := func(name string, numbers ...string) string {
		files := make([]string, len(numbers))
		for n, number := range numbers {
			files[n] = `{"name":` + text(name) + `,"number":` + text(number) + `}`
		}
		return `{"name":` + text(name) + `,"client_id":"c","files":[` + strings.Join(files, ",") + `]}`
	}
	mark := func(number string) string {
		return strings.Replace(aMark, `"A/1"`, `"A/1","registration_number":`+number, 1)
	}
	integer := Switches{RegistrationNumberAsInteger: true}
	without := func(payload, what string) string { return strings.Replace(payload, what, "", 1) }
	tests := []struct {
		name     string
		op       Operation
		payload  string
		switches Switches
		fields   []string
	}{
		{"leading zeros, references, exponents, signs and blanks are no numbers", CreateFolder, folder("F", "0012", "TM-7/2024", "1E5", "+1", " 1", "1.", ".5", "", "-", "0x1", "１"), Switches{},
			[]string{"files[0].number", "files[1].number", "files[2].number", "files[3].number", "files[4].number", "files[5].number", "files[6].number", "files[7].number", "files[8].number", "files[9].number", "files[10].number"}},
		{"numbers are numbers", CreateFolder, folder("F", "0", "7", "-7", "12.50", "0.0", "98765432109876543210"), Switches{}, nil},
		{"as text anything goes", CreateFolder, folder("F", "0012", "TM-7/2024", ""), Switches{FolderFileNumberAsText: true}, nil},
		{"registration number with leading zeros as integer", UpdateTrademark, mark(`"0077"`), integer, []string{"registration_number"}},
		{"registration number with a fraction as integer", UpdateTrademark, mark(`"77.0"`), integer, []string{"registration_number"}},
		{"registration number with letters as integer", UpdateTrademark, mark(`"UK77"`), integer, []string{"registration_number"}},
		{"registration number null as integer", UpdateTrademark, mark(`null`), integer, nil},
		{"255 characters", CreateFolder, folder(strings.Repeat("ä", 255), "1"), Switches{}, []string{"name", "files[0].name"}},
		{"254 characters of several bytes", CreateFolder, folder(strings.Repeat("😀", 254), "1"), Switches{}, nil},
		{"other names have no limit", CreateCase, strings.Replace(aCase, "Acme", strings.Repeat("x", 300), 1), Switches{}, nil},
		{"variant A without user", CreateCase, without(aCase, `,"user_id":"u"`), Switches{}, []string{"user_id"}},
		{"variant A with user null", CreateCase, strings.Replace(aCase, `"u"`, "null", 1), Switches{}, []string{"user_id"}},
		{"variant B without user", CreateCase, without(aCase, `,"user_id":"u"`), Switches{Variant: VariantB}, nil},
		{"an update of nothing", UpdateCase, strings.Replace(anUpdate, `"i"`, `""`, 1), Switches{}, []string{"id"}},
		{"an update of the folder above", UpdateTrademark, strings.Replace(aMark, `"i"`, `".."`, 1), Switches{}, []string{"id"}},
		{"active as text where the switch asks for a boolean", UpdateCase, strings.Replace(anUpdate, "true", `"true"`, 1), Switches{}, []string{"active"}},
		{"a component's id where no switch asks for one", UpdateCase, strings.Replace(anUpdate, "[]", `[{"id":"x","file_template_component_id":"x"}]`, 1), Switches{}, []string{"components[0].id"}},
		{"a component's id that is another's", UpdateCase, strings.Replace(anUpdate, "[]", `[{"id":"y","file_template_component_id":"x"}]`, 1), Switches{ComponentID: ComponentIDSame}, []string{"components[0].id"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Encode(test.op, []byte(test.payload), test.switches)
			var problem *Error
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

func TestEncodeReadsStrictly(t *testing.T) {
	t.Parallel()
	const base = `"name":"n","number":"1","active":true,"file_template_id":"t","user_id":"u"`
	tests := []struct {
		name    string
		op      Operation
		payload string
		want    string
	}{
		{"unknown member", CreateCase, `{` + base + `,"colour":"red"}`, "colour is not a field of this operation"},
		{"member in other letters", CreateCase, `{"Name":"n","number":"1","active":true,"file_template_id":"t","user_id":"u"}`, "name is missing; Name is not a field of this operation"},
		{"member of another operation", CreateCase, `{` + base + `,"id":"i"}`, "id is not a field of this operation"},
		{"member twice", CreateCase, `{` + base + `,"name":"m"}`, "name is there twice"},
		{"member spelled with an escape", CreateCase, `{"n\u0061me":"n","number":"1","active":true,"file_template_id":"t","user_id":"u"}`, `name is missing; n\u0061me is not a field of this operation`},
		{"white space anywhere", CreateCase, " {\n\"name\" : \"n\" ,\t\"number\":\"1\",\"active\":\r\n\"x\" , \"file_template_id\":\"t\", \"user_id\":\"u\", \"other_supervisors\" : [ \"a\" , 2 ] } ",
			"active must be true or false, not \"x\"; other_supervisors item 2 must be text, not 2"},
		{"required member null", CreateCase, `{"name":null,"number":"1","active":null,"file_template_id":"t","user_id":"u"}`, "name must be text, not null; active must be true or false, not null"},
		{"all problems at once", CreateCase, `{"number":1,"active":"true","user_id":7,"other_supervisors":["a",2]}`,
			"name is missing; number must be text, not 1; active must be true or false, not \"true\"; file_template_id is missing; user_id must be text, not 7; other_supervisors item 2 must be text, not 2"},
		{"null in a list", CreateCase, `{` + base + `,"other_supervisors":[null]}`, "other_supervisors item 1 must be text, not null"},
		{"not a list", CreateCase, `{` + base + `,"other_supervisors":{}}`, "other_supervisors must be a list of texts, not {}"},
		{"inside a list of objects", CreateFolder, `{"name":"n","client_id":"c","files":[{"name":"a","number":1},{"name":"b","number":true,"x":1},3,null]}`,
			"files[1].number must be a number or text, not true; files[1].x is not a field of this operation; files[2] is not a JSON object; files[3] is not a JSON object"},
		{"files null", CreateFolder, `{"name":"n","client_id":"c","files":null}`, "files must be a list of objects, not null"},
		{"file_client_id missing", UpdateCase, `{"id":"i","name":"n","file_status_id":"s","user_id":"u","components":[],"active":true}`, "file_client_id is missing"},
		{"components missing", UpdateCase, `{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","active":true}`, "components is missing"},
		{"entry id missing", UpdateTrademark, `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A","good_and_services":[{"language_id":"l","text":"t","search_class_id":"s"}]}`, "good_and_services[0].id is missing"},
		{"something after the object", CreateCase, `{` + base + `} {}`, "is not JSON: invalid character '{' after top-level value"},
		{"cut off", CreateCase, `{"name":"n"`, "is not JSON: unexpected end of JSON input"},
		{"not an object", CreateCase, `[]`, "is not a JSON object"},
		{"empty", CreateCase, ``, "is not JSON: unexpected end of JSON input"},
		{"not UTF-8", CreateCase, "{\"name\":\"\xff\"}", "is not valid UTF-8"},
		{"half a surrogate pair", CreateCase, `{"name":"\ud83d","number":"1","active":true,"file_template_id":"t","user_id":"u"}`, `name holds half of a surrogate pair: "\ud83d"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Encode(test.op, []byte(test.payload), Switches{})
			if want := string(test.op) + " payload: " + test.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	if _, err := Encode("delete_case", []byte(`{}`), Switches{}); err == nil {
		t.Error("an unknown operation was encoded")
	}
}

func TestCreates(t *testing.T) {
	t.Parallel()
	goods := func(ids ...string) string {
		for n, id := range ids {
			ids[n] = `{"id":` + id + `,"language_id":"l","text":"t","search_class_id":"9"}`
		}
		return strings.Replace(aMark, `"do_not`, `"good_and_services":[`+strings.Join(ids, ",")+`],"do_not`, 1)
	}
	file := func(value string) string { return strings.Replace(aMark, ":true", ":"+value, 1) }
	tests := []struct {
		name     string
		op       Operation
		payload  string
		switches Switches
		want     Creation
	}{
		{"create case", CreateCase, aCase, Switches{}, Creation{Record: true}},
		{"create folder", CreateFolder, fullFolder, Switches{}, Creation{Record: true}},
		{"update case", UpdateCase, anUpdate, Switches{}, Creation{}},
		{"update trademark that creates no case", UpdateTrademark, aMark, Switches{}, Creation{}},
		{"update trademark that does not say", UpdateTrademark, strings.Replace(aMark, `,"do_not_create_file":true`, "", 1), Switches{}, Creation{Case: true}},
		{"update trademark that may create a case", UpdateTrademark, file("false"), Switches{}, Creation{Case: true}},
		{"update trademark with do_not_create_file null", UpdateTrademark, file("null"), Switches{}, Creation{Case: true}},
		{"update trademark whose do_not_create_file is not sent", UpdateTrademark, aMark, Switches{OmitDoNotCreateFile: true}, Creation{Case: true}},
		{"a text that looks like the field", UpdateTrademark, strings.Replace(file("false"), `"ACME"`, `"\"do_not_create_file\":true"`, 1), Switches{}, Creation{Case: true}},
		{"entries with ids", UpdateTrademark, goods(`"g"`), Switches{}, Creation{}},
		{"an entry without id", UpdateTrademark, goods(`"g"`, "null"), Switches{}, Creation{Entries: true}},
		{"entries without ids and a case", UpdateTrademark, goods("null"), Switches{OmitDoNotCreateFile: true}, Creation{Entries: true, Case: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Encode(test.op, []byte(test.payload), test.switches)
			if got := p.Creates(); got != test.want || err != nil {
				t.Errorf("got %+v %v", got, err)
			}
		})
	}
}

// TestEncodedRefusesWhatIsNoObject shows that stored bytes that are no JSON object do not go out.
func TestEncodedRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", `"x"`, "null", `{"name":`, `{"name":"A"} x`} {
		if p, err := Encoded(CreateCase, []byte(text)); err == nil {
			t.Errorf("%q was taken as %s", text, p.Body)
		}
	}
	if p, err := Encoded(UpdateCase, []byte(` {"id":"7"}`)); err != nil || p.ID != "7" {
		t.Errorf("%q, %v", p.ID, err)
	}
}
