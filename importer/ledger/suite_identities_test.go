package ledger

import (
	"fmt"
	"testing"

	"docketsync/importer/ledger/history"
)

var identitiesCases = cases{
	"the ids of a scope come in the order of their keys, over several pages": theIdsOfAScopeComeInTheOrderOfTheirKeys,
}

func theIdsOfAScopeComeInTheOrderOfTheirKeys(t *testing.T, l *Ledger) {
	const many = history.IdentitiesPage + 7
	begin(t, l, "one")
	var records []Record
	var intents []Intent
	var outcomes []Outcome
	var want []Identity
	for n := range many {
		seq, key, id := int64(n+1), fmt.Sprintf("M-%05d", n), fmt.Sprint("id-", n)
		r := planned("one", seq, key)
		if n == 3 {
			key = "M-00003\x00\xff" // a key that no text column could hold
			r.Key = key
		}
		records = append(records, r)
		intents = append(intents, Intent{Run: "one", Seq: seq})
		o := Outcome{Run: "one", Seq: seq, State: Accepted, ServiceID: id, At: noon}
		if n == 5 {
			o.ServiceID = "" // the service did not say
		} else {
			want = append(want, Identity{Scope: "create_case", Key: key, ServiceID: id})
		}
		if n == 11 {
			o.ServiceID = "0B5E4C5A-7F11-4B7E-9A55-00000000000A" // as the service spelled it
			want[len(want)-1].ServiceID = o.ServiceID
		}
		if n == 9 {
			o.Also = []Identity{{Scope: "create_folder.files", Key: "M-00009", ServiceID: "file-9"}}
		}
		outcomes = append(outcomes, o)
	}
	add(t, l, records...)
	must(t, l.Commit(t.Context(), nil, intents))
	must(t, l.Commit(t.Context(), outcomes, nil))
	var got []Identity
	for identity, err := range l.Identities(t.Context(), "create_case") {
		must(t, err)
		got = append(got, identity)
	}
	same(t, got, want)
	for range l.Identities(t.Context(), "nothing") {
		t.Error("a scope that nobody knows has ids")
	}
	holders, err := l.Holders(t.Context(), []string{"id-9", "file-9", "id-none", "", "id-3", "{0b5e4c5a-7f11-4b7e-9a55-00000000000a}"})
	must(t, err)
	same(t, holders, map[string][]Identity{
		"0b5e4c5a-7f11-4b7e-9a55-00000000000a": {{Scope: "create_case", Key: "M-00011", ServiceID: "0B5E4C5A-7F11-4B7E-9A55-00000000000A"}},
		"id-9":                                 {{Scope: "create_case", Key: "M-00009", ServiceID: "id-9"}}, "file-9": {{Scope: "create_folder.files", Key: "M-00009", ServiceID: "file-9"}}, "id-3": {{Scope: "create_case", Key: "M-00003\x00\xff", ServiceID: "id-3"}},
	})
}
