package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// TestARenamedKeyIsNotASecondCase replaces keys of an export by others and leaves everything else. Nothing is created
// under the new keys until a person has decided which it is, however many nights that takes.
func TestARenamedKeyIsNotASecondCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.expect(w.run(w.job("matters", casesMapping, cases(1, 4))), "accepted 4")
	export := strings.NewReplacer("M-00001,Case 1,", "N-1,Case 1,", "M-00002,Case 2,", "N-2,Case 2,").Replace(cases(1, 4)) + "N-9,Case 9,Open\n"
	night := func(states string) ledger.Run {
		t.Helper()
		run := w.run(w.job("matters", casesMapping, export))
		w.expect(run, states)
		w.onceEach()
		return run
	}
	planned, err := w.importer().Plan(t.Context(), w.job("matters", casesMapping, export))
	w.must(err)
	w.expect(planned, "planned 1, rejected 2, unchanged 2")
	run := night("accepted 1, rejected 2, unchanged 2")
	for _, r := range w.records(run) {
		if r.State == ledger.Rejected && (len(r.Reasons) != 1 || r.Reasons[0].Code != reason.Renamed || len(r.Rows[0].Cells) == 0 ||
			!strings.Contains(r.Reasons[0].Message, `may be a new key of "M-0000`+r.Key[2:]+`", which has the same number or is the same in everything else`)) {
			t.Errorf("%s: %+v", r.Key, r.Reasons)
		}
	}
	night("rejected 2, unchanged 3")
	corrected := export
	export = strings.Replace(export, "N-2,Case 2,", "N-2,Case Two,", 1) // a number that is the key says nothing of what it is
	night("rejected 2, unchanged 3")
	export = corrected
	open, err := w.book.OpenRenames(t.Context())
	w.must(err)
	if len(open) != 2 || open[0].Key != "N-1" || open[0].Former != "M-00001" {
		t.Fatalf("open: %+v", open)
	}
	known, err := w.book.Known(t.Context(), "create_case", []string{"M-00001"})
	w.must(err)
	id := known["M-00001"].ServiceID
	w.must(w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"))
	w.must(w.book.DecideRename(t.Context(), open[1], ledger.NewRecord, "ada"))
	run = night("accepted 1, unchanged 4")
	for _, r := range w.records(run) {
		if r.Key == "N-1" && (r.ServiceID != id || len(r.Notes) != 1 || r.Notes[0].Code != "changed_since_created") {
			t.Errorf("N-1: %+v", r)
		}
	}
	night("unchanged 5")
}

// TestAKeyThatIsRenamedToAndFroIsAskedAboutEachTime changes a reference, changes it back and changes it again. The
// earlier decision has been carried out and does not apply the next time.
func TestAKeyThatIsRenamedToAndFroIsAskedAboutEachTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	for n, key := range []string{"A-1", "B-1", "A-1", "B-1", "C-1"} {
		job := w.job("matters", casesMapping, "Ref,Title,Status\nC-9,Other,Open\n"+key+",Smith v Jones,Open\n")
		if n == 0 {
			w.expect(w.run(job), "accepted 2")
			continue
		}
		for range 2 {
			w.expect(w.run(job), "rejected 1, unchanged 1")
		}
		open, err := w.book.OpenRenames(t.Context())
		w.must(err)
		if len(open) != 1 || open[0].Key != key {
			t.Fatalf("open: %+v", open)
		}
		w.must(w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"))
		w.expect(w.run(job), "unchanged 2")
	}
	w.onceEach()
	trail, err := w.book.Trail(t.Context())
	w.must(err)
	verified, err := w.book.Verify(t.Context(), chain.Head{})
	w.must(err)
	ids := map[string]bool{}
	for _, e := range trail {
		ids[e.ID] = true
	}
	if len(ids) != 4 || len(verified.Misfits) > 0 {
		t.Errorf("the audit has %+v, and the ledger does not fit %+v", trail, verified.Misfits)
	}
}

