package records

import (
	"net/url"
	"testing"

	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
)

// TestWhatIsLikelySorts shows what the evidence says of a doubt, and that a service which was down for all is not held to have done it.
func TestWhatIsLikelySorts(t *testing.T) {
	t.Parallel()
	beside := func(states ...ledger.State) (list []ledger.Record) {
		for _, state := range states {
			list = append(list, ledger.Record{State: state})
		}
		return list
	}
	broke, read, gateway := []ledger.Attempt{{Error: "EOF"}}, []ledger.Attempt{{Error: "EOF"}, {Status: 200}}, []ledger.Attempt{{Status: 502}}
	for name, c := range map[string]struct {
		requests []ledger.Attempt
		answer   *inquiry.Answer
		around   []ledger.Record
		want     likelihood
	}{
		"the list does not have it":           {read, &inquiry.Answer{Decision: ledger.Absent}, beside(ledger.Accepted), missing},
		"the list does not tell":              {broke, &inquiry.Answer{Decision: ledger.Leave}, nil, open},
		"answered, and not to be read":        {read, nil, beside(ledger.Failed), there},
		"answered with the page of a gateway": {[]ledger.Attempt{{Status: 200, Answer: "\n<!DOCTYPE html><title>Maintenance</title>"}}, nil, beside(ledger.Accepted), open},
		"answered with the id of another":     {[]ledger.Attempt{{Status: 201, Verdict: "accepted"}}, nil, beside(ledger.Accepted), open},
		"half an answer":                      {[]ledger.Attempt{{Status: 201, Answer: `{"id": "6f0c`}}, nil, beside(ledger.Accepted), there},
		"broke while the others went well":    {broke, nil, beside(ledger.Accepted, ledger.Refused), open}, // it may have been before the service acted, or behind
		"broke as the others did":             {broke, nil, beside(ledger.Failed, ledger.InDoubt, ledger.Held), missing},
		"broke as the run was stopped":        {broke, nil, beside(ledger.Held, ledger.Held), open},
		"broke between the two":               {broke, nil, beside(ledger.Accepted, ledger.Failed), open},
		"a gateway's word":                    {gateway, nil, beside(ledger.Accepted), open},
		"a gateway's word, and none came":     {gateway, nil, beside(ledger.Failed), missing},
		"nothing was noted":                   {nil, nil, beside(ledger.Accepted), open},
	} {
		if got, why := weigh(entry{Requests: c.requests}, c.answer, c.around); got != c.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got, why, c.want)
		}
	}
}

// TestAGroupIsSettledTogether shows that a word about a group is one about each of its records that has none of its own.
func TestAGroupIsSettledTogether(t *testing.T) {
	t.Parallel()
	list, wrong := readSaid(url.Values{
		"all-there": {"exists"}, "all-open": {""},
		"doubt-0": {"run 1 0"}, "key-0": {"A"}, "likely-0": {"there"},
		"doubt-1": {"run 2 0"}, "key-1": {"B"}, "likely-1": {"there"}, "decision-1": {"leave"},
		"doubt-2": {"run 3 0"}, "key-2": {"C"}, "likely-2": {"open"},
		"doubt-3": {"run 4 0"}, "key-3": {"D"}, "likely-3": {"missing"},
	})
	if len(wrong) > 0 || len(list) != 2 || list[0].Key != "A" || list[0].Verdict != ledger.Exists || list[1].Key != "B" || list[1].Verdict != ledger.Leave {
		t.Errorf("%+v, %v", list, wrong)
	}
}
