package payload

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWalk(t *testing.T) {
	t.Parallel()
	values, err := Walk([]byte(`{"name":"a\"b\u00e9","number":12.50,"active":true,"client":null,"tags":[],"o":{ },
		"files":[{"name":"x"},{"number":"7"}],"list":["p","q"]}`))
	var lines []string
	for _, v := range values {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%v", v.Path, v.Field(), v, v.Literal))
	}
	want := []string{`name|name|a"bé|false`, "number|number|12.50|true", "active|active|true|true", "client|client|null|true", "tags|tags|[]|true",
		"o|o|{}|true", "files[0].name|files.name|x|false", "files[1].number|files.number|7|false", "list[0]|list|p|false", "list[1]|list|q|false"}
	if diff := cmp.Diff(want, lines); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, wrong := range map[string]bool{"": false, "{}": false, `{"a":`: true, `[1]`: true} {
		if values, err := Walk([]byte(text)); len(values) != 0 || (err != nil) != wrong {
			t.Errorf("%q gives %v, %v", text, values, err)
		}
	}
}

func TestOneField(t *testing.T) {
	t.Parallel()
	text := []byte(`{"name":"N","number":12.50,"active": true ,"client":null,"tags":["x"]}`)
	for field, want := range map[string]string{"name": "N", "number": "12.50", "active": "", "client": "", "tags": "", "mark_text": ""} {
		if got := Text(text, field); got != want {
			t.Errorf("%s is %q", field, got)
		}
	}
	for payload, want := range map[string]string{string(text): "N", `{"mark_text":"M"}`: "M", `{"name":"","mark_text":"M"}`: "M", `{}`: "", ``: ""} {
		if got := Title([]byte(payload)); got != want {
			t.Errorf("%s is called %q", payload, got)
		}
	}
	replaced, err := Replace(text, "active", "false")
	if want := strings.Replace(string(text), "true", "false", 1); string(replaced) != want || err != nil {
		t.Errorf("replaced %s %v", replaced, err)
	}
	if _, err := Replace([]byte(`{"a":{"active":true}}`), "active", "false"); err == nil {
		t.Error("a field was replaced that is not there")
	}
}

