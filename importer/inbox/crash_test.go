package inbox_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"docketsync/importer/inbox"
)

// A process that dies leaves its files on the disk and forgets all else. Whatever it was at, the next one loses nothing and
// runs nothing twice.
func TestAfterACrash(t *testing.T) {
	t.Parallel()
	marked := func(f *inbox.Folder) { f.Marker = ".done" }
	for name, c := range map[string]struct {
		change func(*inbox.Folder)
		before func(*world) // what the process did before it died
		want   []string
	}{
		"seen and not taken": {before: func(w *world) { w.poll(0) }, want: []string{"a"}},
		"taken and not run":  {before: func(w *world) { w.take() }, want: []string{"a"}},
		"run and not archived": {before: func(w *world) {
			w.run(w.take().Taken)
		}, want: []string{"a"}},
		"run and not archived, and another run since": {before: func(w *world) {
			w.run(w.take().Taken)
			w.runs = append([]inbox.Run{{ID: "by hand", File: "elsewhere.csv", SHA256: "other"}}, w.runs...)
		}, want: []string{"a"}},
		"archived, and the ticket not removed": {before: func(w *world) {
			taken := w.take().Taken
			if err := os.Rename(taken.Path, filepath.Join(w.dir, "archived")); err != nil {
				w.t.Fatal(err)
			}
			w.read = append(w.read, "a")
		}, want: []string{"a"}},
		"a ticket made and not filled": {before: func(w *world) {
			if err := os.MkdirAll(filepath.Join(w.dir, ".docketsync", "20240301T120000Z-1"), 0o700); err != nil {
				w.t.Fatal(err)
			}
		}, want: []string{"a"}},
		"the marker taken and the file not": {change: marked, before: func(w *world) {
			ticket := filepath.Join(w.dir, ".docketsync", "20240301T120000Z-1")
			if err := os.MkdirAll(ticket, 0o700); err != nil {
				w.t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(w.dir, "matters.csv.done"), filepath.Join(ticket, "matters.csv.done")); err != nil {
				w.t.Fatal(err)
			}
		}, want: []string{"a"}},
		"taken with its marker and not run": {change: marked, before: func(w *world) { w.take() }, want: []string{"a"}},
		"taken, and not held still since":   {before: func(w *world) { w.poll(0); w.poll(time.Minute) }, want: []string{"a"}},
		"taken and not sealed": {before: func(w *world) {
			if err := os.Remove(filepath.Join(filepath.Dir(w.take().Taken.Path), ".taken")); err != nil {
				w.t.Fatal(err)
			}
		}, want: []string{"a"}},
		"copied, and the original not removed": {before: func(w *world) {
			taken := w.take().Taken
			dir := filepath.Dir(taken.Path)
			if err := os.Rename(filepath.Join(dir, ".taken"), filepath.Join(dir, ".copied")); err != nil {
				w.t.Fatal(err)
			}
			w.put("matters.csv", "a")
		}, want: []string{"a"}},
		"copied, and another in its place": {before: func(w *world) {
			taken := w.take().Taken
			dir := filepath.Dir(taken.Path)
			if err := os.Rename(filepath.Join(dir, ".taken"), filepath.Join(dir, ".copied")); err != nil {
				w.t.Fatal(err)
			}
			w.put("matters.csv", "b")
		}, want: []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			w.put("matters.csv", "a")
			if c.change != nil {
				w.put("matters.csv.done", "")
			}
			c.before(w)
			w.start(c.change)
			w.drain()
			w.wasRead(c.want...)
		})
	}
}

// A folder of ours on another filesystem cannot be renamed into.
func TestFilesAreCopiedWhereTheyCannotBeRenamed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: needs /dev/shm as another filesystem")
	}
	other, err := os.MkdirTemp("/dev/shm", "docketsync-inbox-*")
	if err != nil {
		t.Skip("skipped: /dev/shm cannot be used as another filesystem:", err)
	}
	defer os.RemoveAll(other)
	w := newWorld(t, nil)
	if err := os.Symlink(other, filepath.Join(w.dir, ".docketsync")); err != nil {
		t.Fatal(err)
	}
	w.put("matters.csv", "a")
	w.poll(0)
	w.poll(time.Minute)
	taken := w.poll(time.Minute).Taken // the copy is watched like any file that was taken
	if taken == nil {
		t.Fatal("the file was not taken")
	}
	if info, err := os.Stat(taken.Path); err != nil || !info.ModTime().Equal(noon) {
		t.Errorf("the copy is of another time than the file: %v, %v", info, err)
	}
	w.holds(".docketsync")
	w.runAndArchive(taken)
	w.wasRead("a")
	w.holds(".docketsync", "archive/2024/03/run1-matters.csv")
}
