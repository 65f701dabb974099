package lookup

import (
	"errors"
	"fmt"
	"testing"
)

const someID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func TestLedgerAnswersAreForgottenInTime(t *testing.T) {
	t.Parallel()
	l := OfLedger("ids", func(key string) (string, string, error) {
		if key == "0" {
			return "", "", errors.New("disk full")
		}
		return someID, "", nil
	})
	for i := range maxAsked + 10 {
		if id, _ := l.Find(fmt.Sprint(i)); id != someID && i > 0 {
			t.Fatal(i, id)
		}
	}
	if len(l.asked) > 20 {
		t.Errorf("%d answers are kept", len(l.asked))
	}
	if l.Err() == nil {
		t.Error("the failure is forgotten")
	}
}

// However many names are unknown, the search for what they are like is bounded.
func TestTheFirstUnknownNamesAloneAreToldWhatIsNear(t *testing.T) {
	t.Parallel()
	l := New("clients")
	if err := l.Add("Acme Limited", someID); err != nil {
		t.Fatal(err)
	}
	for n := range maxAnswered {
		if near := l.Near(fmt.Sprint("Acme Limited ", n)); len(near) != 1 {
			t.Fatalf("name %d: %v", n, near)
		}
	}
	if near := l.Near("Acme Limitd"); len(near) > 0 || len(l.near.known) != maxAnswered {
		t.Errorf("one more: %v, %d are kept", near, len(l.near.known))
	}
	if near := l.Near("Acme Limited 1"); len(near) != 1 {
		t.Errorf("again: %v", near)
	}
	_, fail := l.Find("Acme Limitd")
	if want := `Add it to the lookup "clients" with its id.`; fail.Hint != want {
		t.Errorf("the hint is %q", fail.Hint)
	}
}
