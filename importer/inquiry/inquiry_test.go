package inquiry_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
)

// item is an item of the list cases: its number and its name.
func item(id, number, name string) apiclient.ListItem {
	return apiclient.ListItem{ID: id, Texts: []string{number, name}}
}

func TestInquiry(t *testing.T) {
	t.Parallel()
	const one, two = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	other := item(two, "M-2", "Two")
	mine := item(one, "M-01", "One")
	asked := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		change   func(*inquiry.Inquiry)
		decision ledger.Decision
		why      string
	}{
		"there, once, the same in all": {func(q *inquiry.Inquiry) {}, ledger.Exists, "exactly one item with its number and name, id " + one},
		"there since just now":         {func(q *inquiry.Inquiry) { q.Over = 0 }, ledger.Exists, one},
		"nothing else to compare":      {func(q *inquiry.Inquiry) { q.Same = nil }, ledger.Exists, "exactly one item with its number, id"},
		"what was not sent is open":    {func(q *inquiry.Inquiry) { q.Record.Payload = json.RawMessage(`{"number":"M-01"}`) }, ledger.Exists, one},
		"what went out counts":         {func(q *inquiry.Inquiry) { q.Record.Body = json.RawMessage(`{"number":"M-01","name":"Other"}`) }, ledger.Leave, `"Other" was sent`},
		"blanks around it":             {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{item(one, " M-01 ", "One ")} }, ledger.Exists, one},
		"another name":                 {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{item(one, "M-01", "Eins")} }, ledger.Leave, `its name is "Eins" and "One" was sent`},
		"there twice": {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{mine, item(two, "M-01", "One")} }, ledger.Leave,
			`2 items of the list cases have the number "M-01": ` + one + ", " + two},
		"there, and once like it": {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{mine, item(two, "m01", "One")} }, ledger.Leave, "with the id " + one + ", and similar spellings: " + two},
		"no GUID":                 {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{item("17", "M-01", "One")} }, ledger.Leave, "not a GUID"},
		"the id of another record": {func(q *inquiry.Inquiry) {
			q.Holders = map[string][]ledger.Identity{one: {{Scope: "create_case", Key: "X-9", ServiceID: one}}}
		}, ledger.Leave, "belongs to the record X-9 of create_case"},
		"came while it was read": {func(q *inquiry.Inquiry) { q.First = []apiclient.ListItem{other} }, ledger.Leave, "changed while it was read"},
		"went while it was read": {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{other} }, ledger.Leave, "changed while it was read"},
		"not there": {func(q *inquiry.Inquiry) {
			q.First, q.Second = []apiclient.ListItem{other}, []apiclient.ListItem{other}
		}, ledger.Absent,
			`none of the 1 items of the list cases has the number "M-01", confirmed by two readings, 1h0m0s after the first look for it`},
		"not there, and nor is what was made lately": {func(q *inquiry.Inquiry) {
			q.First, q.Second, q.Made = []apiclient.ListItem{other}, []apiclient.ListItem{other}, []string{one, two}
		}, ledger.Leave, "it also lacks 1 of the 2 records created recently (such as id " + one + ")"},
		"not there, and what was made lately is": {func(q *inquiry.Inquiry) {
			q.First, q.Second, q.Made = []apiclient.ListItem{other}, []apiclient.ListItem{other}, []string{"{" + strings.ToUpper(two) + "}"}
		}, ledger.Absent, ""},
		"not there, in another order": {func(q *inquiry.Inquiry) {
			third := item("33333333-3333-4333-8333-333333333333", "M-3", "Three")
			q.First, q.Second = []apiclient.ListItem{other, third}, []apiclient.ListItem{third, other}
		}, ledger.Absent, ""},
		"not there, an empty list": {func(q *inquiry.Inquiry) { q.First, q.Second = nil, nil }, ledger.Absent, "none of the 0 items"},
		"not there yet": {func(q *inquiry.Inquiry) {
			q.First, q.Second, q.Over = []apiclient.ListItem{other}, []apiclient.ListItem{other}, 9*time.Minute+59*time.Second
		}, ledger.Leave, "first looked for it only 9m59s ago; ask again in 1s"},
		"not there in a list that grows": {func(q *inquiry.Inquiry) {
			q.First, q.Second = []apiclient.ListItem{other}, []apiclient.ListItem{other, item(one, "M-7", "Seven")}
		}, ledger.Leave, "it changed while it was read"},
		"not there in a list of equal size": {func(q *inquiry.Inquiry) {
			q.First, q.Second = []apiclient.ListItem{other}, []apiclient.ListItem{item(one, "M-7", "Seven")}
		}, ledger.Leave, "it changed while it was read"},
		"not there, but like it":  {func(q *inquiry.Inquiry) { q.Second = []apiclient.ListItem{item(two, "m 1", "One")} }, ledger.Leave, "similar spellings"},
		"without a number":        {func(q *inquiry.Inquiry) { q.Record.Payload = json.RawMessage(`{"name":"One"}`) }, ledger.Leave, "has no number to search for"},
		"an update of a case":     {func(q *inquiry.Inquiry) { q.Operation = payload.UpdateCase }, ledger.Leave, "no list shows whether an update was acted on"},
		"an update of a mark":     {func(q *inquiry.Inquiry) { q.Operation = payload.UpdateTrademark }, ledger.Leave, "no list shows"},
		"a folder goes by name":   {func(q *inquiry.Inquiry) { q.Operation = payload.CreateFolder }, ledger.Absent, `has the name "One"`},
		"a GUID in other letters": {func(q *inquiry.Inquiry) { guids(q, one, "{"+strings.ToUpper(one)+"}") }, ledger.Exists, ""},
		"another GUID":            {func(q *inquiry.Inquiry) { guids(q, one, two) }, ledger.Leave, "client_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := inquiry.Inquiry{
				Record: ledger.Record{Payload: json.RawMessage(`{"number":"M-01","name":"One","active":true}`)}, Operation: payload.CreateCase,
				Over: time.Hour, Asked: asked,
				Listing: inquiry.Listing{First: []apiclient.ListItem{mine, other}, Second: []apiclient.ListItem{mine, other}, Keys: 1, Same: []string{"name"}},
			}
			test.change(&q)
			got := q.Find(10 * time.Minute)
			if got.Decision != test.decision || !strings.Contains(got.Why, test.why) || (got.ID != "") != (got.Decision == ledger.Exists) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// guids makes the inquiry one about a folder, whose client was sent as one GUID and is listed as another.
func guids(q *inquiry.Inquiry, sent, listed string) {
	q.Operation, q.Same = payload.CreateFolder, []string{"client_id"}
	q.Record.Payload = json.RawMessage(`{"name":"F","client_id":"` + sent + `"}`)
	q.First = []apiclient.ListItem{item("11111111-1111-4111-8111-111111111111", "F", listed)}
	q.Second = q.First
}
