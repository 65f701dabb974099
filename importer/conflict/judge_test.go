package conflict

import (
	"encoding/json"
	"strings"
	"testing"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// sent is an update that docketsync made, told with other values what a list tells of it.
const sent = `{"id":"0b5e4c5a-7f11-4b7e-9a55-0000000000a1","mark_text":"LUMEN","application_number":"1","expiry_date":"2031-04-02T00:00:00Z","notes":null}`

func listed(at, by, fields string) *ledger.Listed {
	return &ledger.Listed{ID: "x", Stamp: ledger.Stamp{At: at, By: by}, Fields: json.RawMessage(fields)}
}

// Who changed a record last, by all that a list may tell. An update that somebody else's change would be lost by is never Untouched.
func TestWhoChangedARecordLast(t *testing.T) {
	t.Parallel()
	at, by := Rule{}, Rule{By: true, Us: []string{"Docketsync@firm.example"}}
	same, other := `{"mark_text":"LUMEN","expiry_date":"2031-04-02"}`, `{"mark_text":"LUMEN","expiry_date":"2031-04-03"}`
	learnt := func(text string) *ledger.Stamp { return &ledger.Stamp{At: text} }
	ana := &Told{ledger.Stamp{By: "ana"}, json.RawMessage(other)}
	for name, test := range map[string]struct {
		rule Rule
		Update
		want Verdict
	}{
		"not in the list":                        {at, Update{}, Unknown},
		"as it was learnt":                       {at, Update{Seen: listed("t1", "", same), Stamp: learnt("t1")}, Untouched},
		"another time":                           {at, Update{Seen: listed("t2", "", same), Stamp: learnt("t1")}, Changed},
		"another value on the same day":          {at, Update{Seen: listed("2026-11-23", "", other), Stamp: learnt("2026-11-23")}, Changed},
		"not learnt, our values":                 {at, Update{Seen: listed("t2", "", same)}, Untouched},
		"not learnt, another value":              {at, Update{Seen: listed("t2", "", other)}, Changed},
		"not learnt, no values":                  {at, Update{Seen: listed("t2", "", `{}`)}, Unknown},
		"a time in another spelling":             {at, Update{Seen: listed("t2", "", `{"expiry_date":"2031-04-02T02:00:00+02:00","notes":""}`)}, Untouched},
		"perhaps sent since, by its values":      {at, Update{Seen: listed("t2", "", other), Stamp: learnt("t1"), Unsettled: true, Planned: []byte(strings.Replace(sent, "04-02", "04-03", 1))}, Untouched},
		"perhaps sent since, and changed":        {at, Update{Seen: listed("t2", "", `{"mark_text":"LUX"}`), Stamp: learnt("t1"), Unsettled: true, Planned: []byte(sent)}, Changed},
		"by us":                                  {by, Update{Seen: listed("", "docketsync@firm.example ", other)}, Untouched},
		"by somebody else":                       {by, Update{Seen: listed("", "ana", same)}, Changed},
		"by nobody, another value":               {by, Update{Seen: listed("", "", other)}, Changed},
		"settled":                                {by, Update{Seen: listed("", "ana", other), Settled: ana}, Untouched},
		"settled, then by somebody else":         {by, Update{Seen: listed("", "bo", other), Settled: ana}, Changed},
		"settled, then by the same once more":    {by, Update{Seen: listed("", "ana", `{"mark_text":"LUX"}`), Settled: ana}, Changed},
		"settled, without any stamp, by values":  {at, Update{Seen: listed("", "", other), Settled: &Told{Fields: json.RawMessage(other)}}, Untouched},
		"settled, and the list does not have it": {at, Update{Settled: &Told{Fields: json.RawMessage("{}")}}, Untouched},
		"settled, and the list has it by now":    {at, Update{Seen: listed("t2", "", other), Settled: &Told{Fields: json.RawMessage("{}")}}, Changed},
	} {
		test.Operation, test.Accepted = payload.UpdateTrademark, json.RawMessage(sent)
		if got, why := test.rule.Judge(test.Update); got != test.want {
			t.Errorf("%s: %s (%s), want %s", name, got, why, test.want)
		}
	}
}

// The stamp of our own update is learnt where the list shows what was sent, and where it shows nothing it may be that of anybody.
func TestAStampIsLearntOfWhatWasSent(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]bool{`{"mark_text":"LUMEN"}`: true, `{"mark_text":"LUX"}`: false, `{}`: false} {
		if got := Learn(payload.UpdateTrademark, json.RawMessage(sent), *listed("t1", "", fields)); got != want {
			t.Errorf("%s: %v", fields, got)
		}
	}
}