func TestReplaceChangesNothingElse(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"id":"x","name":"\"active\":true","active":true,"number":"00123"}`: `{"id":"x","name":"\"active\":true","active":false,"number":"00123"}`,
		`{"components":[{"active":true}],"active": false}`:                   `{"components":[{"active":true}],"active": false}`,
		`{"active":true}`: `{"active":false}`,
	} {
		got, err := Replace([]byte(payload), "active", "false")
		if err != nil || string(got) != want {
			t.Errorf("%s became %s (%v), want %s", payload, got, err, want)
		}
	}
}

func TestComponents(t *testing.T) {
	t.Parallel()
	got, err := Components([]byte(`{"components":[{"file_template_component_id":"x","entity_id":"e","value":null},{"file_template_component_id":"y","value":"v"},{"file_template_component_id":"z"}]}`))
	if diff := cmp.Diff([]Component{{"x", true, "e"}, {"y", false, "v"}, {"z", false, ""}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, bad := range []string{`{"components":7}`, `{"components":[7]}`, `{"components":`} {
		if _, err := Components([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	const first, second = `{"id":null,"language_id":"l","text":"a \"b\"","search_class_id":"9"}`, `{"id":"g","language_id":"l","text":"u","search_class_id":"35"}`
	for _, around := range [][2]string{{`{"id":"i",`, `,"notes":"n"}`}, {`{`, `,"notes":"n"}`}, {`{"id":"i",`, `}`}, {`{`, `}`}} {
		whole := around[0] + `"good_and_services":[` + first + `,` + second + `]` + around[1]
		entries, err := Entries([]byte(whole))
		if err != nil || len(entries) != 2 || !entries[0].New() || entries[1].New() || entries[0].Text != `a "b"` || entries[1].Class != "35" || entries[1].Language != "l" {
			t.Fatalf("%+v %v", entries, err)
		}
		one, err := WithEntries([]byte(whole), entries[1:])
		if want := strings.Replace(whole, first+",", "", 1); string(one) != want || err != nil {
			t.Errorf("with one entry %s %v", one, err)
		}
		none, err := WithEntries([]byte(whole), nil)
		want := strings.Replace(strings.TrimSuffix(around[0], ",")+around[1], "{,", "{", 1)
		if string(none) != want || err != nil {
			t.Errorf("without entries %s %v", none, err)
		}
	}
	if entries, err := Entries([]byte(`{"good_and_services":null}`)); len(entries) != 0 || err != nil {
		t.Error(entries, err)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		op          Operation
		before, now string
		want        string
	}{
		{"values in the order of the new payload, those that are gone at the end", UpdateCase, `{"name":"a","gone":"x","tags":["t"]}`, `{"new":7,"name":"b","tags":["t"]}`,
			`[{"field":"new","old":null,"new":"7"},{"field":"name","old":"a","new":"b"},{"field":"gone","old":"x","new":null}]`},
		{"a number is not the text of its digits", UpdateCase, `{"number":"7"}`, `{"number":7}`, `[{"field":"number","old":"7","new":"7"}]`},
		{"of a trademark stays what is gone, unless it was null", UpdateTrademark, `{"notes":"n","status":null}`, `{}`,
			`[{"field":"notes","old":"n","new":null,"stays_in_service":true},{"field":"status","old":"null","new":null}]`},
		{"everything is new to an empty payload", CreateCase, ``, `{"name":"a"}`, `[{"field":"name","old":null,"new":"a"}]`},
		{"entries are compared wherever they stand", UpdateTrademark,
			`{"good_and_services":[{"id":null,"language_id":"l","text":"a","search_class_id":"9"},{"id":null,"language_id":"l","text":"b","search_class_id":"35"}]}`,
			`{"good_and_services":[{"id":null,"language_id":"l","text":"c","search_class_id":"35"},{"id":null,"language_id":"l","text":"a","search_class_id":"9"}]}`,
			`[{"field":"good_and_services[0].text","old":"b","new":"c"}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changes, err := Changes(test.op, []byte(test.before), []byte(test.now))
			got, _ := json.Marshal(changes)
			if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

// What Encode takes once it takes again, and writes the same; and its values are those of what it took.
func FuzzEncode(f *testing.F) {
	f.Add("create_case", fullCase, false)
	f.Add("create_folder", fullFolder, true)
	f.Add("update_case", strings.Replace(fullUpdate, `"c"`, `"\u00e9\n"`, 1), true)
	f.Add("update_trademark", fullMark, false)
	f.Fuzz(func(t *testing.T, op, text string, schema bool) {
		switches := Switches{}
		if schema {
			switches = Switches{ActiveAsText: true, RegistrationNumberAsInteger: true, FolderFileNumberAsText: true, ComponentID: ComponentIDSame}
		}
		once, err := Encode(Operation(op), []byte(text), switches)
		if err != nil {
			return
		}
		twice, err := Encode(Operation(op), once.Body, switches)
		if diff := cmp.Diff(once, twice); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		changes, err := Changes(once.Operation, []byte(text), once.Body)
		for _, c := range changes {
			if c.Old != nil && c.New != nil && c.Old.Text != c.New.Text || c.New == nil {
				t.Errorf("%s was %v and is %v (%v)", c.Field, c.Old, c.New, err)
			}
		}
	})
}

// TestValuesComeBackFromJSON shows that a value which a plan file shows is read again when that plan is carried out.
func TestValuesComeBackFromJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Uno", "12.50", `a "b"`, ""} {
		written, err := json.Marshal(map[string]*Value{"old": {Path: "name", Text: text}, "new": nil})
		var back map[string]*Value
		if err == nil {
			err = json.Unmarshal(written, &back)
		}
		if err != nil || back["old"] == nil || back["old"].Text != text || back["new"] != nil {
			t.Errorf("%s came back as %v: %v", written, back, err)
		}
	}
}
