package certificate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/certificate"
	"docketsync/importer/ledger"
	records "docketsync/importer/ledger/unchanged"
	"docketsync/mapping/reason"
)

var unknownOffice = []string{"lookup_unknown", "registry_id", `"XX" is not in the lookup "registries"`}

// migration is three nights: marks go in, rejects are corrected and imported again, and everything is read once more.
func migration(t testing.TB) *book {
	b := newBook(t)
	first := b.night(func(r *ledger.Run) { r.Counts.Skipped = map[string]int{"blank": 2, "filtered: dead": 1} })
	first.send(mark(2, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme"), ledger.Accepted)
	first.send(mark(3, "TM-2", "EM", "Bramble", "Registered", "2026-12-01", "Acme"), ledger.Accepted)
	first.send(mark(4, "TM-3", "US", "Clover", "Pending", "", "Brightwater"), ledger.Refused, ledger.Reason{Code: "refused", Message: "the registry is closed", Hint: "Ask it."})
	first.plan(reject(mark(5, "TM-4", "XX", "Dahlia", "Registered", "2029-01-01", "Acme"), unknownOffice[0], unknownOffice[1], unknownOffice[2]))
	keyless := reject(mark(6, "", "EM", "Elm", "Registered", "2030-05-05", "Acme"), "key_empty", "key", "the key is empty")
	first.plan(keyless)
	first.plan(reject(mark(7, "TM-6?", "XX", "Fern", "Registered", "2031-01-01", "Acme"), unknownOffice[0], unknownOffice[1], unknownOffice[2]))
	first.plan(reject(mark(8, "TM-7", "XX", "Gorse", "Registered", "2032-01-01", "Cobalt"), unknownOffice[0], unknownOffice[1], unknownOffice[2]))
	first.end()
	second := b.night(corrected)
	second.send(ofReject(mark(2, "TM-4", "EM", "Dahlia", "Registered", "2029-01-01", "Acme"), first, 4), ledger.Accepted)
	second.send(ofReject(mark(3, "TM-5", "EM", "Elm", "Registered", "2030-05-05", "Acme"), first, 5), ledger.Accepted)
	second.send(ofReject(mark(4, "TM-6", "EM", "Fern", "Registered", "2031-01-01", "Acme"), first, 6), ledger.Accepted)
	second.end()
	third := b.night()
	third.plan(unchanged(mark(2, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme")))
	third.send(mark(3, "TM-2", "EM", "Bramble & Co", "Registered", "2026-12-01", "Acme"), ledger.Failed)
	third.send(mark(4, "TM-3", "US", "Clover", "Pending", "", "Brightwater"), ledger.Accepted)
	third.end()
	return b
}

func TestARecordCountsOnceByItsLastOutcome(t *testing.T) {
	t.Parallel()
	cert := migration(t).certify(0)
	want := certificate.Account{
		Read: 16, InRecords: 13, Planned: 13, Superseded: 4, Corrected: 2, Records: 7,
		In: 5, Updated: 5, NotIn: 2, Rejected: 1, Failed: 1,
	}
	got := cert.Overall
	got.Skipped = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the account (-want +got):\n%s", diff)
	}
	if !cert.AddsUp || cert.Complete {
		t.Errorf("adds up: %v %q; complete: %v", cert.AddsUp, cert.Discrepancies, cert.Complete)
	}
	if want := "5 of 7 records were imported; 1 was rejected, 1 failed."; cert.Verdict != want {
		t.Errorf("the verdict is %q, want %q", cert.Verdict, want)
	}
	var counted [][4]int
	for _, r := range cert.Runs {
		counted = append(counted, [4]int{r.Records, r.Counted, r.Superseded, r.Corrected})
	}
	if diff := cmp.Diff([][4]int{{7, 1, 4, 2}, {3, 3, 0, 0}, {3, 3, 0, 0}}, counted); diff != "" {
		t.Errorf("records, counted, superseded, corrected of the runs (-want +got):\n%s", diff)
	}
	list := cert.NotIn.List
	if len(list) != 2 || list[0].Key != "TM-7" || list[1].Key != "TM-2" || list[1].Earlier != cert.Runs[0].ID || list[0].Earlier != "" {
		t.Errorf("what is not in is %+v", list)
	}
}

func TestWithoutTheRunOfCorrectionsItsRejectsAreNotIn(t *testing.T) {
	t.Parallel()
	b := migration(t)
	b.runs = b.runs[:1]
	cert := b.certify(0)
	if a := cert.Overall; a.Records != 7 || a.In != 2 || a.Rejected != 4 || a.Refused != 1 || !cert.AddsUp {
		t.Errorf("the account is %+v %q", a, cert.Discrepancies)
	}
	causes := 0
	for _, c := range cert.NotIn.Causes {
		causes += c.Records
	}
	if causes != 5 || cert.NotIn.Causes[0].Code != "lookup_unknown" || cert.NotIn.Causes[0].Records != 3 {
		t.Errorf("the causes are %+v", cert.NotIn.Causes)
	}
}

// What is signed must not say of a record what kept another out.
func TestCausesAreToldApartAsInReports(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	for i, said := range []string{"the mark 17 is locked", "the registry is closed", "the mark 18 is locked"} {
		n.send(mark(i+2, fmt.Sprint("TM-", i), "EM", "Ash", "Registered", "", "Acme"), ledger.Refused, ledger.Reason{Code: "refused", Message: said})
	}
	for i, office := range []string{"XX", "YY", "XX"} {
		r := reject(mark(i+20, fmt.Sprint("TX-", i), office, "Ash", "Registered", "", "Acme"), "lookup_unknown", "registry_id", fmt.Sprintf("%q is not in the lookup", office))
		r.Reasons[0].Value = office
		n.plan(r)
	}
	n.end()
	got := map[string]int{}
	for _, c := range b.certify(0).NotIn.Causes {
		got[c.Message] = c.Records
	}
	want := map[string]int{"the mark … is locked": 2, "the registry is closed": 1, `"XX" is not in the lookup`: 2, `"YY" is not in the lookup`: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the causes (-want +got):\n%s", diff)
	}
}

// A night on which nothing changed, as a ledger keeps it: in blocks, without a row for each record.
func TestAQuietNightLeavesWhatWentInBefore(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	first, marks := b.night(), []ledger.Record{}
	for i := range 300 {
		marks = append(marks, mark(i+2, fmt.Sprintf("TM-%03d", i), "EM", "Ash", "Registered", "2027-03-01", "Acme"))
		first.send(marks[i], ledger.Accepted)
	}
	first.end()
	second := b.night()
	writer, err := b.led.UnchangedWriter(t.Context(), second.run)
	b.must(err)
	for i, r := range marks {
		r = unchanged(r)
		writer.Add(int64(i+1), r.Key, r.Digest, r.ServiceID, []records.Place{{Source: r.Rows[0].Source, Number: r.Rows[0].Number}})
	}
	b.must(writer.Flush(t.Context(), true))
	second.end(func(r *ledger.Run) { r.Counts.Read, r.Counts.InRecords = len(marks), len(marks) })
	for from, want := range []certificate.Account{
		{Read: 600, InRecords: 600, Planned: 600, Superseded: 300, Records: 300, In: 300, Updated: 300},
		{Read: 300, InRecords: 300, Planned: 300, Records: 300, In: 300, Already: 300},
	} {
		b.runs = []*night{first, second}[from:]
		cert := b.certify(4)
		got := cert.Overall
		got.Skipped = nil
		if diff := cmp.Diff(want, got); diff != "" || !cert.Complete {
			t.Errorf("of run %d on, complete %v %q (-want +got):\n%s", from+1, cert.Complete, cert.Discrepancies, diff)
		}
		if op := cert.Operations[0]; op.Compared.Payloads != 300 || op.Compared.Cells != 300*(1-from) || op.Hashes.Payloads != 300 {
			t.Errorf("of run %d on, %+v %+v", from+1, op.Compared, op.Hashes)
		}
	}
}

func TestOrderOfTheArgumentsAndRepetitionChangeNothing(t *testing.T) {
	t.Parallel()
	b := migration(t)
	want := b.certify(4)
	b.runs = []*night{b.runs[2], b.runs[0], b.runs[1], b.runs[0]}
	if diff := cmp.Diff(want, b.certify(4), cmp.AllowUnexported(certificate.Group{})); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

func TestCountsAreReconciledByWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	op := migration(t).certify(0).Operations[0]
	type line struct {
		text       string
		source, in int
	}
	want := map[string][]line{
		"client": {{"Acme", 5, 4}, {"Cobalt", 1, 0}, {"Brightwater", 1, 1}},
		"office": {{"EM", 5, 4}, {"XX", 1, 0}, {"US", 1, 1}},
		"status": {{"Registered", 6, 4}, {"Pending", 1, 1}},
	}
	got := map[string][]line{}
	for _, d := range op.Breakdown {
		for _, g := range d.Groups {
			got[d.Name] = append(got[d.Name], line{g.Text, g.Source, g.In})
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("by client, office and status (-want +got):\n%s", diff)
	}
}

func TestControlTotalsOfSourceAndService(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	n.send(mark(2, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme"), ledger.Accepted)
	lost := mark(3, "TM-2", "EM", "Bramble", "Registered", "", "Acme")
	lost.Rows = []ledger.Row{cells(3, "TM-2", "EM", "Bramble", "A-TM-2", "Registered", "n/a", "Acme")}
	n.send(lost, ledger.Accepted)
	shifted := mark(4, "TM-3", "EM", "Clover", "Registered", "2028-01-02", "Acme")
	shifted.Rows = []ledger.Row{cells(4, "TM-3", "EM", "Clover", "A-TM-3", "", map[string]string{"d": "2028-01-01"}, "Acme")}
	n.send(shifted, ledger.Accepted)
	n.end()
	cert := b.certify(0)
	controls := map[string]certificate.Control{}
	for _, c := range cert.Operations[0].Controls {
		controls[c.Field] = c
	}
	expiry := controls["expiry_date"]
	if expiry.SourceFilled != 3 || expiry.SentFilled != 2 || expiry.Lost != 1 || expiry.Same != 1 || expiry.Converted != 1 || expiry.Words[0].Text != "n/a" {
		t.Errorf("the dates of expiry: %+v", expiry)
	}
	if diff := cmp.Diff(&certificate.Span{Dates: 2, Earliest: "2027-03-01T00:00:00Z", Latest: "2028-01-02T00:00:00Z", Cells: 2, First: "2027-03-01", Last: "2028-01-01"}, expiry.Span); diff != "" {
		t.Errorf("their span (-want +got):\n%s", diff)
	}
	if status := controls["status"]; status.Added != 1 || status.Same != 2 {
		t.Errorf("the states: %+v", status)
	}
	if left := cert.Operations[0].Unmapped; len(left) != 1 || left[0] != (certificate.Unmapped{Column: "Owner", Filled: 1}) {
		t.Errorf("columns that nothing is sent of: %+v", left)
	}
	if !slices.ContainsFunc(cert.Reservations, func(s string) bool { return strings.Contains(s, "expiry_date") && strings.Contains(s, "“n/a” 1×") }) {
		t.Errorf("nobody is told of the date that was lost: %q", cert.Reservations)
	}
}

func TestSumsOfNumbers(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night(func(r *ledger.Run) {
		r.Operation, r.Scope = "create_folder", "create_folder"
		r.Sources[0].Header = []string{"Folder", "No"}
		r.Sources[0].Origins = []ledger.Origin{{Field: "name", From: "column", Columns: []int{0}}, {Field: "files.number", From: "column", Type: "number", Columns: []int{1}}}
	})
	n.send(ledger.Record{Key: "A", Action: ledger.Create, Payload: []byte(`{"name":"A","files":[{"number":90071992547409931},{"number":0.5}]}`),
		Rows: []ledger.Row{cells(2, "A", map[string]string{"n": "90071992547409931"}), cells(3, "A", "0.25")}}, ledger.Accepted)
	n.end()
	cert := b.certify(0)
	for _, c := range cert.Operations[0].Controls {
		want := certificate.Sum{Sent: "90071992547409931.50", Beside: "90071992547409931.50", Source: "90071992547409931.25", Differs: true}
		if c.Field == "files.number" && (c.Sum == nil || *c.Sum != want) {
			t.Errorf("the sum is %+v, want %+v", c.Sum, want)
		}
	}
	if len(cert.Reservations) != 1 || !strings.Contains(cert.Reservations[0], "the sum of files.number is 90071992547409931.25 in the source") {
		t.Errorf("what is told of it: %q", cert.Reservations)
	}
}

func TestHashTotalsCanBeMadeAgain(t *testing.T) {
	t.Parallel()
	h := migration(t).certify(0).Operations[0].Hashes
	hash := func(lines ...string) string {
		sum := sha256.Sum256([]byte(strings.Join(lines, "")))
		return hex.EncodeToString(sum[:])
	}
	in := []string{"TM-1", "TM-3", "TM-4", "TM-5", "TM-6"}
	payloads := map[string][]byte{
		"TM-1": mark(2, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme").Payload, "TM-3": mark(4, "TM-3", "US", "Clover", "Pending", "", "Brightwater").Payload,
		"TM-4": mark(2, "TM-4", "EM", "Dahlia", "Registered", "2029-01-01", "Acme").Payload, "TM-5": mark(3, "TM-5", "EM", "Elm", "Registered", "2030-05-05", "Acme").Payload,
		"TM-6": mark(4, "TM-6", "EM", "Fern", "Registered", "2031-01-01", "Acme").Payload,
	}
	var lines []string
	for _, key := range in {
		lines = append(lines, key+"\t"+digest(payloads[key])+"\n")
	}
	want := certificate.Hashes{
		KeysSource: 7, OfSource: hash("TM-1\n", "TM-2\n", "TM-3\n", "TM-4\n", "TM-5\n", "TM-6\n", "TM-7\n"),
		KeysIn: 5, OfIn: hash(strings.Join(in, "\n") + "\n"), Payloads: 5, OfPayloads: hash(lines...),
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("the hash totals (-want +got):\n%s", diff)
	}
}

func TestUnchangedRecordsAreCheckedAgainstWhatIsKnown(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	one := mark(2, "TM-1", "EM", "Ashcombe", "Registered", "2027-03-01", "Acme")
	before := b.night()
	before.send(one, ledger.Accepted)
	before.end()
	later := b.night()
	later.plan(unchanged(one))
	stale := unchanged(mark(3, "TM-2", "EM", "Bramble", "Registered", "2027-03-01", "Acme"))
	stale.Notes = []ledger.Reason{{Code: "changed_since_created", Message: "its row has changed since"}}
	later.plan(stale)
	later.end()
	b.runs = b.runs[1:]
	cert := b.certify(0)
	if a := cert.Overall; a.Already != 2 || a.Outdated != 1 || a.In != 2 || cert.Complete {
		t.Errorf("the account is %+v, complete: %v", a, cert.Complete)
	}
	if c := cert.Operations[0].Compared; c != (certificate.Compared{Records: 2, In: 2, Payloads: 1}) {
		t.Errorf("compared were %+v", c)
	}
	// Answers of other runs may have shown what the service stored.
	if limits, annex := cert.Limits(), cert.Operations[0].ReadBack(); len(limits) != 1 || !strings.Contains(limits[0], "in these runs") || !strings.Contains(annex, "in these runs") {
		t.Errorf("it says %q and %q", limits, annex)
	}
	if h := cert.Operations[0].Hashes; h.Payloads != 1 || h.KeysIn != 2 {
		t.Errorf("the hash totals are of %d payloads and %d keys", h.Payloads, h.KeysIn)
	}
}

// TestARowThatChangedBackIsWhatWasCreated has a row that changed, was acknowledged, and changed back; and one of which another job
// sends the change. One run is certified alone, and then with the one that created them.
func TestARowThatChangedBackIsWhatWasCreated(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	one, other := mark(2, "TM-1", "EM", "Ashcombe", "Registered", "", "Acme"), mark(3, "TM-2", "EM", "Bramble", "Registered", "", "Acme")
	before := b.night()
	before.send(one, ledger.Accepted)
	before.send(other, ledger.Accepted)
	before.end()
	later := b.night()
	again, changed := unchanged(one), unchanged(mark(3, "TM-2", "EM", "Bramble II", "Registered", "", "Acme"))
	again.Notes = []ledger.Reason{ledger.Reason{}.Says(reason.New(reason.ChangeGone, "TM-1", "1 May"))}
	changed.Notes = []ledger.Reason{ledger.Reason{}.Says(reason.New(reason.ChangeUpdates, "TM-2", "1 May"))}
	later.plan(again)
	later.plan(changed)
	later.end()
	cert := b.certify(9)
	says := map[string]string{}
	for _, s := range cert.Sample {
		says[s.Key] = s.Remark
	}
	if !strings.Contains(says["TM-1"], "has what was created again") || !strings.Contains(says["TM-2"], "another job sends the change") {
		t.Errorf("the sample says %q", says)
	}
	b.runs = b.runs[1:]
	cert = b.certify(0)
	if h := cert.Operations[0].Hashes; h.Payloads != 1 || cert.Overall.Outdated != 2 || cert.Complete {
		t.Errorf("%d payloads are known, %+v", h.Payloads, cert.Overall)
	}
}

// TestALaterUpdateIsNotTakenForWhatWasUnchanged has a run that another one, not certified, followed: what the service holds now is
// not what it held then.
func TestALaterUpdateIsNotTakenForWhatWasUnchanged(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	one, other := mark(2, "TM-1", "EM", "Ashcombe", "Registered", "", "Acme"), mark(2, "TM-1", "EM", "Ashcombe & Co", "Registered", "", "Acme")
	before, during, after := b.night(), b.night(), b.night()
	before.send(one, ledger.Accepted)
	before.end()
	during.plan(unchanged(one))
	during.end()
	after.send(other, ledger.Accepted)
	after.end()
	b.runs = []*night{during}
	cert := b.certify(0)
	if c := cert.Operations[0].Compared; c.In != 1 || c.Payloads != 0 {
		t.Errorf("compared were %+v", c)
	}
	if !slices.ContainsFunc(cert.Reservations, func(s string) bool {
		return strings.Contains(s, "what the service accepted for 1 record is no longer known")
	}) {
		t.Errorf("the reservations are %q", cert.Reservations)
	}
	b.runs = []*night{before, during}
	if c := b.certify(0).Operations[0].Compared; c.Payloads != 1 {
		t.Errorf("with the run that sent it, compared were %+v", c)
	}
}

func TestWhatPruningTookAwayIsSaid(t *testing.T) {
	t.Parallel()
	b := migration(t)
	removed, err := b.led.Prune(t.Context(), b.runs[0].run.ID)
	b.must(err)
	cert := b.certify(4)
	if a := cert.Overall; removed != 4 || a.Removed != 4 || !cert.AddsUp || cert.Complete || a.Planned != 13 {
		t.Errorf("%d removed; the account is %+v %q", removed, a, cert.Discrepancies)
	}
	if !strings.Contains(cert.Verdict, "4 more were pruned from the ledger and can no longer be certified") {
		t.Errorf("the verdict is %q", cert.Verdict)
	}
	if c := cert.Operations[0].Compared; c.Payloads >= c.In || c.In != cert.Overall.In {
		t.Errorf("what is compared is %+v", c)
	}
	if !slices.ContainsFunc(cert.Reservations, func(s string) bool { return strings.Contains(s, "was pruned on") && strings.Contains(s, "4 records") }) {
		t.Errorf("the reservations are %q", cert.Reservations)
	}
}

func TestRunsThatCannotBeCertified(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.night().end()
	b.night(func(r *ledger.Run) { r.Kind = ledger.Plan }).end()
	b.night().end(func(r *ledger.Run) { r.Phase, r.Ended = ledger.Pushing, time.Time{} })
	b.night().end(func(r *ledger.Run) { r.Phase, r.Fingerprint, r.Stop = ledger.Stopped, "", "the file is gone" })
	for _, test := range []struct{ id, want string }{
		{"ffff", "is not in this ledger"},
		{b.runs[1].run.ID, "is a plan: it sent nothing"},
		{b.runs[2].run.ID, "has not ended (it is pushing)"},
		{b.runs[3].run.ID, "ended before its plan was complete and sent nothing: the file is gone"},
	} {
		_, err := certificate.Build(t.Context(), b.led.Reader, []string{b.runs[0].run.ID, test.id}, certificate.Options{})
		var refused *certificate.RunError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("run %s: %v, want %q", test.id, err, test.want)
		}
	}
	_, err := certificate.Build(t.Context(), b.led.Reader, []string{"ffff", b.runs[1].run.ID}, certificate.Options{})
	if err == nil || !strings.Contains(err.Error(), "not in this ledger") || !strings.Contains(err.Error(), "is a plan") {
		t.Errorf("both mistakes should be told of: %v", err)
	}
}

// TestStoppedRunsAreCertifiedWithWhatIsHeld shows that what was never sent is not taken for something else.
func TestStoppedRunsAreCertifiedWithWhatIsHeld(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	n.send(mark(2, "TM-1", "EM", "Ashcombe", "Registered", "", "Acme"), ledger.Accepted)
	held := mark(3, "TM-2", "EM", "Bramble", "Registered", "", "Acme")
	held.State = ledger.Planned
	n.plan(held)
	n.send(mark(4, "TM-3", "EM", "Clover", "Registered", "", "Acme"), ledger.InDoubt)
	n.end(func(r *ledger.Run) {
		r.Phase, r.StopCode, r.Stop = ledger.Stopped, "interrupted", "the run was interrupted"
	})
	cert := b.certify(0)
	if a := cert.Overall; a.Held != 1 || a.InDoubt != 1 || a.In != 1 || a.NotIn != 2 || !cert.AddsUp {
		t.Errorf("the account is %+v %q", a, cert.Discrepancies)
	}
	if want := "1 of 3 records was imported; 1 is in doubt, 1 was never sent."; cert.Verdict != want {
		t.Errorf("the verdict is %q, want %q", cert.Verdict, want)
	}
}

// TestAWordIsNotTheServicesAnswer settles a doubt: the record is in, and it is said on whose word.
func TestAWordIsNotTheServicesAnswer(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	n := b.night()
	n.send(mark(2, "TM-1", "EM", "Ashcombe", "Registered", "", "Acme"), ledger.Accepted)
	n.send(mark(3, "TM-2", "EM", "Bramble", "Registered", "", "Acme"), ledger.InDoubt)
	n.end()
	b.must(b.led.Resolve(t.Context(), n.run.ID, 2, ledger.Exists, "", "Ana", "seen in the register"))
	cert := b.certify(0)
	if a := cert.Overall; a.In != 2 || a.Vouched != 1 || !cert.Complete {
		t.Errorf("the account is %+v", a)
	}
	if len(cert.Reservations) != 1 || !strings.Contains(cert.Reservations[0], "TM-2: Ana said on ") {
		t.Errorf("the reservations are %q", cert.Reservations)
	}
}

func TestTheSameLedgerGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	b := migration(t)
	one, two := written(t, b.certify(6)), written(t, b.certify(6))
	for n, name := range []string{"the page", "the workbook", "the JSON"} {
		if !bytes.Equal(one[n], two[n]) {
			t.Errorf("%s is different the second time", name)
		}
	}
}

// written are the three forms.
func written(t testing.TB, cert *certificate.Certificate) [3][]byte {
	t.Helper()
	var page, sheet, text bytes.Buffer
	if err := errors.Join(cert.WriteHTML(&page), cert.WriteXLSX(&sheet, ""), cert.WriteJSON(&text)); err != nil {
		t.Fatal(err)
	}
	return [3][]byte{page.Bytes(), sheet.Bytes(), text.Bytes()}
}
