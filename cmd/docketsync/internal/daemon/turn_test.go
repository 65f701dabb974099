package daemon

import (
	"bytes"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

// While one thing is run, neither what arrives nor what is due is begun beside it; each waits for its turn, and gives it back.
func TestOneThingRunsAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		job := config.Job{Name: "late", Source: config.Source{Inbox: &config.Inbox{Folder: dir, Files: config.Names{"*.csv"}, Poll: time.Second}}}
		var said bytes.Buffer
		screen := &terminal.Screen{JSON: true, Out: &said, Err: &said}
		in := &installation.Installation{Screen: screen, Config: &config.Config{Jobs: []config.Job{job}}, Log: zap.NewNop(), Book: book}
		d := &daemon{setup: &installation.Setup{Screen: screen}, book: book, use: prepared{Installation: in}, notices: newNotices(), turn: make(chan struct{}, 1)}
		var visited, ran atomic.Bool
		go func() {
			d.visit(t.Context(), d.use, &polledInbox{job: job, folder: in.Inbox(job)})
			visited.Store(true)
		}()
		go func() {
			d.run(t.Context(), "late", schedule.Cause{})
			ran.Store(true)
		}()
		synctest.Wait()
		if visited.Load() || ran.Load() || said.Len() > 0 {
			t.Errorf("visited %v, ran %v while something else was run:\n%s", visited.Load(), ran.Load(), &said)
		}
		d.giveTurn()
		synctest.Wait()
		if !visited.Load() || !ran.Load() || len(d.turn) != 1 {
			t.Errorf("visited %v, ran %v, turns left %d:\n%s", visited.Load(), ran.Load(), len(d.turn), &said)
		}
	})
}
