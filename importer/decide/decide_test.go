package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

const (
	english = "11111111-1111-4111-8111-111111111111"
	class9  = "22222222-2222-4222-8222-000000000009"
	class35 = "22222222-2222-4222-8222-000000000035"
)

// mark is an update trademark payload with the entries, each "language class text" without an id, or with one in front.
func mark(doNotCreate bool, entries ...string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"id":"m1","registry_id":"r","mark_text":"ACME","application_number":"1","good_and_services":[%s],"do_not_create_file":%v}`, strings.Join(entries, ","), doNotCreate))
}

func entry(id, class, text string) string {
	if id != "null" {
		id = `"` + id + `"`
	}
	return fmt.Sprintf(`{"id":%s,"language_id":"%s","text":"%s","search_class_id":"%s"}`, id, english, text, class)
}

func held(class, text string) ledger.Entry {
	return ledger.Entry{Language: english, Class: class, Text: text}
}

// mapped is a payload of which a test says no more than what it is about: the fields that it needs beside that are added.
func mapped(op payload.Operation, says string) Mapped {
	m := Mapped{Operation: op, Key: "K1", Digest: Digest([]byte(says))}
	given := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(says), &given)
	for _, f := range payload.Fields(op, payload.Switches{}) {
		value := string(given[f.Name])
		switch {
		case value == "" && !f.Required && !f.Always:
			continue
		case value == "" && f.Type == payload.TypeBool:
			value = "true"
		case value == "" && (f.Type == payload.TypeItems || f.Type == payload.TypeComponents):
			value = "[]"
		case value == "":
			value = `"1"`
		}
		m.Payload = append(m.Payload, `,"`+f.Name+`":`+value...)
	}
	m.Payload = append(append([]byte("{"), m.Payload[1:]...), '}')
	return m
}

func TestDecide(t *testing.T) {
	t.Parallel()
	accepted := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	knownAs := func(payload string) *ledger.LastAccepted {
		return &ledger.LastAccepted{Run: "r1", Key: "K1", Digest: Digest([]byte(payload)), Payload: json.RawMessage(payload), ServiceID: "id1", AcceptedAt: accepted}
	}
	unsettled := func(payload string) *ledger.LastAccepted {
		k := knownAs(payload)
		k.Unsettled = true
		return k
	}
	doubt := &ledger.LastAccepted{Key: "K1", Doubt: &ledger.Doubt{Run: "r1", Seq: 3, At: accepted}}
	refused := func(payload string, known ledger.LastAccepted) *ledger.LastAccepted {
		known.Refused = &ledger.Refusal{Digest: Digest([]byte(payload)), At: accepted, Reasons: []ledger.Reason{{Code: "refused", Message: "no such user"}}}
		return &known
	}
	caseOf := func(says string) string { return string(mapped(payload.CreateCase, says).Payload) }
	differing := func(payload string) *ledger.LastAccepted {
		k := knownAs(payload)
		k.Differs = []ledger.Reason{{Code: reason.Differs, Field: "name", Stored: "Lea"}}
		return k
	}
	rejected := mapped(payload.CreateCase, "")
	rejected.Reasons = []ledger.Reason{{Code: "required"}}
	for _, test := range []struct {
		name   string
		mapped Mapped
		known  *ledger.LastAccepted
		policy Policy
		state  ledger.State
		action ledger.Action
		repeat bool
		notes  []string
	}{
		{"a new case is planned and not repeatable", mapped(payload.CreateCase, `{"a":1}`), nil, Policy{}, ledger.Planned, ledger.Create, false, nil},
		{"a new case is repeatable where the firm says so", mapped(payload.CreateCase, `{"a":1}`), nil, Policy{RepeatCreates: true}, ledger.Planned, ledger.Create, true, nil},
		{"a created case is not created again", mapped(payload.CreateCase, `{"a":1}`), knownAs(`{"a":1}`), Policy{}, ledger.Unchanged, ledger.None, false, nil},
		{"a created case whose row changed is not created again", mapped(payload.CreateCase, `{"a":2}`), knownAs(`{"a":1}`), Policy{RepeatCreates: true}, ledger.Unchanged, ledger.None, false, []string{"changed_since_created"}},
		{"another job sends the change", mapped(payload.CreateCase, `{"name":"a","client_id":"c","other_supervisors":["u"]}`), knownAs(string(mapped(payload.CreateCase, `{"name":"a","client_id":"b","other_supervisors":[]}`).Payload)),
			Policy{UpdatedElsewhere: []string{"file_client_id", "other_supervisors"}}, ledger.Unchanged, ledger.None, false, []string{"change_sent_by_update"}},
		{"another job sends a part of the change", mapped(payload.CreateCase, `{"name":"a","number":"2"}`), knownAs(string(mapped(payload.CreateCase, `{"name":"b","number":"1"}`).Payload)),
			Policy{UpdatedElsewhere: []string{"name"}}, ledger.Unchanged, ledger.None, false, []string{"changed_since_created"}},
		{"what the service stored otherwise of a created case stays so when another field of its row changes", mapped(payload.CreateCase, `{"name":"Lease","number":"2"}`), differing(caseOf(`{"name":"Lease","number":"1"}`)),
			Policy{}, ledger.Unchanged, ledger.None, false, []string{"changed_since_created", "stored_differently"}},
		{"of the field itself the change says it", mapped(payload.CreateCase, `{"name":"Sale","number":"1"}`), differing(caseOf(`{"name":"Lease","number":"1"}`)),
			Policy{}, ledger.Unchanged, ledger.None, false, []string{"changed_since_created"}},
		{"the job that sends the change says what became of its fields", mapped(payload.CreateCase, `{"name":"Lease","number":"2"}`), differing(caseOf(`{"name":"Lease","number":"1"}`)),
			Policy{UpdatedElsewhere: []string{"name", "number"}}, ledger.Unchanged, ledger.None, false, []string{"change_sent_by_update"}},
		{"and nothing of others", mapped(payload.CreateCase, `{"name":"Lease","number":"2"}`), differing(caseOf(`{"name":"Lease","number":"1"}`)),
			Policy{UpdatedElsewhere: []string{"number"}}, ledger.Unchanged, ledger.None, false, []string{"change_sent_by_update", "stored_differently"}},
		{"a created case known by its id alone is not created again", mapped(payload.CreateCase, `{"a":2}`), &ledger.LastAccepted{Run: "r1", ServiceID: "id1"}, Policy{}, ledger.Unchanged, ledger.None, false, nil},
		{"a created folder is not created again", mapped(payload.CreateFolder, `{"a":2}`), knownAs(`{"a":1}`), Policy{}, ledger.Unchanged, ledger.None, false, []string{"changed_since_created"}},
		{"a create in doubt is not sent", mapped(payload.CreateCase, `{"a":1}`), doubt, Policy{}, ledger.InDoubt, ledger.Create, false, nil},
		{"an update in doubt is not sent", mapped(payload.UpdateTrademark, `{"a":1}`), doubt, Policy{}, ledger.InDoubt, ledger.Update, false, nil},
		{"a record in doubt is not sent even where repeating is safe", mapped(payload.CreateCase, `{"a":1}`), doubt, Policy{RepeatCreates: true}, ledger.InDoubt, ledger.Create, false, nil},
		{"a first update is planned and repeatable", mapped(payload.UpdateCase, `{"a":1}`), nil, Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"the same update is unchanged", mapped(payload.UpdateCase, `{"a":1}`), knownAs(`{"a":1}`), Policy{}, ledger.Unchanged, ledger.None, false, nil},
		{"the same update is sent again after one whose fate is open", mapped(payload.UpdateCase, `{"a":1}`), unsettled(`{"a":1}`), Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"a changed update is planned", mapped(payload.UpdateCase, `{"a":2}`), knownAs(`{"a":1}`), Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"reasons reject, whatever is known", rejected, knownAs(`{"a":1}`), Policy{}, ledger.Rejected, ledger.None, false, nil},
		{"what the service refused is not sent again as it is", mapped(payload.CreateCase, `{"a":1}`), refused(`{"a":1}`, ledger.LastAccepted{}), Policy{}, ledger.Rejected, ledger.Create, false, nil},
		{"a change is sent after a refusal", mapped(payload.CreateCase, `{"a":2}`), refused(`{"a":1}`, ledger.LastAccepted{}), Policy{}, ledger.Planned, ledger.Create, false, nil},
		{"a refused update is not sent again as it is", mapped(payload.UpdateCase, `{"a":2}`), refused(`{"a":2}`, *unsettled(`{"a":1}`)), Policy{}, ledger.Rejected, ledger.Update, false, nil},
		{"what was accepted before the refused update is sent", mapped(payload.UpdateCase, `{"a":1}`), refused(`{"a":2}`, *unsettled(`{"a":1}`)), Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"a mark that makes no case is repeatable", mapped(payload.UpdateTrademark, `{"do_not_create_file":true}`), nil, Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"a mark that may make a case is not", mapped(payload.UpdateTrademark, `{"do_not_create_file":false}`), nil, Policy{}, ledger.Planned, ledger.Update, false, nil},
		{"a mark that says nothing of a case is not", mapped(payload.UpdateTrademark, `{"mark_text":"x"}`), nil, Policy{}, ledger.Planned, ledger.Update, false, nil},
		{"a mark updated before has its case", mapped(payload.UpdateTrademark, `{"do_not_create_file":false}`), knownAs(`{"do_not_create_file":true}`), Policy{}, ledger.Planned, ledger.Update, true, nil},
		{"do_not_create_file that is not sent protects nothing", mapped(payload.UpdateTrademark, `{"id":"m1","registry_id":"r","mark_text":"x","application_number":"1","do_not_create_file":true}`), nil,
			Policy{Switches: payload.Switches{OmitDoNotCreateFile: true}}, ledger.Planned, ledger.Update, false, nil},
		{"a new entry makes a mark unrepeatable", mapped(payload.UpdateTrademark, string(mark(true, entry("null", class9, "software")))), knownAs(`{"mark_text":"ACME"}`), Policy{}, ledger.Planned, ledger.Update, false, nil},
		{"an entry with an id does not", mapped(payload.UpdateTrademark, string(mark(true, entry("e1", class9, "software")))), nil, Policy{}, ledger.Planned, ledger.Update, true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Decide(test.mapped, test.known, test.policy)
			if err != nil {
				t.Fatal(err)
			}
			var notes []string
			for _, note := range got.Notes {
				notes = append(notes, note.Code)
			}
			if got.State != test.state || got.Action != test.action || got.Repeatable != test.repeat || !slices.Equal(notes, test.notes) {
				t.Errorf("got %s %s repeatable %v notes %v, want %s %s repeatable %v notes %v",
					got.State, got.Action, got.Repeatable, notes, test.state, test.action, test.repeat, test.notes)
			}
		})
	}
}

// TestGoodsAndServices goes through what becomes of entries without ids: each is sent once, and a changed text is never
// sent as a second entry (interface.md part 4.3).
func TestGoodsAndServices(t *testing.T) {
	t.Parallel()
	software, games, retail := entry("null", class9, "software"), entry("null", class9, "games"), entry("null", class35, "retail")
	for _, test := range []struct {
		name     string
		payload  json.RawMessage
		accepted []ledger.Entry
		body     json.RawMessage // nil: the payload as it is
		known    []ledger.Entry
		withheld int
	}{
		{"new entries go out", mark(true, software, retail), nil, nil, []ledger.Entry{held(class9, "software"), held(class35, "retail")}, 0},
		{"accepted entries stay out", mark(true, software, retail), []ledger.Entry{held(class9, "software")}, mark(true, retail), []ledger.Entry{held(class9, "software"), held(class35, "retail")}, 0},
		{"nothing left leaves no list", mark(true, software), []ledger.Entry{held(class9, "software")}, json.RawMessage(`{"id":"m1","registry_id":"r","mark_text":"ACME","application_number":"1","do_not_create_file":true}`), []ledger.Entry{held(class9, "software")}, 0},
		{"a changed text is withheld", mark(true, games), []ledger.Entry{held(class9, "software")}, json.RawMessage(`{"id":"m1","registry_id":"r","mark_text":"ACME","application_number":"1","do_not_create_file":true}`), []ledger.Entry{held(class9, "software"), {Language: english, Class: class9, Text: "games", Withheld: true}}, 1},
		{"an added text of the same class goes out", mark(true, software, games), []ledger.Entry{held(class9, "software")}, mark(true, games), []ledger.Entry{held(class9, "software"), held(class9, "games")}, 0},
		{"a removed entry of another class holds nothing back", mark(true, retail), []ledger.Entry{held(class9, "software")}, nil, []ledger.Entry{held(class9, "software"), held(class35, "retail")}, 1},
		{"going back to the accepted text withholds nothing", mark(true, software), []ledger.Entry{held(class9, "software"), {Language: english, Class: class9, Text: "games", Withheld: true}}, json.RawMessage(`{"id":"m1","registry_id":"r","mark_text":"ACME","application_number":"1","do_not_create_file":true}`), []ledger.Entry{held(class9, "software")}, 0},
		{"an entry with an id always goes out", mark(true, entry("e1", class9, "games")), []ledger.Entry{held(class9, "software")}, nil, []ledger.Entry{held(class9, "software")}, 0},
		{"a text given twice goes out once", mark(true, software, software), nil, mark(true, software), []ledger.Entry{held(class9, "software")}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := Mapped{Operation: payload.UpdateTrademark, Key: "K1", Payload: test.payload, Digest: Digest(test.payload)}
			got, err := Decide(m, &ledger.LastAccepted{Run: "r0", Digest: "another", Entries: test.accepted}, Policy{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(test.body), string(got.Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.known, got.Entries); diff != "" {
				t.Errorf("entries to remember (-want +got):\n%s", diff)
			}
			if len(got.Notes) != test.withheld {
				t.Errorf("got %d notes, want %d: %v", len(got.Notes), test.withheld, got.Notes)
			}
		})
	}
}

// TestWithheldEntryIsReportedAgain shows that an entry which was not sent is not forgotten once the rest was accepted.
func TestWithheldEntryIsReportedAgain(t *testing.T) {
	t.Parallel()
	m := Mapped{Operation: payload.UpdateTrademark, Key: "K1", Payload: mark(true, entry("null", class9, "games"))}
	m.Digest = Digest(m.Payload)
	first, err := Decide(m, &ledger.LastAccepted{Run: "r0", Digest: "another", Entries: []ledger.Entry{held(class9, "software")}}, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Decide(m, &ledger.LastAccepted{Run: "r1", Digest: m.Digest, Entries: first.Entries}, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if second.State != ledger.Unchanged || len(second.Notes) != 1 || second.Notes[0].Code != "entry_text_changed" {
		t.Errorf("got %s with notes %v, want unchanged with the entry reported again", second.State, second.Notes)
	}
}

// TestWhatCannotBeSpelledIsRejected shows that the plan, and not the push, finds out what the switches cannot spell.
func TestWhatCannotBeSpelledIsRejected(t *testing.T) {
	t.Parallel()
	m := mapped(payload.UpdateTrademark, `{"registration_number":"TM 7"}`)
	got, err := Decide(m, nil, Policy{Switches: payload.Switches{RegistrationNumberAsInteger: true}})
	if err != nil || got.State != ledger.Rejected || got.Action != ledger.None || len(got.Reasons) != 1 || got.Reasons[0].Code != reason.Unsendable {
		t.Errorf("%s %s %+v: %v", got.State, got.Action, got.Reasons, err)
	}
}

// TestThePlanKeepsWhatGoesOut has switches that spell a payload otherwise than it was mapped: the record carries those bytes, and the
// push makes the same of them. Where they are the same, they are not kept twice.
func TestThePlanKeepsWhatGoesOut(t *testing.T) {
	t.Parallel()
	const update = `{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","components":[{"file_template_component_id":"x","value":"v"}],"active":true}`
	const mark = `{"id":"i","registry_id":"r","mark_text":"M","application_number":"A","good_and_services":[{"id":null,"language_id":"l","text":"t","search_class_id":"c"}],"do_not_create_file":true}`
	for _, test := range []struct {
		name     string
		op       payload.Operation
		payload  string
		entries  []ledger.Entry
		switches payload.Switches
		body     string
	}{
		{"as mapped", payload.UpdateCase, update, nil, payload.Switches{}, ""},
		{"active as text, components with ids", payload.UpdateCase, update, nil, payload.Switches{ActiveAsText: true, ComponentID: payload.ComponentIDSame},
			`{"id":"i","name":"n","file_status_id":"s","file_client_id":null,"user_id":"u","components":[{"id":"x","file_template_component_id":"x","value":"v"}],"active":"true"}`},
		{"an entry left out, and a field that is not sent", payload.UpdateTrademark, mark, []ledger.Entry{{Language: "l", Class: "c", Text: "t"}}, payload.Switches{OmitDoNotCreateFile: true},
			`{"id":"i","registry_id":"r","mark_text":"M","application_number":"A"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := Mapped{Operation: test.op, Key: "K1", Payload: json.RawMessage(test.payload), Digest: Digest([]byte(test.payload))}
			got, err := Decide(m, &ledger.LastAccepted{Run: "r0", Digest: "another", Entries: test.entries}, Policy{Switches: test.switches})
			if diff := cmp.Diff(test.body, string(got.Body)); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
			if sent, err := payload.Encode(test.op, got.Sent(), test.switches); err != nil || string(sent.Body) != string(got.Sent()) {
				t.Errorf("the push sends what the switches have as %s: %v", sent.Body, err)
			}
		})
	}
}
