package daemon

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
)

// listedInbox is what is said about one inbox.
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

// listInboxes says of each inbox what lies in it, and which run its job made last.
func listInboxes(ctx context.Context, in *installation.Installation) ([]listedInbox, error) {
	list := []listedInbox{}
	for _, job := range in.Config.Jobs {
		if job.Source.Inbox == nil {
			continue
		}
		listed, err := listInbox(ctx, in, job)
		if err != nil {
			return nil, err
		}
		list = append(list, listed)
	}
	return list, nil
}

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

func printInboxes(screen *terminal.Screen, w io.Writer, list []listedInbox) {
	t := screen.Table(w)
	t.AppendHeader(table.Row{"job", "inbox", "waiting", "rejected", "last run began", "how it went", "run"})
	for _, box := range list {
		row := table.Row{box.Job, box.Folder, box.Waiting, box.Rejected, "", "", ""}
		if box.Last != nil {
			how := runner.PhaseWords(box.Last.Phase, box.Last.Stop)
			row[4], row[5], row[6] = box.Last.Began.Local().Format("2006-01-02 15:04"), how, box.Last.Run
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