// TestAQuestionIsWithdrawnWhenTheFormerKeyIsBack leaves a matter out of one export, in which another matter of the same
// name is new. Once the matter is back, two keys in one export are two matters.
func TestAQuestionIsWithdrawnWhenTheFormerKeyIsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const head, former, fresh = "Ref,Title,Status\nC-9,Other,Open\n", "A-1,Acme: general advice,Open\n", "B-1,Acme: general advice,Open\n"
	w.expect(w.run(w.job("matters", casesMapping, head+former)), "accepted 2")
	for range 2 {
		w.expect(w.run(w.job("matters", casesMapping, head+fresh)), "rejected 1, unchanged 1")
	}
	open, err := w.book.OpenRenames(t.Context())
	w.must(err)
	planned, err := w.importer().Plan(t.Context(), w.job("matters", casesMapping, head+former+fresh))
	w.must(err)
	w.expect(planned, "planned 1, unchanged 2")
	w.expect(w.run(w.job("matters", casesMapping, head+former+fresh)), "accepted 1, unchanged 2")
	if err := w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"); err == nil {
		t.Error("one of two matters was said to be the other")
	}
	w.expect(w.run(w.job("matters", casesMapping, head+former+fresh)), "unchanged 3")
	w.onceEach()
}

// TestAQuestionIsWithdrawnWhateverBecameOfTheNewKey has the old key back on a night on which the row of the new key is
// missing or rejected, so there is nothing to create.
func TestAQuestionIsWithdrawnWhateverBecameOfTheNewKey(t *testing.T) {
	t.Parallel()
	for _, night := range []string{"", "B-1,,Open\n"} {
		w := newWorld(t, sandbox.Faults{})
		const head, former, fresh = "Ref,Title,Status\nC-9,Other,Open\n", "A-1,Smith v Jones,Open\n", "B-1,Smith v Jones,Open\n"
		w.run(w.job("matters", casesMapping, head+former))
		w.expect(w.run(w.job("matters", casesMapping, head+fresh)), "rejected 1, unchanged 1")
		open, err := w.book.OpenRenames(t.Context())
		if w.must(err); len(open) != 1 {
			t.Fatalf("open: %+v", open)
		}
		w.run(w.job("matters", casesMapping, head+former+night))
		left, err := w.book.OpenRenames(t.Context())
		if w.must(err); len(left) > 0 {
			t.Errorf("still open: %+v", left)
		}
		if err := w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"); err == nil {
			t.Error("a record that is there was said to be another")
		}
		w.expect(w.run(w.job("matters", casesMapping, head+former+fresh)), "accepted 1, unchanged 2")
		w.onceEach()
	}
}

// TestAQuestionIsWithdrawnWhenTheNewKeyGivesWayToTheFormer changes a reference and changes it back, with another title.
func TestAQuestionIsWithdrawnWhenTheNewKeyGivesWayToTheFormer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	for n, row := range []string{"A-1,Lease", "B-1,Lease", "A-1,Lease of Mill"} {
		w.run(w.job("matters", casesMapping, "Ref,Title,Status\nC-9,Other,Open\n"+row+",Open\n"))
		open, err := w.book.OpenRenames(t.Context())
		if w.must(err); len(open) != n%2 {
			t.Errorf("with %s, open: %+v", row, open)
		}
	}
}

