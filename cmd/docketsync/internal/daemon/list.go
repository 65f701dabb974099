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
	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/remedy"
	"docketsync/importer/schedule"
)

// notRunShown is how many dues that were not run are listed.
const notRunShown = 20

// scheduledJob describes one job of the schedule.
type scheduledJob struct {
	Job      string             `json:"job"`
	Schedule string             `json:"schedule"`
	After    string             `json:"after,omitempty"`
	Next     time.Time          `json:"next,omitzero"`
	Last     *ledger.Occurrence `json:"last,omitempty"`

	shown string // Next, as people on the schedule's clock read it
}

// Listing describes the schedule: when jobs are due and how they went, what is in the inboxes, and what was not run.
type Listing struct {
	Inboxes []listedInbox       `json:"inboxes"`
	Jobs    []scheduledJob      `json:"jobs"`
	NotRun  []ledger.Occurrence `json:"not_run"`
	Running bool                `json:"running"` // a process schedules the jobs at this moment

	firm string // that the ledger belongs to, "" for none: whoever serves several firms locks its schedule only while it has something due
}

// listedInbox describes one inbox.
type listedInbox struct {
	Job    string `json:"job"`
	Folder string `json:"folder"`
	inbox.Counts
	Error string    `json:"error,omitempty"` // why the folder cannot be looked into
	Last  *inboxRun `json:"last,omitempty"`
}

// inboxRun is the last run of a job with an inbox.
type inboxRun struct {
	Run   string       `json:"run"`
	Began time.Time    `json:"began"`
	Phase ledger.Phase `json:"phase"`
	Stop  string       `json:"stop,omitempty"` // the code of what stopped it
}

// List looks up the schedule of an installation, also while another process runs it.
func List(ctx context.Context, in *installation.Installation) (l Listing, err error) {
	l = Listing{Jobs: []scheduledJob{}, Inboxes: []listedInbox{}, NotRun: []ledger.Occurrence{}}
	t, err := installation.Timetable(in.Config)
	if err == nil {
		err = installation.SchedulesNothing(in.Config, t)
	}
	if err != nil {
		return l, err
	}
	for _, c := range t.Chains {
		next, ok := c.Next(time.Now())
		for _, step := range c.Steps {
			job := scheduledJob{Job: step.Job, Schedule: c.Pattern.String(), After: step.After}
			if ok {
				job.Next, job.shown = next.At, installation.ShownTime(c, next.At)
			}
			last, err := in.Book.Occurrences(ctx, ledger.OccurrenceFilter{Job: step.Job, Limit: 1})
			if err != nil {
				return l, err
			}
			if len(last) > 0 {
				job.Last = &last[0]
			}
			l.Jobs = append(l.Jobs, job)
		}
	}
	for _, job := range in.Config.Jobs {
		if job.Source.Inbox != nil {
			listed, err := listInbox(ctx, in, job)
			if err != nil {
				return l, err
			}
			l.Inboxes = append(l.Inboxes, listed)
		}
	}
	notRun, err := in.Book.Occurrences(ctx, ledger.OccurrenceFilter{Limit: notRunShown, States: []ledger.OccurrenceState{
		ledger.Broke, ledger.CaughtUp, ledger.Overlapped, ledger.Missed, ledger.Blocked, ledger.CutOff, ledger.Interrupted}})
	if err != nil {
		return l, err
	}
	l.NotRun = append(l.NotRun, notRun...)
	if l.firm, err = in.Book.Firm(ctx); err == nil {
		l.Running, err = schedule.Serving(ctx, in.Book)
	}
	return l, err
}

// listInbox describes the inbox of a job, and the job's last run.
func listInbox(ctx context.Context, in *installation.Installation, job config.Job) (listedInbox, error) {
	listed := listedInbox{Job: job.Name, Folder: job.Source.Inbox.Folder}
	counts, err := in.Inbox(job).Count()
	if err != nil {
		listed.Error = err.Error()
	}
	listed.Counts = counts
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
	if len(runs) > 0 {
		listed.Last = &inboxRun{Run: runs[0].ID, Began: runs[0].Started, Phase: runs[0].Phase, Stop: runs[0].StopCode}
	}
	return listed, err
}

// Print writes the listing for a person.
func (l Listing) Print(screen *terminal.Screen, w io.Writer) {
	if len(l.Jobs) > 0 {
		t := screen.Table(w)
		t.AppendHeader(table.Row{"job", "schedule", "next", "last due", "how it went", "run"})
		for _, job := range l.Jobs {
			when := installation.ShownSchedule(job.Schedule)
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
	if len(l.Inboxes) > 0 {
		printInboxes(screen, w, l.Inboxes)
	}
	if len(l.NotRun) > 0 {
		fmt.Fprintf(w, "\nRuns that did not start or did not finish, latest first:\n")
	}
	for _, due := range l.NotRun {
		fmt.Fprintf(w, "  %s  %s  %s: %s\n", shownLocal(due.Local), due.Job, dueWords(due.State), due.Note)
	}
	switch {
	case l.Running:
	case l.firm != "":
		fmt.Fprintf(w, "\nThese jobs are run by the process that serves the firm %s together with others. Whether it is running cannot be seen from here.\n", l.firm)
	default:
		fmt.Fprintln(w, "\nThe scheduler is not running, so none of these jobs will run. Start it with: docketsync schedule")
	}
}

func printInboxes(screen *terminal.Screen, w io.Writer, list []listedInbox) {
	t := screen.Table(w)
	t.AppendHeader(table.Row{"job", "inbox", "waiting", "rejected", "last run began", "how it went", "run"})
	for _, box := range list {
		row := table.Row{box.Job, box.Folder, box.Waiting, box.Rejected, "", "", ""}
		if box.Last != nil {
			how := remedy.Phase(box.Last.Phase, box.Last.Stop)
			row[4], row[5], row[6] = moment.Of(box.Last.Began), how, box.Last.Run
		}
		t.AppendRow(row)
	}
	t.Render()
	for _, box := range list {
		if box.Error != "" {
			fmt.Fprintf(w, "\n%s: the inbox cannot be read: %s\n", box.Job, box.Error)
		}
	}
}

// shownLocal is the date and time of a due, for people.
func shownLocal(local string) string { return strings.Replace(local, "T", " ", 1) }

// dueWords is the state of a due in words.
func dueWords(state ledger.OccurrenceState) string {
	return strings.ReplaceAll(string(state), "_", " ")
}
