package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// A ledger that was restored from an older copy does not know what was sent since, and would have creates sent a second
// time. Two things show that. A copy made by Backup says itself that it is one. High-water marks show it for copies
// made in other ways, for a standby that took over without the newest commits, and for a ledger that is gone. For each
// scope a mark is a small file in another folder. It names the last run that sent from here and how many intents and
// outcomes of it were committed; the end of the run counts as one. A ledger that does not know that run, or has fewer
// commits of it, is older than what was sent. Whether the run has ended says nothing: a resumed run is pushing again
// before its mark says so.
//
// The number is written after each commit and before anything of it is sent. So it is never higher than the ledger's,
// and it is exact after a kill. The file is overwritten in place without waiting for the disk, which costs some
// microseconds, and is synced once every few hundred commits. So two cases cannot be noticed: a copy restored after a
// loss of power that lacks nothing but those commits, and a copy that was taken together with its mark.
//
// The folder's other marks are read too: a ledger whose path was changed in the configuration is a new one, and a copy
// under another name is an older one. Marks of another ledger are no reason to stop unless the job and the service are
// the same.

// HighWaterMark says how far a ledger has come, according to a file beside it.
type HighWaterMark struct {
	Run     string    `json:"run"` // the last run of its scope that came to its second pass
	Job     string    `json:"job"`
	Service string    `json:"service,omitempty"` // where it was sent to
	Ended   bool      `json:"ended"`             // whether the run has ended
	Commits int64     `json:"commits,omitempty"` // how many intents and outcomes of it were committed
	Has     int64     `json:"has,omitempty"`     // set by Outrun: how many the ledger has, if it knows the run
	At      time.Time `json:"at"`
}

// KeepHighWaterMark keeps the marks of this ledger in a folder, which should not be the ledger's own. It must be called
// before the ledger is used. Several ledgers may use one folder. The marks of jobs count for this ledger even if
// another ledger left them.
func (l *Ledger) KeepHighWaterMark(folder string, jobs ...string) {
	label := l.h.Read.Label()
	if e, ok := l.h.Engine.(*sqlite.Engine); ok {
		if path, err := filepath.Abs(e.Label()); err == nil {
			label = path
		}
	}
	sum := fnv.New64a()
	sum.Write([]byte(label))
	l.markPath = filepath.Join(folder, fmt.Sprintf("%s%x", markName, sum.Sum64()))
	l.markJobs = jobs
}

// markName is the prefix of the names of all marks.
const markName = ".last-run-"

// marks returns the files of all marks in the folder, of any ledger.
func (l *Ledger) marks() ([]string, error) {
	if l.markPath == "" {
		return nil, nil
	}
	list, err := os.ReadDir(filepath.Dir(l.markPath))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // whoever needs the folder will say so
	}
	if err != nil {
		return nil, fmt.Errorf("check whether the ledger was restored from a copy: %w", err)
	}
	var files []string
	for _, entry := range list {
		if ok, _ := filepath.Match(markName+"*.json", entry.Name()); ok {
			files = append(files, filepath.Join(filepath.Dir(l.markPath), entry.Name()))
		}
	}
	return files, nil
}

// markRun starts counting the commits of a run when it comes to its second pass, before anything is sent, and stops
// when the run has ended. The mark says both.
//
// If a run is saved in between, for example when the service pauses, the count simply goes on. Commits are under way,
// so a number read now would not be where they continue from. And a fresh count would accept a ledger that has lost
// some, or a run that another process took over.
func (l *Ledger) markRun(ctx context.Context, run Run) error {
	ended := run.Phase == Finished || run.Phase == Stopped
	if run.Kind != Push || run.Phase != Pushing && !ended {
		return nil
	}
	number, err := l.h.Number(ctx, run.ID)
	if err != nil {
		return err
	}
	if ended {
		l.pushes.end(number)
		p, err := l.newPush(ctx, run, true)
		if err == nil {
			p.file.close()
		}
		return err
	}
	if l.pushes.wholeOf(number) != nil {
		return nil
	}
	l.pushes.end(number)
	return l.holdWhole(ctx, number, run)
}

// newPush writes a mark of a run that says how far the ledger has come.
func (l *Ledger) newPush(ctx context.Context, run Run, ended bool) (p *push, err error) {
	p = &push{HighWaterMark: HighWaterMark{Run: run.ID, Job: run.Job, Ended: ended, At: l.w.Now().UTC().Truncate(time.Second)}, scope: run.Scope}
	if p.Service, err = l.Service(ctx); err != nil {
		return p, err
	}
	if p.Commits, err = l.committed(ctx, run.ID); err == nil && l.markPath != "" {
		p.file, err = newMarkFile(l.markPath+"-"+sqlite.FileName(run.Scope)+".json", p.HighWaterMark)
		err = unmarked(err)
	}
	return p, err
}

// unmarked says that a mark could not be written: that is about the folder of the marks, not about the ledger.
func unmarked(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Doing: "write beside the reports how far the run has come", Err: err,
		Hint: "Make the folder of the reports writable, with room on its disk, and run again: nothing is sent without this file, and everything acknowledged is kept."}
}

// committed returns how many intents and outcomes of a run the ledger has.
func (l *Reader) committed(ctx context.Context, run string) (n int64, err error) {
	err = l.h.Read.One(ctx, `select commits + coalesce((select cast(sum(s.commits) as bigint) from shards s where s.run_no = runs.number), 0) from runs where id = $1`, []any{run}, &n)
	return n, err
}

// markFile is the file of a mark while its run is pushed.
type markFile struct {
	file *os.File
	sure int64 // the number of commits in it that is on disk
}

// surely is how many commits the mark may lag behind after a loss of power.
const surely = 256

// sector is what a disk writes whole or not at all.
const sector = 512

