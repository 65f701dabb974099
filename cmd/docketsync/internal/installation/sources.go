package installation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/model"
	"docketsync/importer/moment"
	"docketsync/importer/remote"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/mapping/reason"
)

// courier returns what carries files from and to a remote of the configuration.
func (in *Installation) courier(name string) (*remote.Courier, error) {
	if err := in.Config.Missing(config.OfRemote(name)); err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	settings := in.Config.Remotes[name]
	c := &remote.Courier{Name: name, Limit: int64(settings.MaxSize), Tries: 5, FirstDelay: time.Second, MaxDelay: 30 * time.Second, Still: time.Minute, Log: in.Log}
	if s := settings.SFTP; s != nil {
		c.Server = remote.SFTP{
			Host: s.Host, Port: s.Port, User: s.User, Password: s.Password.Reveal(), Key: s.PrivateKey.Reveal(), Passphrase: s.Passphrase.Reveal(),
			KnownHosts: s.KnownHosts, Fingerprint: s.Fingerprint,
		}
		return c, nil
	}
	s := settings.S3
	server := remote.S3{Endpoint: s.Endpoint, Region: s.Region, Bucket: s.Bucket, AccessKey: s.AccessKey.Reveal(), SecretKey: s.SecretKey.Reveal()}
	if in.Config.Service.Proxy == "environment" {
		server.Proxy = http.ProxyFromEnvironment
	}
	c.Server = server
	return c, nil
}

// LookAt signs in at a remote once, and finds the file that would be fetched from path; if path is "", it only signs
// in.
func (in *Installation) LookAt(ctx context.Context, name, path string) (remote.Fetched, error) {
	c, err := in.courier(name)
	if err != nil {
		return remote.Fetched{}, err
	}
	c.Tries = 1
	return c.Look(ctx, path)
}

// FetchSources fetches the files of a job that are on remotes and makes the job read the fetched files, which stay
// unchanged until the installation is closed. It does nothing for a job whose files are on this machine or were already
// fetched.
func (in *Installation) FetchSources(ctx context.Context, job importer.Job) error {
	for n, input := range job.Inputs {
		name, remotePath := config.RemotePath(input.Path)
		if name == "" {
			continue
		}
		c, err := in.courier(name)
		if err != nil {
			return err
		}
		folder, err := in.spool(filepath.Join(in.Config.SpoolFolder(), job.Name, strconv.Itoa(n+1)))
		if err != nil {
			return err
		}
		fetched, err := c.Fetch(ctx, remotePath, folder)
		switch {
		case ctx.Err() != nil:
			return exit.As(exit.Interrupted, fmt.Errorf("interrupted while %s was fetched; nothing was sent", input.Path))
		case err != nil:
			return err
		}
		job.Inputs[n].Path = fetched.Path
		if !in.Screen.Quiet {
			fmt.Fprintf(in.Screen.Err, "docketsync: job %s: fetched %s, %d bytes, written %s\n", job.Name, fetched.Address, fetched.Size,
				moment.Second(fetched.Modified))
		}
	}
	return nil
}

// spool reserves a folder for fetched files, once.
func (in *Installation) spool(path string) (string, error) {
	if folder, reserved := in.spools[path]; reserved {
		return folder, nil
	}
	folder, release, err := remote.Reserve(path)
	if err != nil {
		return "", err
	}
	if in.spools == nil {
		in.spools = map[string]string{}
	}
	in.spools[path] = folder
	in.closers = append(in.closers, func() error { delete(in.spools, path); return release() })
	return folder, nil
}

// copyTime is how long copying the reports of a run may take, so that it does not keep the run from ending.
const copyTime = 5 * time.Minute

// CopyReports copies a run's reports to the configured place. An error is reported, but is not a failure of the run:
// what was sent stays sent.
func (in *Installation) CopyReports(ctx context.Context, files files.Paths) {
	name, folder := config.RemotePath(in.Config.CopyReports)
	if name == "" || files.Dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	c, err := in.courier(name)
	if err == nil {
		err = c.Upload(ctx, files.Dir, path.Join(folder, filepath.Base(files.Dir)))
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%s: it took longer than %s", in.Config.CopyReports, copyTime)
	}
	if err != nil {
		fmt.Fprintf(in.Screen.Err, "docketsync: the reports are in %s, but could not be copied: %s\n", files.Dir, exit.Explain(err))
	}
}

