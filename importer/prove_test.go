package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/importer/stop"
	"docketsync/mapping/table"
)

const provenMapping = `
operation: update_trademark
key: Ref
rows: {skip: 'row["Mark"] == "Dead"'}
dates: proven
fields:
  id:                 {column: Ref, values: {"1": ` + mark1 + `, "2": ` + mark2 + `, "3": ` + mark3 + `}}
  registry_id:        {value: ` + registry + `}
  mark_text:          Mark
  application_number: Ref
  application_date:   Filed
  do_not_create_file: {value: true}
`

func TestProvenDatesAreReadFromTheWholeColumn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n2,B,25/12/2023\n3,C,31/02/2024\n")
	run := w.run(job)
	w.expect(run, "accepted 2, rejected 1")
	for _, record := range w.records(run) {
		switch record.Key {
		case "1":
			if !strings.Contains(string(record.Payload), `"application_date":"2024-04-03T00:00:00Z"`) {
				t.Errorf("the payload is %s", record.Payload)
			}
		case "3":
			if r := record.Reasons[0]; r.Code != "date_impossible" || !strings.Contains(r.Message, `"31/02/2024"`) {
				t.Errorf("the reason is %+v", r)
			}
		}
	}
	w.expect(w.run(job), "rejected 1, unchanged 2")
}

func TestUnprovenDatesStopTheRunBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n2,Dead,25/12/2023\n")
	run, err := w.importer().Run(t.Context(), job)
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) != 1 {
		t.Fatalf("the error is %v", err)
	}
	for _, part := range []string{`the column "Filed" does not prove`, `row 2 of ` + job.Inputs[0].Path, `"03/04/2024"`, "3 April 2024", "4 March 2024"} {
		if !strings.Contains(faults[0].Message, part) {
			t.Errorf("%q lacks %q", faults[0].Message, part)
		}
	}
	if run.Phase != ledger.Stopped || run.StopCode != stop.Input {
		t.Errorf("the run is %s, %s", run.Phase, run.StopCode)
	}
	if n := w.state().Requests; n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestFilesOfOneJobProveTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n")
	job.Inputs = append(job.Inputs, rows.Input{Path: w.write("more.csv", "Filed,Ref,Mark\n12/25/2023,2,B\n")})
	run := w.run(job)
	w.expect(run, "accepted 2")
	if payload := string(w.records(run)[0].Payload); !strings.Contains(payload, "2024-03-04") {
		t.Errorf("the payload is %s", payload)
	}
	w.write("more.csv", "Filed,Ref,Mark\n12/25/2023,2,B\n25/12/2023,3,C\n")
	_, err := w.importer().Run(t.Context(), job)
	if err == nil || !strings.Contains(err.Error(), "more.csv") || !strings.Contains(err.Error(), "contradict") {
		t.Errorf("the error is %v", err)
	}
}

// Code that shows one row first asks for the proof of all rows.
func TestProvenGivesAMappingThatMapsOneRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n2,B,25/12/2023\n")
	proven, err := rows.Walk{Inputs: job.Inputs, Mapping: job.Mapping}.InferDates(t.Context())
	w.must(err)
	mapper, err := proven.Bind(table.Header{Names: []string{"Ref", "Mark", "Filed"}}, nil)
	w.must(err)
	steps := mapper.Explain([]table.Row{{Number: 2, Cells: []table.Cell{{Kind: table.Text, Text: "1"}, {}, {Kind: table.Text, Text: "03/04/2024"}}}})
	for _, step := range steps {
		if step.Field == "application_date" && string(step.Value) != `"2024-04-03T00:00:00Z"` {
			t.Errorf("it is explained as %+v", step)
		}
	}
	shown, err := w.importer().Preview(t.Context(), job, rows.Spot{Row: 2})
	w.must(err)
	if !strings.Contains(string(shown.Payload), `"application_date":"2024-04-03T00:00:00Z"`) {
		t.Errorf("the preview is %s, %+v", shown.Payload, shown.Reasons)
	}
}

// The proof follows from the files alone, so a run that was interrupted is resumed as it was planned.
func TestPlanOfProvenDatesFollowsTheFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n2,B,25/12/2023\n")
	plan, err := w.importer().Plan(t.Context(), job)
	w.must(err)
	again, err := w.importer().Plan(t.Context(), job)
	w.must(err)
	if plan.Fingerprint == "" || plan.Fingerprint != again.Fingerprint {
		t.Errorf("the fingerprints are %q and %q", plan.Fingerprint, again.Fingerprint)
	}
	w.write("marks.csv", "Ref,Mark,Filed\n1,A,03/04/2024\n2,B,12/25/2023\n")
	other, err := w.importer().Plan(t.Context(), job)
	w.must(err)
	if other.Fingerprint == again.Fingerprint || !strings.Contains(string(w.records(other)[0].Payload), "2024-03-04") {
		t.Errorf("the plan is %s, %s", other.Fingerprint, w.records(other)[0].Payload)
	}
}

