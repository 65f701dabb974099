package apiclient

import (
	"encoding/json"
	"strings"
	"testing"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
)

// FuzzAnswer reads answers of any status and body. What counts as a yes is what interface.md promises, and what was sent, read back from itself, is as it was
// sent.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"id":"a","name":"N","number":"1","user":{"id":"u"}}`, `{"id":"a","message":"done","successful":true}`, `{"successful":false,"message":"no"}`,
		`{"id":"f","files":[{"id":"x","name":"a","number":12.50}]}`, "\ufeff[]", `"OK"`, `null`, ``, `<html>`, `{"errors":{"name":["too long"]}}`,
		`{"id":"i","good_and_services":[{"language_id":"l","search_class_id":"9","text":"t"}]}`, `{"items":[{"id":"1","name":7}],"total":1}`,
	} {
		for n := range payload.Operations {
			f.Add(uint8(n), 200+n%2, body, true)
		}
		f.Add(uint8(0), 400, body, false)
	}
	f.Fuzz(func(t *testing.T, n uint8, status int, body string, whole bool) {
		op := payload.Operations[int(n)%len(payload.Operations)]
		a := readAnswer(op, status, nil, []byte(body), whole, false)
		if a.grade == promised && status != success(op) {
			t.Errorf("%s takes status %d for a yes", op, status)
		}
		if op.About().Answer == payload.PromiseID && a.grade == promised && (a.id == "" || !whole) {
			t.Errorf("%s takes an answer without an id for a yes: %q", op, body)
		}
		if !json.Valid([]byte(body)) {
			return
		}
		members, _ := jsontext.SplitObject([]byte(strings.TrimSpace(body)))
		if sent, err := payload.Encode(op, []byte(body), payload.Switches{}); err == nil {
			stored, _ := jsontext.SplitObject(sent.Body)
			if found := readBack(op, sent.ID, sent.Body, stored, nil); len(found.Differences) > 0 {
				t.Errorf("%s differs from itself: %v", sent.Body, found.Differences)
			}
		}
		readBack(op, "i", []byte(`{"id":"i","name":"N","mark_text":"M","number":7,"active":true,"files":[{"number":1}],"good_and_services":[]}`), members, nil)
		page, err := readListPage(ListSpec{Name: "l", ID: "id", Members: []string{"name", "client.name"}, Total: "total"}, []byte(body))
		for _, item := range page.items {
			if err != nil || item.ID == "" || len(item.Texts) != 2 {
				t.Errorf("the list has the item %+v, %v", item, err)
			}
		}
	})
}