// TestAReferenceThatIsAnothersNowIsAskedAbout gives references to other matters: nothing is created twice, and every
// matter is there in the end.
func TestAReferenceThatIsAnothersNowIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, now string
		nights            []string // the outcome of each run; between the runs every question is answered as the same record
	}{
		{"given to a new matter", "101,Lease", "101,Dispute\n205,Lease", []string{"rejected 1, unchanged 2", "rejected 1, unchanged 2", "accepted 1, unchanged 2"}},
		{"shifted", "101,Lease\n102,Appeal\n103,Merger", "102,Lease\n103,Appeal\n104,Merger",
			[]string{"rejected 1, unchanged 3", "rejected 1, unchanged 3", "rejected 1, unchanged 3", "rejected 1, unchanged 3", "unchanged 4"}},
		{"of a title that others have", "101,Advice\n102,Advice", "101,Dispute\n102,Advice\n205,Advice", []string{"accepted 1, unchanged 3"}},
		{"of a title that several are new with", "101,Lease", "101,Dispute\n205,Lease\n206,Lease", []string{"accepted 2, unchanged 2"}},
		{"whose row is as it was", "101,Lease", "101,Lease\n205,Lease", []string{"accepted 1, unchanged 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			w.run(w.job("matters", casesMapping, "Ref,Title,Status\nZ,Other,Open\n"+strings.ReplaceAll(test.before, "\n", ",Open\n")+",Open\n"))
			export := "Ref,Title,Status\nZ,Other,Open\n" + strings.ReplaceAll(test.now, "\n", ",Open\n") + ",Open\n"
			for n, states := range test.nights {
				w.expect(w.run(w.job("matters", casesMapping, export)), states)
				if n == 0 {
					continue // the question stays open
				}
				open, err := w.book.OpenRenames(t.Context())
				w.must(err)
				for _, q := range open {
					w.must(w.book.DecideRename(t.Context(), q, ledger.SameRecord, "ada"))
				}
			}
			w.expect(w.run(w.job("matters", casesMapping, export)), fmt.Sprintf("unchanged %d", strings.Count(export, "\n")-1))
			if strings.HasPrefix(test.nights[0], "rejected") {
				titles := map[string]int{}
				for _, row := range strings.Split(export, "\n")[1:] {
					if _, rest, ok := strings.Cut(row, ","); ok {
						titles[rest]++
					}
				}
				if n := len(w.cases()); n != len(titles) {
					t.Errorf("the service has %d cases, want %d", n, len(titles))
				}
			}
		})
	}
}

// TestAReferenceWhoseRowIsRejectedIsAskedAbout has the row of an old reference rejected while a new reference has its
// former content. Until the old row is valid, it may be another record's.
func TestAReferenceWhoseRowIsRejectedIsAskedAbout(t *testing.T) {
	t.Parallel()
	const head = "Ref,Title,Status\nZ,Other,Open\n"
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("matters", casesMapping, head+"101,Lease,Open\n"))
	w.expect(w.run(w.job("matters", casesMapping, head+"101,Dispute,Open\n205,Lease,Open\n")), "rejected 1, unchanged 2")
	w.expect(w.run(w.job("matters", casesMapping, head+"101,,Open\n205,Lease,Open\n")), "rejected 2, unchanged 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"101,Lease,Open\n")), "unchanged 2")
	w.expect(w.run(w.job("matters", casesMapping, head+"101,,Open\n205,Lease,Open\n")), "rejected 2, unchanged 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"101,Lease,Open\n205,Lease,Open\n")), "accepted 1, unchanged 2")
}

// TestATitleThatWasCorrectedLongAgoIsNotAskedAbout has new matters with titles that others had before these were
// corrected. If that was in the last exports, the question stays until a person says that the matter is new; earlier
// titles raise none.
func TestATitleThatWasCorrectedLongAgoIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	const head = "Ref,Title,Status\nZ,Other,Open\n"
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("matters", casesMapping, head+"101,Lease,Open\n102,Merger,Open\n"))
	const corrected = "101,Lease of flat 1,Open\n102,Merger of Acme,Open\n"
	w.expect(w.run(w.job("matters", casesMapping, head+corrected)), "unchanged 3")
	for range 8 {
		w.expect(w.run(w.job("matters", casesMapping, head+corrected+"205,Lease,Open\n")), "rejected 1, unchanged 3")
	}
	open, err := w.book.OpenRenames(t.Context())
	w.must(err)
	w.must(w.book.DecideRename(t.Context(), open[0], ledger.NewRecord, "ada"))
	w.expect(w.run(w.job("matters", casesMapping, head+corrected+"205,Lease,Open\n")), "accepted 1, unchanged 3")
	w.expect(w.run(w.job("matters", casesMapping, head+corrected+"205,Lease,Open\n206,Merger,Open\n")), "accepted 1, unchanged 4")
}

