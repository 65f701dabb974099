package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
)

// reading is one way to settle the contradictions of interface.md, told to the client, to the sandbox and to the
// validator, each in its own words.
type reading struct {
	name        string
	client      payload.Switches
	sandbox     sandbox.Switches
	description []string
}

// instead gives the default readings of the description with one put in the place of another.
func instead(with string) []string {
	general, _, _ := strings.Cut(with, "=")
	list := []string{with}
	for _, r := range fieldLists {
		if !strings.HasPrefix(r, general+"=") {
			list = append(list, r)
		}
	}
	return list
}

var readings = []reading{
	{"field lists", payload.Switches{}, sandbox.Switches{}, fieldLists},
	{"variant A", payload.Switches{Variant: payload.VariantA}, sandbox.Switches{Variant: sandbox.VariantA}, instead("CreateCase=CreateCaseVariantA")},
	{"variant B", payload.Switches{Variant: payload.VariantB}, sandbox.Switches{Variant: sandbox.VariantB}, instead("CreateCase=CreateCaseVariantBAlone")},
	{"active as text", payload.Switches{ActiveAsText: true}, sandbox.Switches{ActiveAsText: true}, instead("Active=ActiveBySchema")},
	{"registration number as integer", payload.Switches{RegistrationNumberAsInteger: true}, sandbox.Switches{RegistrationNumberAsInteger: true}, instead("RegistrationNumber=RegistrationNumberBySchema")},
	{"folder file number as text", payload.Switches{FolderFileNumberAsText: true}, sandbox.Switches{FolderFileNumberAsText: true}, instead("FolderFileNumber=FolderFileNumberAsText")},
	{"component id the same", payload.Switches{ComponentID: payload.ComponentIDSame}, sandbox.Switches{ComponentID: true}, instead("ComponentValue=ComponentValueBySchema")},
	{"component id null", payload.Switches{ComponentID: payload.ComponentIDNull}, sandbox.Switches{ComponentID: true}, instead("ComponentValue=ComponentValueBySchema")},
}

// caller is the real client, set up for a sandbox at a URL.
func caller(t *testing.T, url string, change func(*apiclient.Options)) *apiclient.Client {
	t.Helper()
	o := apiclient.Options{
		BaseURL: url, SubscriptionKey: "key", AuthCookie: "cookie", FolderCookie: true,
		Paths: map[payload.Operation]string{payload.UpdateCase: "/v1/firms/file", payload.UpdateTrademark: "/v1/firms/trademark"},
		Retry: apiclient.RetryOptions{FirstDelay: time.Millisecond, MaxDelay: 5 * time.Millisecond, Total: 30 * time.Second, RetryAfterCap: time.Millisecond},
	}
	if change != nil {
		change(&o)
	}
	c, err := apiclient.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// fullMark has every member of update trademark.
func fullMark(number string) string {
	return `{"id":"` + mark + `","registry_id":"` + euipo + `","mark_text":"HERON ❤ BLUE","application_number":"018/123","application_date":` + date +
		`,"registration_number":` + number + `,"registration_date":` + date + `,"status_date":` + date + `,"mark_feature":"Word","status":"Live",` +
		`"registration_type_id":"f1000000-0000-4000-8000-000000000001","trademark_type_id":"f2000000-0000-4000-8000-000000000002","expiry_date":` + date +
		`,"publication_date":` + date + `,"declaration_date":` + date + `,"office_action_date":` + date + `,"final_office_action_date":` + date +
		`,"grant_date":` + date + `,"client_agent_id":"` + heron + `","publication_notes":"a\nb","good_and_services":[{"id":null,"language_id":"` + english +
		`","text":"\"software\" & <more>","search_class_id":"` + class9 + `"}],"image_url":"https://firm.example/m.png","notes":"é","do_not_create_file":true}`
}

const date = `"2024-03-01T00:00:00Z"`

// aCase is a create case with as few members as possible.
func aCase(number, template string) string {
	return `{"name":"n","number":"` + number + `","active":false,"file_template_id":"` + template + `","user_id":"` + ben + `"}`
}

// spelled is a payload as it goes out under the switches.
func spelled(t testing.TB, op payload.Operation, text string, switches payload.Switches) payload.Payload {
	t.Helper()
	p, err := payload.Encode(op, []byte(text), switches)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// payloads are the four operations with all members and with as few as possible, for the case with that id.
func payloads(t testing.TB, r reading, caseID string) []payload.Payload {
	full := `,"user_id":"` + ben + `","client_id":"` + heron + `","other_supervisors":["` + chloe + `"]}`
	if r.client.Variant == payload.VariantB {
		full = `}`
	}
	create := `{"name":"Ünï","number":"0012","active":true,"file_template_id":"` + filing + `"`
	update := `{"id":"` + caseID + `","name":"n","file_status_id":"` + closed + `",`
	examinerOnly := `"components":[{"file_template_component_id":"` + examiner + `","entity_id":"` + ben + `"}`
	var list []payload.Payload
	for _, p := range []struct {
		op   payload.Operation
		text string
	}{
		{payload.CreateCase, create + `,"user_id":"` + ben + `"}`},
		{payload.CreateCase, create + full},
		{payload.CreateFolder, `{"name":"F","client_id":"` + akerman + `","files":[{"name":"a","number":12.50},{"name":"b","number":7,"user_id":"` + ben +
			`","file_status_id":"` + closed + `","file_template_id":"` + general + `"}]}`},
		{payload.CreateFolder, `{"name":"` + strings.Repeat("é", 254) + `","client_id":"` + akerman + `","files":[]}`},
		{payload.UpdateCase, update + `"file_client_id":null,"user_id":"` + ben + `",` + examinerOnly + `],"active":false}`},
		{payload.UpdateCase, update + `"file_client_id":"` + heron + `","tags":["` + urgent + `"],"other_supervisors":[],"user_id":"` + ben + `","number":"N",` +
			examinerOnly + `,{"file_template_component_id":"` + note + `","value":"{\"a\":1}"}],"active":true}`},
		{payload.UpdateTrademark, `{"id":"` + mark + `","registry_id":"` + euipo + `","mark_text":"","application_number":""}`},
		{payload.UpdateTrademark, fullMark("12")},
	} {
		list = append(list, spelled(t, p.op, p.text, r.client))
	}
	return list
}

// TestClientFitsTheDescription sends everything the client can say, in every reading, through validator and sandbox.
func TestClientFitsTheDescription(t *testing.T) {
	t.Parallel()
	for _, r := range readings {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s, n := attested(t, sandbox.Options{Directory: small(), Switches: r.sandbox, Answers: sandbox.Answers{UpdateCase: sandbox.BodyRecord}}, r.description...)
			c := caller(t, s.url, nil)
			made := c.Send(t.Context(), spelled(t, payload.CreateCase, aCase("1", filing), r.client), false)
			for _, p := range payloads(t, r, made.ID) {
				if got := c.Send(t.Context(), p, false); got.Verdict != apiclient.Accepted {
					t.Errorf("%s: %s %d %s %v", p.Operation, got.Verdict, got.Status, got.Message, got.Reasons)
				} else if len(got.ReadBack.Differences) > 0 || len(got.ReadBack.Fields) == 0 {
					t.Errorf("%s: read back %+v", p.Operation, got.ReadBack)
				}
			}
			if n.requests != 9 {
				t.Errorf("%d requests passed, want 9", n.requests)
			}
		})
	}
}