// WriteReport writes the reports of a run to a folder, and shows the progress.
func (in *Installation) WriteReport(ctx context.Context, s *report.Summary, dir string) (files.Paths, error) {
	s.Site = in.Site
	told, done := in.Screen.Writing(s)
	defer done()
	return files.WriteSummary(ctx, in.Book.Reader, s, dir, told)
}

// Inbox returns the inbox of a job that has one.
func (in *Installation) Inbox(job config.Job) *inbox.Folder {
	b := job.Source.Inbox
	return &inbox.Folder{
		Path: b.Folder, Patterns: b.Files, Newest: b.Take == "newest", ByName: b.Order == "name",
		Still: b.Still, Patience: b.Patience, Marker: b.Marker, Archive: b.Archive, Rejected: b.Rejected, Changes: b.Holds == "changes",
		Runs: func(ctx context.Context) ([]inbox.Run, error) { return in.filesRun(ctx, job) },
	}
}

// filesRun lists what the finished runs of a job read, newest first.
func (in *Installation) filesRun(ctx context.Context, job config.Job) ([]inbox.Run, error) {
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}})
	if err != nil {
		return nil, err
	}
	ended := model.FilesEnd(runs)
	var files []inbox.Run
	for _, run := range runs {
		open := func(ctx context.Context) (bool, error) {
			n, err := in.Open(ctx, run)
			return n > 0, err
		}
		repeats := func(ctx context.Context, path string) (bool, error) { return in.repeats(ctx, run, job, path) }
		var written time.Time
		if run.Export != nil {
			written = run.Export.Written
		}
		for _, s := range run.Sources {
			files = append(files, inbox.Run{ID: run.ID, File: s.File, SHA256: s.SHA256, Written: written, Ended: ended, Open: open, Repeats: repeats})
		}
	}
	return files, nil
}

// repeats reports whether a run of a file with the content that run read would be the same run, and everything of that
// went in.
func (in *Installation) repeats(ctx context.Context, run ledger.Run, settings config.Job, path string) (bool, error) {
	// A file that was sent with --file is not an export yet: to find what vanished, and to run the jobs that come
	// after, the same file must be run here.
	if run.Export == nil && settings.Source.Inbox.Holds != "changes" {
		return false, nil
	}
	counts, err := in.Book.Tally(ctx, run.ID)
	if err != nil || slices.ContainsFunc(counts, func(c ledger.Count) bool { return c.State != ledger.Accepted && c.State != ledger.Unchanged }) {
		return false, err
	}
	settings.Source.Files = config.Names{path}
	job, err := in.Job(settings)
	if err != nil {
		return false, nil // the run will say so
	}
	return job.Made(run), nil
}

// Open counts the records that another run of the same file of changes would send, now or once a doubt is settled, an
// id is filled in or the question whether they were renamed is answered. Acknowledged records do not count.
func (in *Installation) Open(ctx context.Context, run ledger.Run) (n int, err error) {
	counts, err := in.Book.Tally(ctx, run.ID)
	rejected := false
	for _, c := range counts {
		if c.State == ledger.Failed || c.State == ledger.Held || c.State == ledger.InDoubt {
			n += c.N
		}
		rejected = rejected || c.State == ledger.Rejected
	}
	if err != nil || !rejected {
		return n, err
	}
	acknowledged, err := in.Book.AcknowledgedIn(ctx, run)
	if err != nil {
		return n, err
	}
	corrected := func(why ledger.Reason) bool { return why.Code != reason.Renamed && !cause.Waits(why.Code) }
	for r, err := range in.Book.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected}, Brief: true}) {
		if err != nil {
			return n, err
		}
		if _, is := acknowledged[r.Seq]; !is && len(r.Reasons) > 0 && !slices.ContainsFunc(r.Reasons, corrected) {
			n++
		}
	}
	return n, nil
}