// TestRenamesAreOfEqualContent covers what is, and what is not, taken for a record under a new key.
func TestRenamesAreOfEqualContent(t *testing.T) {
	t.Parallel()
	const named = `
operation: create_case
key: Ref
fields:
  name:             {expr: 'row["Ref"] + " " + row["Title"]'}
  number:           Ref
  active:           {value: true}
  file_template_id: {value: ` + template + `}
  user_id:          {value: ` + user + `}
`
	titled := strings.Replace(named, `{expr: 'row["Ref"] + " " + row["Title"]'}`, "Title", 1)
	unnamed := strings.Replace(named, `{expr: 'row["Ref"] + " " + row["Title"]'}`, "Ref", 1)
	for _, test := range []struct{ name, mapping, before, now, states string }{
		{"a key within a name", named, "A-1,Lumen", "B-1,Lumen", "rejected 1, unchanged 1"},
		{"another name", named, "A-1,Lumen", "B-1,Lumen SA", "accepted 1, unchanged 1"},
		{"a record that is still there", named, "A-1,Lumen", "A-1,Lumen\nB-1,Lumen", "accepted 1, unchanged 2"},
		{"two that may be it", named, "A-1,Lumen", "B-1,Lumen\nB-2,Lumen", "rejected 2, unchanged 1"},
		{"a key that is a part of a word", named, "A-1,A-10 Lumen", "B-1,B-10 Lumen", "accepted 1, unchanged 1"},
		{"a key within a name that keeps it", titled, "105,Smith matter 105 lease", "105-A,Smith matter 105 lease", "rejected 1, unchanged 1"},
		{"records without a name of their own", unnamed, "A-1,Lumen", "B-1,Lumen", "accepted 1, unchanged 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			w.run(w.job("matters", test.mapping, "Ref,Title\nZ,Other\n"+test.before+"\n"))
			w.expect(w.run(w.job("matters", test.mapping, "Ref,Title\nZ,Other\n"+test.now+"\n")), test.states)
		})
	}
}

// TestACaseOfANumberIsCreatedOnce has numbers return under another key: from a record that has been gone, from a job
// with another name, in another spelling, and in a file that is not a whole export.
func TestACaseOfANumberIsCreatedOnce(t *testing.T) {
	t.Parallel()
	numbered := strings.NewReplacer("key: Ref", "key: Ref\nchecks: {number_repeated: LEVEL}", "number:           Ref", "number:           No").Replace(casesMapping)
	const head, first = "Ref,Title,Status,No\n", "M-1,Lumen,Open,17/1\nM-2,Atlas,Open,18/1\n"
	for _, test := range []struct {
		name, job, level string
		nights           []string
		partial          bool
		states           string
	}{
		{"a night later", "matters", "error", []string{"M-2,Atlas,Open,18/1\n", "M-2,Atlas,Open,18/1\nZ-9,Solaris,Open,0017-1\n"}, false, "rejected 1, unchanged 1"},
		{"by another job", "others", "error", []string{"DE/M-1,Lumen A,Open,17/1\nDE/M-2,Atlas A,Open,18/1\nN,New,Open,19/1\n"}, false, "accepted 1, rejected 2"},
		{"in a file that is no export", "matters", "error", []string{"Z-9,Solaris,Open,17/1\n"}, true, "rejected 1"},
		{"under itself, in a file that is no export", "matters", "error", []string{"17/1,Solaris,Open,17/1\n"}, true, "rejected 1"},
		{"of another record, while the question about one is open", "matters", "error",
			[]string{"Z-9,Solaris,Open,17/1\n", "Z-9,Solaris,Open,18/1\n", "Z-9,Solaris,Open,18/1\n"}, true, "rejected 1"},
		{"and is corrected then, as is the name", "matters", "error", []string{"Z-9,Solaris,Open,17/1\n", "Z-9,Soleil,Open,19/1\n"}, true, "accepted 1"},
		{"of which the mapping warns", "matters", "warn", []string{"Z-9,Solaris,Open,17/1\nM-2,Atlas,Open,18/1\n"}, false, "accepted 1, unchanged 1"},
		{"while its record is there", "matters", "error", []string{first + "Z-9,Solaris,Open,17/1\n"}, false, "rejected 1, unchanged 2"},
		{"which the mapping allows", "matters", "off", []string{"Z-9,Solaris,Open,17/1\nM-2,Atlas,Open,18/1\n"}, false, "accepted 1, unchanged 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			mapping := strings.Replace(numbered, "LEVEL", test.level, 1)
			w.expect(w.run(w.job("matters", mapping, head+first)), "accepted 2")
			var last ledger.Run
			for _, night := range test.nights {
				job := w.job(test.job, mapping, head+night)
				job.Partial = test.partial
				last = w.run(job)
			}
			w.expect(last, test.states)
			if test.level == "error" {
				w.onceEach()
			}
			open, err := w.book.OpenRenames(t.Context())
			if w.must(err); (len(open) > 0) != strings.Contains(test.states, "rejected") && test.name != "while its record is there" {
				t.Errorf("these questions are open: %+v", open)
			}
		})
	}
}