// TestReadingsDoNotAgreeByChance sends each contradicted member to a sandbox of the other opinion.
func TestReadingsDoNotAgreeByChance(t *testing.T) {
	t.Parallel()
	for _, r := range readings[3:] {
		s := start(t, sandbox.Options{Directory: small()})
		c := caller(t, s.url, nil)
		id := s.newCase()
		refused := 0
		for _, p := range payloads(t, r, id) {
			if got := c.Send(t.Context(), p, false); got.Verdict == apiclient.Refused {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s: everything was accepted by a sandbox that goes by the field lists", r.name)
		}
	}
}

// TestVerdictsAreTrue holds the client's verdicts about creates against what was done, under every fault.
func TestVerdictsAreTrue(t *testing.T) {
	t.Parallel()
	faults, err := sandbox.ParseFaults("seed=21,drop_before=0.08,drop_after=0.08,500_before=0.06,500_after=0.06,503=0.08,503_retry_after=1s,503_after=0.05,html=0.05,empty=0.05,truncate=0.05,rate=2000,burst=5")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, sandbox.Options{Faults: faults})
	c := caller(t, s.url, func(o *apiclient.Options) { o.Pace = pace.Options{Fixed: true, Trip: 1000} })
	verdicts := map[apiclient.Verdict]int{}
	for n := range 300 {
		number := fmt.Sprintf("M-%d", n)
		got := c.Send(t.Context(), spelled(t, payload.CreateCase, aCase(number, filing), payload.Switches{}), false)
		verdicts[got.Verdict]++
		done := created(snapshot(t, s.server), number)
		least, most := 0, 1
		switch got.Verdict {
		case apiclient.Accepted:
			least = 1
		case apiclient.InDoubt:
		default:
			most = 0
		}
		if done < least || done > most {
			t.Errorf("%s: verdict %s after %d attempts, created %d times", number, got.Verdict, len(got.Attempts), done)
		}
	}
	if verdicts[apiclient.Accepted] < 100 || verdicts[apiclient.InDoubt] < 50 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestClientRenewsCookies lets cookies end after five requests each.
func TestClientRenewsCookies(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Faults: sandbox.Faults{CookieAfter: 5}})
	c := caller(t, s.url, func(o *apiclient.Options) {
		o.AuthCookie, o.SignIn = "", apiclient.SignIn{Path: "/v1/login", User: "bosei", Password: "battery staple"}
	})
	for n := range 22 {
		got := c.Send(t.Context(), spelled(t, payload.CreateCase, aCase(fmt.Sprint(n), filing), payload.Switches{}), false)
		if got.Verdict != apiclient.Accepted {
			t.Fatalf("case %d: %s %s", n, got.Verdict, got.Message)
		}
	}
	if st := s.state(); st.Cases != 22 || st.Requests != 26 || len(st.Repeated) != 0 {
		t.Errorf("%d cases of %d requests, want 22 of 26", st.Cases, st.Requests)
	}
}

