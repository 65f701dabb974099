package daemon

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

// notRunShown is how many dues that were not run are listed.
const notRunShown = 20

// scheduledJob is what is said about one job of the schedule.
type scheduledJob struct {
	Job      string             `json:"job"`
	Schedule string             `json:"schedule"`
	After    string             `json:"after,omitempty"`
	Next     time.Time          `json:"next,omitzero"`
	Last     *ledger.Occurrence `json:"last,omitempty"`

	shown string // Next as people on the schedule's clock read it
}

// Listing is what is said about the schedule: when jobs are due and how they went, what is in the inboxes, and what was not run.
type Listing struct {
	Inboxes []listedInbox       `json:"inboxes"`
	Jobs    []scheduledJob      `json:"jobs"`
	NotRun  []ledger.Occurrence `json:"not_run"`
	Running bool                `json:"running"` // a process schedules the jobs at this moment
}

// List looks up the schedule of an installation, also while another process runs it.
func List(ctx context.Context, in *installation.Installation) (l Listing, err error) {
	l = Listing{Jobs: []scheduledJob{}}
	t, err := installation.Timetable(in.Config)
	if err == nil {
		err = installation.SchedulesNothing(in.Config, t)
	}
	if err != nil {
		return l, err
	}
	for _, c := range t.Chains {
		listed, err := listChain(ctx, in.Book.Reader, c, time.Now())
		if err != nil {
			return l, err
		}
		l.Jobs = append(l.Jobs, listed...)
	}
	notRun, err := in.Book.Occurrences(ctx, ledger.OccurrenceFilter{Limit: notRunShown, States: []ledger.OccurrenceState{
		ledger.Broke, ledger.CaughtUp, ledger.Overlapped, ledger.Missed, ledger.Blocked, ledger.CutOff, ledger.Interrupted}})
	if err != nil {
		return l, err
	}
	l.NotRun = append([]ledger.Occurrence{}, notRun...)
	if l.Inboxes, err = listInboxes(ctx, in); err != nil {
		return l, err
	}
	l.Running, err = schedule.Serving(ctx, in.Book)
	return l, err
}

// Print writes the listing for a person.
func (l Listing) Print(screen *terminal.Screen, w io.Writer) {
	if len(l.Jobs) > 0 {
		printSchedule(screen, w, l.Jobs)
	}
	if len(l.Inboxes) > 0 {
		printInboxes(screen, w, l.Inboxes)
	}
	printNotRun(w, l.NotRun)
	if !l.Running {
		fmt.Fprintln(w, "\nThe scheduler is not running, so none of these jobs will run. Start it with: docketsync schedule")
	}
}

func listChain(ctx context.Context, book *ledger.Reader, c *schedule.Chain, now time.Time) (jobs []scheduledJob, err error) {
	next, ok := c.Next(now)
	for _, step := range c.Steps {
		job := scheduledJob{Job: step.Job, Schedule: c.Pattern.String(), After: step.After}
		if ok {
			job.Next, job.shown = next.At, installation.ShownTime(c, next.At)
		}
		last, err := book.Occurrences(ctx, ledger.OccurrenceFilter{Job: step.Job, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(last) > 0 {
			job.Last = &last[0]
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

func printSchedule(screen *terminal.Screen, w io.Writer, jobs []scheduledJob) {
	t := screen.Table(w)
	t.AppendHeader(table.Row{"job", "schedule", "next", "last due", "how it went", "run"})
	for _, job := range jobs {
		when := job.Schedule
		if job.After != "" {
			when = "after " + job.After
		}
		row := table.Row{job.Job, when, job.shown, "", "", ""}
		if job.Last != nil {
			row[3], row[4], row[5] = shownLocal(job.Last.Local), dueWords(job.Last.State), job.Last.Run
		}
		t.AppendRow(row)
	}
	t.Render()
}

func printNotRun(w io.Writer, notRun []ledger.Occurrence) {
	if len(notRun) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRuns that did not start or did not finish, latest first:\n")
	for _, due := range notRun {
		fmt.Fprintf(w, "  %s  %s  %s: %s\n", shownLocal(due.Local), due.Job, dueWords(due.State), due.Note)
	}
}

// shownLocal is the date and time of a due as people write it.
func shownLocal(local string) string { return strings.Replace(local, "T", " ", 1) }

// dueWords is the state of a due in words.
func dueWords(state ledger.OccurrenceState) string {
	return strings.ReplaceAll(string(state), "_", " ")
}