// TestARecordThatComesBackUnderAnotherKeyIsNotASecondCase has a record that is missing from an export, or comes in a
// partial file, before its key changes.
func TestARecordThatComesBackUnderAnotherKeyIsNotASecondCase(t *testing.T) {
	t.Parallel()
	const head = "Ref,Title,Status\n"
	others := "Y,Annual meeting,Open\nY2,Annual meeting,Open\nZ,Other,Open\n"
	w := newWorld(t, sandbox.Faults{})
	w.expect(w.run(w.job("matters", casesMapping, head+others+"A-1,Lumen,Open\n")), "accepted 4")
	part := w.job("matters", casesMapping, head+"A-1/B,Lumen,Open\n")
	part.Partial = true
	w.expect(w.run(part), "rejected 1")
	w.expect(w.run(w.job("matters", casesMapping, head+others)), "unchanged 3")
	w.expect(w.run(w.job("matters", casesMapping, head+others+"B-1,Lumen,Open\n")), "rejected 1, unchanged 3")
	// A name that several records have says nothing once they have been gone for long.
	for range 7 {
		w.expect(w.run(w.job("matters", casesMapping, head+"Z,Other,Open\n")), "unchanged 1")
	}
	w.expect(w.run(w.job("matters", casesMapping, head+"Z,Other,Open\nY3,Annual meeting,Open\n")), "accepted 1, unchanged 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"Z,Other,Open\n")), "unchanged 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"Z,Other,Open\n")), "unchanged 1")
	w.expect(w.run(w.job("matters", casesMapping, head+"Z,Other,Open\nY4,Annual meeting,Open\n")), "rejected 1, unchanged 1")
}

// TestACreateInDoubtIsNotMadeUnderAnotherKey changes the key of a case whose create is in doubt.
func TestACreateInDoubtIsNotMadeUnderAnotherKey(t *testing.T) {
	t.Parallel()
	for _, mapping := range []string{casesMapping, strings.Replace(casesMapping, "number:           Ref", "number:           No", 1)} {
		w := newWorld(t, sandbox.Faults{DropAfter: 1})
		w.expect(w.run(w.job("matters", mapping, "Ref,Title,Status,No\nM-1,Lumen,Open,17/1\n")), "in_doubt 1")
		w.box.SetFaults(sandbox.Faults{})
		for range 2 {
			w.expect(w.run(w.job("matters", mapping, "Ref,Title,Status,No\nN-1,Lumen,Open,17/1\n")), "rejected 1")
		}
		w.onceEach()
	}
}

// TestWhatWasCorrectedUnderAnotherKeyIsNotSentAsItWas has the key of a row change that names its record by id.
func TestWhatWasCorrectedUnderAnotherKeyIsNotSentAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	updates, rows := w.updates(3)
	night := func(rekeyed ...string) ledger.Run {
		job := updates(strings.Split(strings.NewReplacer(rekeyed...).Replace(strings.Join(rows, "\n")), "\n"))
		job.Guards = guard.Limits{Scope: true}
		return w.run(job)
	}
	w.must(w.book.Correct(t.Context(), "updates", "M-00001", nil, []ledger.CellCorrection{{Column: "Title", Old: "Case M-00001", New: "Case I", Who: "ada"}}))
	w.expect(night(), "accepted 3")
	w.expect(night("\nM-00002,", "\nN-2,"), "accepted 1, unchanged 2")
	run := night("\nM-00001,", "\nN-1,", "\nM-00002,", "\nN-2,")
	if run.StopCode != stop.Guard || len(run.Guards) != 1 || !strings.Contains(run.Guards[0].Message, `cells of the record "N-1" were corrected in the console under its former key "M-00001"`) {
		t.Errorf("%s: %+v", run.StopCode, run.Guards)
	}
	w.expect(night("\nM-00002,", "\nN-2,"), "unchanged 3")
}