// TestDigitsArriveAsTheyWere follows numbers from the client into the data.
func TestDigitsArriveAsTheyWere(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{Switches: sandbox.Switches{RegistrationNumberAsInteger: true}})
	c := caller(t, s.url, nil)
	const digits = "12345678901234567890123"
	full := spelled(t, payload.UpdateTrademark, fullMark(`"`+digits+`"`), payload.Switches{RegistrationNumberAsInteger: true})
	if got := c.Send(t.Context(), full, false); got.Verdict != apiclient.Accepted {
		t.Fatalf("%s %s", got.Verdict, got.Message)
	}
	r := s.do("GET", "/v1/lists/trademarks", "")
	list := decode[struct {
		Items []struct{ Members map[string]json.RawMessage }
	}](t, r)
	if got := string(list.Items[0].Members["registration_number"]); got != digits {
		t.Errorf("registration_number is %s, want %s", got, digits)
	}
}

// TestUpdateAnswers has a service say yes to an update case in ways that interface.md neither shows nor rules out: they count where
// somebody said so, and where nobody did the client names the switch. A web page never counts.
func TestUpdateAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body   sandbox.Body
		faults sandbox.Faults
		any    bool
		says   string // "" when it is accepted
	}{
		{sandbox.BodyID, sandbox.Faults{}, false, ""},
		{sandbox.BodyEmpty, sandbox.Faults{}, false, "the answer is empty (if this is how the service confirms updates, set service.switches.update_answer: any)"},
		{sandbox.BodyText, sandbox.Faults{}, false, "the answer is not JSON (if this is how the service confirms updates, set service.switches.update_answer: any)"},
		{sandbox.BodyID, sandbox.Faults{}, true, ""},
		{sandbox.BodyEmpty, sandbox.Faults{}, true, ""},
		{sandbox.BodyText, sandbox.Faults{}, true, ""},
		{sandbox.BodyID, sandbox.Faults{HTML: 1}, true, `the answer is a web page "Maintenance"`},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s any %v %v", test.body, test.any, test.faults), func(t *testing.T) {
			t.Parallel()
			s := start(t, sandbox.Options{Answers: sandbox.Answers{UpdateCase: test.body}})
			c := caller(t, s.url, func(o *apiclient.Options) {
				o.AnyUpdateAnswer, o.Retry.Total = test.any, 20*time.Millisecond
			})
			created := c.Send(t.Context(), spelled(t, payload.CreateCase, aCase("1", general), payload.Switches{}), false)
			s.server.SetFaults(test.faults)
			update := spelled(t, payload.UpdateCase, `{"id":"`+created.ID+`","name":"m","file_status_id":"`+closed+`","file_client_id":null,"user_id":"`+ben+
				`","components":[],"active":false}`, payload.Switches{})
			switch result := c.Send(t.Context(), update, true); {
			case test.says == "" && result.Verdict != apiclient.Accepted, test.says != "" && !strings.Contains(result.Message, test.says):
				t.Errorf("%s: %s", result.Verdict, result.Message)
			case test.says != "" && result.Verdict != apiclient.Failed:
				t.Errorf("%s", result.Verdict)
			}
		})
	}
}

// TestSignInWithMembersOfAnotherName signs in at a login whose members the configuration names.
func TestSignInWithMembersOfAnotherName(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Options{UserMember: "Login", PasswordMember: "Secret"})
	sign := apiclient.SignIn{Path: "/v1/login", User: "bosei", Password: "battery staple"}
	for named, want := range map[bool]apiclient.Verdict{true: apiclient.Accepted, false: apiclient.Stopped} {
		c := caller(t, s.url, func(o *apiclient.Options) {
			o.AuthCookie, o.SignIn = "", sign
			if named {
				o.SignIn.UserMember, o.SignIn.PasswordMember = "Login", "Secret"
			}
		})
		result := c.Send(t.Context(), spelled(t, payload.CreateCase, aCase("1", general), payload.Switches{}), false)
		if result.Verdict != want {
			t.Errorf("members named %v: %s, %s", named, result.Verdict, result.Message)
		}
	}
}