// newMarkFile replaces the previous mark on disk.
func newMarkFile(path string, w HighWaterMark) (t *markFile, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	t = &markFile{file: f, sure: w.Commits - surely}
	if err = t.write(w); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return t, nil
}

// write overwrites the mark in place, and waits for the disk if it has not done so for surely commits.
func (t *markFile) write(w HighWaterMark) error {
	if t == nil {
		return nil
	}
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	for len(data)%sector != sector-1 {
		data = append(data, ' ')
	}
	if _, err := t.file.WriteAt(append(data, '\n'), 0); err != nil {
		return err
	}
	if w.Commits-t.sure < surely {
		return nil
	}
	t.sure = w.Commits
	return t.file.Sync()
}

func (t *markFile) close() {
	if t != nil {
		_ = t.file.Close()
	}
}

// Outrun returns the mark of a run that the ledger should know, or know more of, or nil if there is none. If there is
// one, the ledger is an older copy, or a new one that replaced another.
func (l *Ledger) Outrun(ctx context.Context) (*HighWaterMark, error) {
	files, err := l.marks()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if w, err := l.outrunBy(ctx, file); w != nil || err != nil {
			return w, err
		}
	}
	return nil, nil
}

func (l *Ledger) outrunBy(ctx context.Context, file string) (*HighWaterMark, error) {
	data, err := os.ReadFile(file)
	var w HighWaterMark
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err != nil {
		return nil, fmt.Errorf("read which run was the last to send (%s): %w\nIf the disk is healthy, 'docketsync ledger check' finds nothing and the reports show that no run is missing, remove that file", file, err)
	}
	if relevant, err := l.concerns(ctx, file, w); err != nil || !relevant {
		return nil, err
	}
	if _, err := l.Run(ctx, w.Run); errors.Is(err, handle.ErrNotFound) {
		return &w, nil
	} else if err != nil {
		return nil, err
	}
	if w.Has, err = l.committed(ctx, w.Run); err != nil {
		return nil, l.h.Wrap("count what was committed", err)
	}
	if w.Has < w.Commits {
		return &w, nil
	}
	return nil, nil
}

// concerns reports whether a mark is about this ledger: it is this ledger's own, or that of one of its jobs that sent
// to the same service. A mark of an earlier release does not name the service.
func (l *Ledger) concerns(ctx context.Context, file string, w HighWaterMark) (bool, error) {
	if strings.HasPrefix(file, l.markPath+"-") {
		return true, nil
	}
	service, err := l.Service(ctx)
	return slices.Contains(l.markJobs, w.Job) && (w.Service == "" || w.Service == service), err
}

// ErrServerUnknown says that the ledger's server does not say which one it is. Nothing is sent then.
var ErrServerUnknown = postgres.ErrUnknown

// Moved reports whether the ledger is on another server than the one on which it was last used, such as a standby that
// took over although not every commit waited for it, or a copy. The former server may have had more of the ledger.
// Moved is false for an SQLite ledger.
func (l *Ledger) Moved(ctx context.Context) (bool, error) {
	if l.Server() == nil {
		return false, nil
	}
	var s postgres.Standing
	err := postgres.Unknown(l.h.Read.One(ctx, postgres.SelectStanding, nil, s.In()...))
	return err == nil && s.Moved(""), l.h.Wrap("find out on which server the ledger is", err)
}

// AcceptLagging allows sending although commits no longer wait for a standby that they used to wait for. It must be
// called before the ledger is used.
func (l *Ledger) AcceptLagging() { l.lagging = true }

// SendHere notes that the ledger is used to send on the current server, or returns why it must not be.
func (l *Ledger) SendHere(ctx context.Context) error {
	return l.onServer(ctx, func(s postgres.Standing) (bool, error) { return s.Changed(), s.Refused(l.lagging) })
}

// onServer stores the current server as the ledger's if keep says so.
func (l *Ledger) onServer(ctx context.Context, keep func(postgres.Standing) (bool, error)) error {
	if l.Server() == nil {
		return nil
	}
	return l.h.Wrap("note on which server the ledger is", l.doUnder(ctx, store.NoLocks, false, func(tx *transaction) error {
		var s postgres.Standing
		if err := tx.One(postgres.SelectStanding, nil, s.In()...); err != nil {
			return postgres.Unknown(err)
		}
		changed, err := keep(s)
		if err == nil && changed {
			_, err = tx.Exec(postgres.KeepServer, s.Now)
		}
		if err == nil && (changed || s.Settles()) {
			_, err = tx.Exec(postgres.KeepHome)
		}
		return err
	}))
}

// beginOnServer notes the server of a ledger that is opened for the first time. A user who may not ask which server it
// is can still read.
func (l *Ledger) beginOnServer(ctx context.Context) error {
	err := l.onServer(ctx, func(s postgres.Standing) (bool, error) { return s.Gains(), nil })
	if errors.Is(err, ErrServerUnknown) {
		return nil
	}
	return err
}

// AcceptRestore makes a ledger that is a backup, older than its marks or on another server the valid one from now on.
// That takes the word of a person who knows what was sent meanwhile.
func (l *Ledger) AcceptRestore(ctx context.Context) error {
	err := l.do(ctx, false, func(tx *transaction) error {
		tx.Note(chain.Ledger, chain.Op{What: chain.Restored})
		_, err := tx.Exec(`delete from backups`)
		return err
	})
	files, listing := l.marks()
	err = errors.Join(err, l.onServer(ctx, func(s postgres.Standing) (bool, error) { return s.Now != "", nil }), listing)
	for _, file := range files {
		if w, unread := l.outrunBy(ctx, file); err == nil && (w != nil || unread != nil) {
			err = os.Remove(file)
		}
	}
	return l.h.Wrap("accept the ledger as it is", err)
}