// TestDoubtsOfAJobThatWasRenamedAreNotForgotten renames a job that left a doubt, whose row is gone. What a job in doubt that still runs has is its own.
func TestDoubtsOfAJobThatWasRenamedAreNotForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{DropAfter: 1})
	w.expect(w.run(w.job("matters", casesMapping, cases(1, 1))), "in_doubt 1")
	w.box.SetFaults(sandbox.Faults{})
	doubts := func(run ledger.Run, want int) {
		t.Helper()
		list, err := w.book.DoubtsBefore(t.Context(), run)
		w.must(err)
		if len(list) != want {
			t.Errorf("job %s has %d doubts of earlier runs, want %d", run.Job, len(list), want)
		}
	}
	for range 2 {
		doubts(w.run(w.job("cases", casesMapping, cases(2, 1))), 1)
	}
	planned, err := w.importer().Plan(t.Context(), w.job("never", casesMapping, cases(2, 1)))
	w.must(err)
	doubts(planned, 0)
	doubts(w.run(w.job("elsewhere", "scope: elsewhere\n"+casesMapping, cases(3, 1))), 0)
	doubts(w.run(w.job("matters", casesMapping, cases(2, 1))), 1)
	doubts(w.run(w.job("cases", casesMapping, cases(2, 1))), 0)
}

// TestAMatterWhoseRowChangedIsKnownUnderANewKey changes references, and gives one to another matter, after the rows
// have changed since their creation. The question compares with the row of the last export, and is asked every night. A
// record that is still there beside another with the same content raises no question.
func TestAMatterWhoseRowChangedIsKnownUnderANewKey(t *testing.T) {
	t.Parallel()
	const head = "Ref,Title,Status,No\nZ,Other,Open,1\n"
	numbered := strings.NewReplacer("number:           Ref", "number:           No").Replace(casesMapping)
	for _, test := range []struct{ name, mapping, now, states string }{
		{"renumbered", casesMapping, "9,Lease of Mill,Open,79\n2,Sale,Open,78\n", "rejected 1, unchanged 2"},
		{"renumbered, with a number of its own", numbered, "9,Lease of Mill,Open,79\n2,Sale,Open,78\n", "rejected 1, unchanged 2"},
		{"given to another", casesMapping, "9,Lease of Mill,Open,79\n1,Dispute,Open,80\n2,Sale,Open,78\n", "rejected 1, unchanged 3"},
		{"still there", casesMapping, "9,Lease of Mill,Open,79\n1,Lease of Mill,Open,79\n2,Sale,Open,78\n", "accepted 1, unchanged 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			w.run(w.job("matters", test.mapping, head+"1,Lease,Open,77\n2,Sale,Open,78\n"))
			w.expect(w.run(w.job("matters", test.mapping, head+"1,Lease of Mill,Open,79\n2,Sale,Open,78\n")), "unchanged 3")
			for range 9 {
				w.expect(w.run(w.job("matters", test.mapping, head+test.now)), test.states)
				if !strings.HasPrefix(test.states, "rejected") {
					return
				}
			}
			open, err := w.book.OpenRenames(t.Context())
			w.must(err)
			if len(open) != 1 || open[0].Key != "9" || open[0].Former != "1" {
				t.Fatalf("open: %+v", open)
			}
			w.must(w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"))
			w.run(w.job("matters", test.mapping, head+test.now))
			if n, want := len(w.cases()), 1+strings.Count(test.now, "\n"); n != want {
				t.Errorf("the service has %d cases, want %d", n, want)
			}
		})
	}
}

