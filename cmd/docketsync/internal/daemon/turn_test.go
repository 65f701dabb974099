package daemon

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
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

// A job does not wait for ever for a process that hangs, since others wait behind it; what is said then reaches people, which a busy ledger alone does not.
func TestAJobWaitsForABusyProcessForAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "docketsync.db")
		book, err := ledger.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		release, err := book.Lock(t.Context(), "matters")
		if err != nil {
			t.Fatal(err)
		}
		other, err := ledger.Open(context.WithoutCancel(t.Context()), path)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		var busy *fault.BusyError
		if _, err := other.Lock(t.Context(), "matters"); !errors.As(err, &busy) {
			t.Fatal(err)
		}
		d := &daemon{book: other, turn: make(chan struct{}, 1)}
		began := time.Now()
		err = d.awaitFree(t.Context(), busy, began.Add(busyMost))
		if err == nil || errors.Is(err, fault.ErrBusy) || !strings.Contains(err.Error(), "waited for an hour: ") || time.Since(began) > busyMost+2*busyAgain {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
		if err := d.awaitFree(t.Context(), busy, time.Now().Add(busyMost)); err != nil {
			t.Error(err)
		}
	})
}
