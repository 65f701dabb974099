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
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// A ledger that was put back from an older copy does not know what was sent since, and would have creates sent a second
// time. Two things tell. A copy that Backup made says itself that it is one. For copies that were made in other ways, for a
// standby that took over without the newest commits, and for a ledger that is gone, there are high-water marks: for each scope a small
// file in another folder that names the last run that sent from here, and how many intents and outcomes of it were committed, its
// end counting as one. A ledger that does not know that run, or that many, is older than what was sent. Whether the run has ended
// says nothing: one that is resumed is pushed again before its mark says so.
//
// The number is written after each commit and before anything of it is sent, so it is never higher than the ledger's, and a kill
// finds it exact. It is written over itself without waiting for the disk, which costs some microseconds; a few hundred commits
// at a time it is made to last. So what cannot be noticed is a copy that is put back after a loss of power and lacks nothing but
// those; and one that was taken together with its mark.
//
// The folder's other marks are looked at as well: a ledger whose path was changed in the configuration is a new one, and a copy under
// another name an older one. They are of another ledger, and no reason to stop, where neither job nor service are the same.

// HighWaterMark is how far a ledger has come, as a file beside it says.
type HighWaterMark struct {
	Run     string    `json:"run"` // the last run of its scope that came to its second pass
	Job     string    `json:"job"`
	Service string    `json:"service,omitempty"` // to which it sent
	Ended   bool      `json:"ended"`             // whether it came to its end
	Commits int64     `json:"commits,omitempty"` // how many intents and outcomes of it were committed
	Has     int64     `json:"has,omitempty"`     // as Outrun says it: how many the ledger has, where it knows the run
	At      time.Time `json:"at"`
}

// KeepHighWaterMark has the marks of this ledger kept in a folder, which should not be the ledger's own. It must be called before
// the ledger is used. Several ledgers may use one folder: jobs are those whose marks, left by another one, tell of this one too.
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

// markName is how the names of all marks begin.
const markName = ".last-run-"

// marks are the files of marks in the folder, of whatever ledger.
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

// markRun begins to count what a run commits when it has come to its second pass, before anything is sent, and ends it when the
// run has ended. The mark says both.
//
// A run that is saved in between, as when the service pauses, is counted on: commits are under way, so that the number that is
// read is not the one that they go on from; and a ledger that has lost some, or a run that another process took up, would be
// taken as it is.
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

// newPush makes the mark of a run say how far the ledger has come.
func (l *Ledger) newPush(ctx context.Context, run Run, ended bool) (p *push, err error) {
	p = &push{HighWaterMark: HighWaterMark{Run: run.ID, Job: run.Job, Ended: ended, At: l.w.Now().UTC().Truncate(time.Second)}, scope: run.Scope}
	if p.Service, err = l.Service(ctx); err != nil {
		return p, err
	}
	if p.Commits, err = l.committed(ctx, run.ID); err == nil && l.markPath != "" {
		p.file, err = newMarkFile(l.markPath+"-"+sqlite.FileName(run.Scope)+".json", p.HighWaterMark)
	}
	return p, err
}

// committed is how many intents and outcomes of a run the ledger has.
func (l *Reader) committed(ctx context.Context, run string) (n int64, err error) {
	err = l.h.Read.One(ctx, `select commits + coalesce((select cast(sum(s.commits) as bigint) from shards s where s.run_no = runs.number), 0) from runs where id = $1`, []any{run}, &n)
	return n, err
}

// markFile is the file of a mark while its run is pushed.
type markFile struct {
	file *os.File
	sure int64 // the number of commits in it that is on disk
}

// surely is how many commits the mark may be behind after a loss of power.
const surely = 256

// sector is what a disk writes whole or not at all.
const sector = 512

// newMarkFile puts a mark in the place of the one before, on disk.
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

// write writes the mark over itself, and waits for the disk when it has not done so for long.
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

// Outrun tells of a run that the ledger should know, or know more of, nil when there is none: then the ledger is an older copy,
// or a new one in the place of another.
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

// concerns tells whether a mark says something of this ledger: one of its own, or of a job of its own that sent to the same service. A mark
// of an earlier release does not name the service.
func (l *Ledger) concerns(ctx context.Context, file string, w HighWaterMark) (bool, error) {
	if strings.HasPrefix(file, l.markPath+"-") {
		return true, nil
	}
	service, err := l.Service(ctx)
	return slices.Contains(l.markJobs, w.Job) && (w.Service == "" || w.Service == service), err
}

// ErrServerUnknown tells that the ledger's server does not say which one it is; what sends is refused then.
var ErrServerUnknown = postgres.ErrUnknown

// Moved tells whether the ledger is on another server than the one on which it was last used, which may have had more of it: a standby
// that took over though not every commit waited for it, or a copy. It is not so of an SQLite ledger.
func (l *Ledger) Moved(ctx context.Context) (bool, error) {
	if l.Server() == nil {
		return false, nil
	}
	var s postgres.Standing
	err := postgres.Unknown(l.h.Read.One(ctx, postgres.SelectStanding, nil, s.In()...))
	return err == nil && s.Moved(""), l.h.Wrap("find out on which server the ledger is", err)
}

// AcceptLagging has the ledger sent from though its commits wait for a standby no more that they waited for. It must be called before the
// ledger is used.
func (l *Ledger) AcceptLagging() { l.lagging = true }

// SendHere notes that the ledger is used to send on the server that it is on, or is why it must not be.
func (l *Ledger) SendHere(ctx context.Context) error {
	return l.onServer(ctx, func(s postgres.Standing) (bool, error) { return s.Changed(), s.Refused(l.lagging) })
}

// onServer keeps the server that the ledger is on where keep says so.
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

// beginOnServer notes the server of a ledger that is opened for the first time. Who may not ask which it is reads.
func (l *Ledger) beginOnServer(ctx context.Context) error {
	err := l.onServer(ctx, func(s postgres.Standing) (bool, error) { return s.Gains(), nil })
	if errors.Is(err, ErrServerUnknown) {
		return nil
	}
	return err
}

// AcceptRestore makes a ledger that is a backup, older than its marks or on another server, the one that is true from now on: on the word of a
// person who knows what was sent meanwhile.
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