// TestNothingIsSentByAKeyThatIsAskedAbout gives a reference to another matter while the question is open whether the
// former matter has a new one. The row under that reference is about the other matter: until the question is answered,
// it neither overwrites the former matter nor turns it inactive.
func TestNothingIsSentByAKeyThatIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	updates := strings.Replace(strings.Replace(updatesMapping, "fields:", "lookups:\n  ids: {ledger: create_case}\nfields:", 1),
		"id:             Id", "id: {column: Ref, lookup: ids}", 1)
	night := func(created, rest, matters, updated string) {
		t.Helper()
		const head = "Ref,Title,Status\n"
		w.expect(w.run(w.job("matters", casesMapping, head+created+rest)), matters)
		job := w.job("updates", updates, head+rest)
		job.Policy.DeactivateVanished = true
		w.expect(w.run(job), updated)
	}
	night("", "1,Lease,Open\n2,Sale,Open\n", "accepted 2", "accepted 2")
	for range 2 {
		night("9,Lease,Open\n", "1,Sale,Open\n", "rejected 1, unchanged 1", "held 1, rejected 1")
	}
	if off := w.inactive(); off != "" {
		t.Errorf("inactive: %s", off)
	}
	for range 2 { // 9 is 1, and then 1 is 2
		open, err := w.book.OpenRenames(t.Context())
		w.must(err)
		for _, q := range open {
			w.must(w.book.DecideRename(t.Context(), q, ledger.SameRecord, "ada"))
		}
		w.run(w.job("matters", casesMapping, "Ref,Title,Status\n9,Lease,Open\n1,Sale,Open\n"))
	}
	night("", "9,Lease,Open\n1,Sale,Open\n", "unchanged 2", "accepted 2")
	if n, off := len(w.cases()), w.inactive(); n != 2 || off != "" {
		t.Errorf("%d cases, inactive: %q", n, off)
	}
}

// TestAJobThatIsRenamedGoesOnAsItWas renames a job on a night on which a matter gets another reference, and on one on
// which an export is cut off.
func TestAJobThatIsRenamedGoesOnAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	guarded := func(name, export string) importer.Job {
		job := w.job(name, casesMapping, export)
		job.Jobs, job.Guards = []string{name}, guard.Limits{RowsFell: 10, SameFile: true, Scope: true, Least: 3}
		return job
	}
	w.expect(w.run(guarded("matters", cases(1, 20))), "accepted 20")
	changed := strings.Replace(cases(1, 20), "Case 8,", "Case 8 of Mill,", 1)
	w.expect(w.run(guarded("matters", changed)), "unchanged 20")
	renumbered := strings.NewReplacer("M-00007,", "N-7,", "M-00008,", "N-8,").Replace(changed)
	w.expect(w.run(guarded("cases", renumbered)), "rejected 2, unchanged 18")
	w.expect(w.run(guarded("cases", renumbered)), "rejected 2, unchanged 18")
	open, err := w.book.OpenRenames(t.Context())
	w.must(err)
	if len(open) != 2 || open[0].Key != "N-7" || open[0].Former != "M-00007" || open[1].Key != "N-8" || open[1].Former != "M-00008" {
		t.Fatalf("open: %+v", open)
	}

	w.expect(w.run(guarded("dossiers", cases(1, 20))), "unchanged 20")
	stopped := w.run(guarded("files", cases(1, 9)))
	if stopped.StopCode != stop.Guard || len(stopped.Guards) != 1 || !strings.Contains(stopped.Guards[0].Message, "rows fell from 20 to 9") ||
		!strings.Contains(stopped.Guards[0].Message, "compared with a job that had these records") || strings.Contains(stopped.Guards[0].Message, "dossiers") {
		t.Errorf("%s: %+v", stopped.StopCode, stopped.Guards)
	}
	// Its files end with a line break.
	w.expect(w.run(guarded("cut", strings.TrimSuffix(cases(1, 20), "\n"))), "rejected 1, unchanged 19")
	w.expect(w.run(guarded("dossiers", cases(1, 20))), "unchanged 20")
	// A job of other records is not a renamed job, whatever its columns; a job of the same records is, even with one
	// more column.
	w.expect(w.run(guarded("others", cases(101, 9))), "accepted 9")
	wider := guarded("wider", strings.ReplaceAll(cases(1, 20), "\n", ",More\n"))
	wider.Guards.Header = true
	if stopped = w.run(wider); len(stopped.Guards) != 1 || !strings.Contains(stopped.Guards[0].Message, `the header changed: "More" is new (compared with a job that had these records`) {
		t.Errorf("%s: %+v", stopped.StopCode, stopped.Guards)
	}

	elsewhere := w.job("madrid", "scope: madrid\n"+casesMapping, cases(201, 2))
	w.expect(w.run(elsewhere), "accepted 2")
	stopped = w.run(guarded("papers", cases(1, 20)+strings.TrimPrefix(cases(201, 2), "Ref,Title,Status\n")))
	if stopped.StopCode != stop.Guard || len(stopped.Guards) != 1 || !strings.Contains(stopped.Guards[0].Message, "2 records were created before under the scope") {
		t.Errorf("%s: %+v", stopped.StopCode, stopped.Guards)
	}
	// Whoever may see this job and not madrid must not learn of that one.
	lyon := w.job("lyon", "scope: lyon\n"+casesMapping, cases(201, 2))
	lyon.Guards, lyon.Jobs = guard.Limits{Scope: true, Least: 3}, []string{"lyon", "madrid"}
	stopped = w.run(lyon)
	if len(stopped.Guards) != 1 || !strings.Contains(stopped.Guards[0].Message, "2 records were created before by another job") || strings.Contains(stopped.Guards[0].Message, "madrid") {
		t.Errorf("%s: %+v", stopped.StopCode, stopped.Guards)
	}
}