// A few rejected rows seldom prove how their dates are written, and a cell that somebody corrected in his own way says
// nothing about the others.
func TestRejectsAreReadAsTheFileTheyComeFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Mark,Filed"
	first := w.run(w.job("marks", provenMapping, header+"\n1,A,12/25/2023\n2,B,02/30/2024\n3,,04/05/2024\n"))
	w.expect(first, "accepted 1, rejected 2")
	if proven := fmt.Sprint(first.Sources[0].Dates); proven != "map[Filed:[MM/DD/YYYY]]" {
		t.Errorf("proven are %s", proven)
	}
	importing := func(want string, of ledger.Run, seqs []int64, lines ...string) ledger.Run {
		t.Helper()
		run := w.run(w.correctedRows("marks", provenMapping, marked(of, header, seqs, lines...)))
		w.expect(run, want)
		return run
	}
	for _, of := range []ledger.Run{first, {ID: "a check that is gone"}} {
		run := importing("rejected 2", of, []int64{2, 3}, "2,B,29/02/2024", "3,,04/05/2024")
		if got := w.reasons(run); !strings.HasPrefix(got, "2: date_impossible [29/02/2024 MM/DD/YYYY") {
			t.Errorf("the reasons are %s", got)
		}
	}
	shown, err := w.importer().Preview(t.Context(), w.correctedRows("marks", provenMapping, marked(first, header, []int64{3}, "3,C,04/05/2024")), rows.Spot{Row: 2})
	if w.must(err); !strings.Contains(string(shown.Payload), "2024-04-05") {
		t.Errorf("shown is %s", shown.Payload)
	}
	again := importing("rejected 2", first, []int64{2, 3}, "2,B,29/02/2024", "3,,04/05/2024")
	went := importing("accepted 2", again, []int64{1, 2}, "2,B,2024-02-29", "3,C,04/05/2024")
	for n, day := range []string{"2024-02-29", "2024-04-05"} {
		if payload := string(w.records(went)[n].Payload); !strings.Contains(payload, day) {
			t.Errorf("the payload is %s, not of %s", payload, day)
		}
	}
}

// Where the files of a job are written in several forms, nobody knows which of them the rows of a run that is gone have.
func TestRejectsOfARunThatIsGoneAreNotGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Mark,Filed"
	w.expect(w.run(w.job("marks", provenMapping, header+"\n1,A,12/25/2023\n")), "accepted 1")
	w.expect(w.run(w.job("marks", provenMapping, header+"\n2,B,25/12/2023\n")), "accepted 1")
	run := w.run(w.correctedRows("marks", provenMapping, marked(ledger.Run{ID: "a check that is gone"}, header, []int64{2, 3}, "3,C,04/05/2024", "1,A,13/05/2024")))
	w.expect(run, "accepted 1, rejected 1")
	if got := w.reasons(run); !strings.HasPrefix(got, "3: date_ambiguous") {
		t.Errorf("the reasons are %s", got)
	}
}

// What somebody wrote into a cell in the console says nothing about how the file is written, and must not take away what
// the file says.
func TestACorrectedCellProvesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("marks", "dates_turned: accept"+provenMapping, "Ref,Mark,Filed\n1,A,03/04/2024\n2,,03/25/2024\n3,C,04/25/2024\n")
	w.expect(w.run(job), "accepted 2, rejected 1")
	var before []ledger.CellCorrection
	corrected := func(day string) ledger.Run {
		t.Helper()
		list := []ledger.CellCorrection{{Column: "Mark", New: "B", Who: "Ines"}, {Column: "Filed", Old: "03/25/2024", New: day, Who: "Ines"}}
		w.must(w.book.Correct(t.Context(), "marks", "2", before, list))
		all, err := w.book.Corrections(t.Context(), "marks")
		w.must(err)
		before = all["2"]
		return w.run(job)
	}
	run := corrected("28/02/2024")
	w.expect(run, "rejected 1, unchanged 2")
	if got := w.reasons(run); !strings.HasPrefix(got, "2: date_impossible [28/02/2024 MM/DD/YYYY") {
		t.Errorf("the reasons are %s", got)
	}
	w.expect(corrected("2024-02-28"), "accepted 1, unchanged 2")
}
