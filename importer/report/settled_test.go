package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// TestASettledDoubtPromisesNothing has a run that wrote a key down as in doubt because of an earlier one. When that doubt is
// settled as being there, its report does not say that the record goes out, nor that the service was in trouble.
func TestASettledDoubtPromisesNothing(t *testing.T) {
	t.Parallel()
	first := newBook(t)
	first.send(ledger.Record{Key: "A", Payload: []byte(`{}`), Rows: []ledger.Row{row(2, "A")}}, ledger.Outcome{State: ledger.InDoubt})
	first.end()
	later := first.next("0193a1d2-7c55-7aa0-8000-0000000000ff", 1)
	later.plan(ledger.Record{Key: "A", State: ledger.InDoubt, Digest: "another", Payload: []byte(`{}`), Rows: []ledger.Row{row(2, "A")}})
	later.end(exported)
	later.must(later.led.Resolve(t.Context(), first.run.ID, 1, ledger.Exists, "", "Ada", ""))
	summary, err := report.Build(t.Context(), later.led.Reader, later.run.ID)
	later.must(err)
	text, err := json.Marshal(summary)
	later.must(err)
	for _, untrue := range []string{"go out", "goes out", "ontact the service"} {
		if strings.Contains(string(text), untrue) {
			t.Errorf("%q is said:\n%s", untrue, text)
		}
	}
	if want := "1 failed and will be processed again in the next run"; !strings.Contains(summary.Verdict, want) || !strings.Contains(string(text), "sends only the difference") {
		t.Errorf("%s\n%s", summary.Verdict, text)
	}
}