// TestWhatWasCorrectedForAnotherJobIsNotSentAsItWas has rows whose cells were corrected arrive in another job of the
// scope: in its first run, as if a job was renamed or split, and in a later one. Rows that the job had before are its
// own.
func TestWhatWasCorrectedForAnotherJobIsNotSentAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	guarded := func(name, export string) importer.Job {
		job := w.job(name, casesMapping, export)
		job.Jobs, job.Guards = []string{"matters", "birch"}, guard.Limits{Scope: true, Least: 3}
		return job
	}
	w.expect(w.run(guarded("matters", cases(1, 2))), "accepted 2")
	w.must(w.book.Correct(t.Context(), "matters", "M-00004", nil, []ledger.CellCorrection{{Column: "Title", Old: "Case 4", New: "Case IV", Who: "ada"}}))
	stopped := func(export string) {
		t.Helper()
		run := w.run(guarded("birch", export))
		if run.StopCode != stop.Guard || len(run.Guards) != 1 || !strings.Contains(run.Guards[0].Message, "1 record with cells corrected in the console for another job") || strings.Contains(run.Guards[0].Message, "matters") {
			t.Errorf("%s: %+v", run.StopCode, run.Guards)
		}
	}
	stopped(cases(3, 2))
	w.expect(w.run(guarded("birch", cases(3, 1))), "accepted 1")
	stopped(cases(3, 2))
	w.expect(w.run(guarded("birch", cases(3, 1)+"M-00004,,Open\n")), "rejected 1, unchanged 1")
	stopped(cases(3, 2)) // what was rejected has not been sent
	w.expect(w.run(guarded("birch", cases(3, 1)+"M-00004,Case IV,Open\n")), "accepted 1, unchanged 1")
	w.expect(w.run(guarded("matters", cases(1, 2)+"M-00004,Case 4,Open\n")), "unchanged 3")
	w.expect(w.run(guarded("birch", cases(3, 2))), "unchanged 2")
	part := guarded("oak", cases(5, 1))
	part.Partial = true
	w.expect(w.run(part), "accepted 1")
	w.must(w.book.Correct(t.Context(), "matters", "M-00006", nil, []ledger.CellCorrection{{Column: "Title", Old: "Case 6", New: "Case VI", Who: "ada"}}))
	if run := w.run(guarded("oak", cases(5, 2))); run.StopCode != stop.Guard { // its first export
		t.Errorf("%s: %+v", run.StopCode, run.Guards)
	}
	w.onceEach()
}
