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
	"time"
)

// A ledger that was put back from an older copy does not know what was sent since, and would have creates sent a second
// time. Two things tell. A copy that Backup made says itself that it is one. For copies that were made in other ways, and for
// a ledger that is gone, there is a witness: a small file in another folder that names the last run that sent from here.
// A ledger that does not know that run, or does not know that it ended, is older than what was sent.

// Witness is what the witness of a ledger says.
type Witness struct {
	Run   string    `json:"run"` // the last run that came to its second pass
	Job   string    `json:"job"`
	Ended bool      `json:"ended"` // whether it came to its end
	At    time.Time `json:"at"`
}

// KeepWitness has the witness of this ledger kept in a folder, which should not be the ledger's own. It must be called before
// the ledger is used. Several ledgers may use one folder.
func (l *Ledger) KeepWitness(folder string) {
	label := l.engine.label()
	if e, ok := l.engine.(*sqliteEngine); ok {
		if path, err := filepath.Abs(e.path); err == nil {
			label = path
		}
	}
	sum := fnv.New64a()
	sum.Write([]byte(label))
	l.witness = filepath.Join(folder, fmt.Sprintf(".last-run-%x.json", sum.Sum64()))
}

// testify writes the witness when a run has come to its second pass, before anything is sent, and when it has ended.
func (l *Ledger) testify(run Run) error {
	ended := run.Phase == Finished || run.Phase == Stopped
	if l.witness == "" || run.Kind != Push || run.Phase != Pushing && !ended {
		return nil
	}
	data, err := json.Marshal(Witness{Run: run.ID, Job: run.Job, Ended: ended, At: l.now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.witness), 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(l.witness), filepath.Base(l.witness)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), l.witness)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Outrun tells of a run that the ledger should know and does not, nil when there is none: then the ledger is an older copy, or
// a new one in the place of another.
func (l *Ledger) Outrun(ctx context.Context) (*Witness, error) {
	if l.witness == "" {
		return nil, nil
	}
	if folder, err := os.Stat(filepath.Dir(l.witness)); err != nil || !folder.IsDir() {
		return nil, nil // there is none, and whoever needs the folder will say so
	}
	data, err := os.ReadFile(l.witness)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var w Witness
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err != nil {
		return nil, fmt.Errorf("read which run was the last to send (%s): %w", l.witness, err)
	}
	run, err := l.Run(ctx, w.Run)
	switch {
	case errors.Is(err, ErrNotFound):
		return &w, nil
	case err != nil:
		return nil, err
	case w.Ended && run.Phase != Finished && run.Phase != Stopped:
		return &w, nil
	}
	return nil, nil
}

// AcceptRestore makes a ledger that is a backup, or older than its witness, the one that is true from now on: on the word of a
// person who knows what was sent meanwhile.
func (l *Ledger) AcceptRestore(ctx context.Context) error {
	err := l.writer.do(ctx, false, func(tx *transaction) error {
		_, err := tx.exec(`delete from backups`)
		return err
	})
	if err == nil && l.witness != "" {
		if err = os.Remove(l.witness); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return l.wrap("accept the ledger as it is", err)
}
