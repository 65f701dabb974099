package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

// notRunShown is how many dues that were not run are listed.
const notRunShown = 20

// scheduledJob is what is said about one job of the schedule.
type scheduledJob struct {
	Job      string      `json:"job"`
	Schedule string      `json:"schedule"`
	After    string      `json:"after,omitempty"`
	Next     time.Time   `json:"next,omitzero"`
	Last     *ledger.Due `json:"last,omitempty"`

	shown string // Next as people on the schedule's clock read it
}

func (a *app) listSchedule(ctx context.Context) (err error) {
	in, err := a.view(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = closing(in, err) }()
	t, err := timetable(in.config)
	if err == nil {
		err = schedulesNothing(in.config, t)
	}
	if err != nil {
		return err
	}
	var jobs []scheduledJob
	for _, c := range t.Chains {
		listed, err := listChain(ctx, in.book, c, time.Now())
		if err != nil {
			return err
		}
		jobs = append(jobs, listed...)
	}
	notRun, err := in.book.Dues(ctx, ledger.DueFilter{Limit: notRunShown, States: []ledger.DueState{
		ledger.Broke, ledger.CaughtUp, ledger.Overlapped, ledger.Missed, ledger.Blocked, ledger.CutOff, ledger.Interrupted}})
	if err != nil {
		return err
	}
	inboxes, err := in.listInboxes(ctx)
	if err != nil {
		return err
	}
	serving, err := schedule.Serving(ctx, in.book)
	if err != nil {
		return err
	}
	answer := map[string]any{"running": serving, "jobs": append([]scheduledJob{}, jobs...), "inboxes": inboxes, "not_run": append([]ledger.Due{}, notRun...)}
	return a.result(answer, func(w io.Writer) {
		if len(jobs) > 0 {
			a.printSchedule(w, jobs)
		}
		if len(inboxes) > 0 {
			a.printInboxes(w, inboxes)
		}
		printNotRun(w, notRun)
		if !serving {
			fmt.Fprintln(w, "\nThe scheduler is not running, so nothing of this will be run. Start it with: docketsync schedule")
		}
	})
}

func listChain(ctx context.Context, book *ledger.Ledger, c *schedule.Chain, now time.Time) (jobs []scheduledJob, err error) {
	next, ok := c.Next(now)
	for _, step := range c.Steps {
		job := scheduledJob{Job: step.Job, Schedule: c.Pattern.String(), After: step.After}
		if ok {
			job.Next, job.shown = next.At, shownTime(c, next.At)
		}
		last, err := book.Dues(ctx, ledger.DueFilter{Job: step.Job, Limit: 1})
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

func (a *app) printSchedule(w io.Writer, jobs []scheduledJob) {
	t := a.table(w)
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

func printNotRun(w io.Writer, notRun []ledger.Due) {
	if len(notRun) == 0 {
		return
	}
	fmt.Fprintf(w, "\nNot run, or not to the end, the latest first:\n")
	for _, due := range notRun {
		fmt.Fprintf(w, "  %s  %s  %s: %s\n", shownLocal(due.Local), due.Job, dueWords(due.State), due.Note)
	}
}

// shownLocal is the date and time of a due as people write it.
func shownLocal(local string) string { return strings.Replace(local, "T", " ", 1) }

// dueWords is the state of a due in words.
func dueWords(state ledger.DueState) string { return strings.ReplaceAll(string(state), "_", " ") }
