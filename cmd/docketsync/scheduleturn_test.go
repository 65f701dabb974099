package main

import (
	"bytes"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

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
		job := config.Job{Name: "late", Source: config.Source{Inbox: &config.Inbox{Folder: dir, Files: config.Files{"*.csv"}, Poll: time.Second}}}
		in := &installation{config: &config.Config{Jobs: []config.Job{job}}, log: zap.NewNop(), book: book}
		var said bytes.Buffer
		n := &nightly{app: &app{json: true, stdout: &said, stderr: &said}, book: book, use: prepared{installation: in}, news: newNews(), turn: make(chan struct{}, 1)}
		var visited, ran atomic.Bool
		go func() {
			n.visit(t.Context(), n.use, &polled{job: job, folder: in.inboxOf(job)})
			visited.Store(true)
		}()
		go func() {
			n.run(t.Context(), "late", schedule.Cause{})
			ran.Store(true)
		}()
		synctest.Wait()
		if visited.Load() || ran.Load() || said.Len() > 0 {
			t.Errorf("visited %v, ran %v while something else was run:\n%s", visited.Load(), ran.Load(), &said)
		}
		n.giveTurn()
		synctest.Wait()
		if !visited.Load() || !ran.Load() || len(n.turn) != 1 {
			t.Errorf("visited %v, ran %v, turns left %d:\n%s", visited.Load(), ran.Load(), len(n.turn), &said)
		}
	})
}
