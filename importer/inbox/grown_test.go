package inbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/importer/inbox"
)

// writer has a file of the folder open, and goes on writing to it wherever it is moved.
type writer struct {
	t    *testing.T
	file *os.File
}

// write opens a file in the folder and writes its beginning.
func (w *world) write(name, text string) *writer {
	w.t.Helper()
	file, err := os.Create(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = file.Close() })
	open := &writer{w.t, file}
	open.more(text)
	return open
}

func (w *writer) more(text string) {
	w.t.Helper()
	if _, err := w.file.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

// A copy stalls for longer than a file has to hold still for, and goes on when it was taken.
func TestAFileThatGrowsAfterItWasMovedIsNotReadHalf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *inbox.Folder) { f.Marker = ".done" })
	open := w.write("matters.csv", "half ")
	w.put("matters.csv.done", "")
	w.poll(0)
	if found := w.poll(time.Minute); found.Taken != nil || found.Waiting != 1 {
		t.Fatalf("a file that was just moved away under its writer: %+v", found)
	}
	w.moved()
	open.more("and the rest")
	if found := w.poll(time.Minute); found.Taken != nil || found.Waiting != 1 {
		t.Fatalf("a file that grew after it was moved: %+v", found)
	}
	w.holds("matters.csv", "matters.csv.done")
	w.drain()
	w.wasRead("half and the rest")
	w.holds("archive/2024/03/run1-matters.csv")
}

// moved makes sure that the file was taken out of the folder.
func (w *world) moved() {
	w.t.Helper()
	if files := w.files(); !strings.HasPrefix(files[0], ".docketsync/") {
		w.t.Fatalf("the file was not taken: %v", files)
	}
}

func TestWhatIsPutBackIsNotWrittenOverANewerFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	open := w.write("matters.csv", "half ")
	w.poll(0)
	w.poll(time.Minute)
	w.moved()
	w.put("matters.csv", "newer")
	open.more("and the rest")
	w.drain()
	w.wasRead("half and the rest", "newer")
}

func TestAFileThatGrowsDuringItsRunIsRunAgainWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	open := w.write("matters.csv", "half ")
	taken := w.take().Taken
	id := w.run(taken)
	open.more("and the rest")
	if _, err := taken.Archive(id, w.now); !errors.Is(err, inbox.ErrChanged) {
		t.Fatalf("the error is %v", err)
	}
	w.holds("matters.csv")
	w.drain()
	w.wasRead("half ", "half and the rest")
	w.holds("archive/2024/03/run2-matters.csv")
}

// A run takes seconds, and a copy may stall for minutes.
func TestAFileThatGrowsInTheArchiveComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	open := w.write("matters.csv", "half ")
	w.runAndArchive(w.take().Taken)
	w.put("matters.csv", "newer")
	open.more("and the rest")
	w.drain()
	w.wasRead("half ", "newer", "half and the rest")
	w.holds("archive/2024/03/run2-matters.csv", "archive/2024/03/run3-matters.csv")
}

// Some programs give a file its whole size first, and fill it then.
func TestAFileThatIsFilledInTheArchiveComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	open := w.write("matters.csv", "half....")
	w.runAndArchive(w.take().Taken)
	if _, err := open.file.WriteAt([]byte("more"), 4); err != nil {
		t.Fatal(err)
	}
	found := w.poll(0)
	if len(found.Back) != 1 || found.Back[0].Run != "run1" {
		t.Fatalf("found %+v", found)
	}
	w.drain()
	w.wasRead("half....", "halfmore")
}

// Who only touches an archived file, or replaces it, or does so long after, has not gone on writing.
func TestWhatIsDoneToArchivedFilesIsNoArrival(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(w *world, path string, open *writer) error{
		"touched": func(w *world, path string, _ *writer) error { return os.Chtimes(path, w.now, w.now) },
		"replaced": func(w *world, path string, _ *writer) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte("edited"), 0o600))
		},
		"removed": func(w *world, path string, _ *writer) error { return os.Remove(path) },
		"late":    func(w *world, path string, open *writer) error { w.poll(2 * time.Hour); open.more("more"); return nil },
	} {
		w := newWorld(t, nil)
		open := w.write("matters.csv", "whole")
		path := w.runAndArchive(w.take().Taken)
		if err := do(w, path, open); err != nil {
			t.Fatal(err)
		}
		if found := w.poll(time.Minute); len(found.Back) != 0 || found.Waiting != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
