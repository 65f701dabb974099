package records

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

func TestDecisionsOfAFormAreReadAsAWhole(t *testing.T) {
	t.Parallel()
	form := url.Values{
		"doubt-0": {"run 1 0"}, "key-0": {"A"}, "decision-0": {"exists"}, "id-0": {" 3F2504E0-4f89-41d3-9a0c-0305e82c3301 "}, "note-0": {"seen"},
		"doubt-1": {"run 2 1"}, "key-1": {"B"}, // nothing is said
		"doubt-2": {"run 3 0"}, "key-2": {"C"}, "decision-2": {"absent"}, "id-2": {"3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		"doubt-3": {"run 4 0"}, "key-3": {"D"}, "decision-3": {"perhaps"},
		"doubt-4": {"nonsense"}, "key-4": {"E"}, "decision-4": {"leave"},
		"doubt-5": {"run 6 2"}, "key-5": {"F"}, "decision-5": {"leave"},
		"doubt-6": {"run 7 0"}, "key-6": {"G"}, "id-6": {"3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
	}
	list, wrong := readSaid(form)
	if len(list) != 6 || list[0] != (said{Decision: Decision{Run: "run", Seq: 1, Verdict: ledger.Exists, ID: "3F2504E0-4f89-41d3-9a0c-0305e82c3301", Note: "seen"}, Key: "A"}) {
		t.Errorf("read %+v", list)
	}
	if list[4] != (said{Decision: Decision{Run: "run", Seq: 6, Verdict: ledger.Leave}, Known: 2, Key: "F"}) {
		t.Errorf("read %+v", list[4])
	}
	want := []string{"C: an id can only be given with “It is in the service”", "D: this is not a valid decision", "E: the form does not say which record it is about",
		"G: an id was entered, but not that it is in the service"}
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Error(diff)
	}
}
