package inbox_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/inbox"
)

// world is a folder, a clock, and the runs that were made.
type world struct {
	t      *testing.T
	dir    string
	now    time.Time
	folder *inbox.Folder
	runs   []inbox.Run // newest first
	read   []string    // the content of every run, in order
}

var noon = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T, change func(*inbox.Folder)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), now: noon}
	w.start(change)
	return w
}

// start begins anew, as a process does after a crash: all that is known is on the disk.
func (w *world) start(change func(*inbox.Folder)) {
	w.folder = &inbox.Folder{
		Path: w.dir, Patterns: []string{"*.csv", "*.xlsx", "*.gz"}, Still: time.Minute, Patience: time.Hour,
		Archive: filepath.Join(w.dir, "archive"), Rejected: filepath.Join(w.dir, "rejected"),
		Runs: func(context.Context) ([]inbox.Run, error) { return w.runs, nil },
	}
	if change != nil {
		change(w.folder)
	}
}

// put writes a file in one go. Its time is that of the clock, so that files of one test are told apart.
func (w *world) put(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, w.now, w.now)); err != nil {
		w.t.Fatal(err)
	}
}

// poll polls after a while.
func (w *world) poll(after time.Duration) inbox.Found {
	w.t.Helper()
	w.now = w.now.Add(after)
	found, err := w.folder.Poll(w.t.Context(), w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// take polls until a file that lies in the folder has held still in it, and in its ticket.
func (w *world) take() inbox.Found {
	w.t.Helper()
	w.poll(0)
	w.poll(time.Minute)
	return w.poll(time.Minute)
}

// run makes the run of a file.
func (w *world) run(taken *inbox.Taken) string {
	w.t.Helper()
	if taken == nil {
		w.t.Fatal("no file was taken")
	}
	text, err := os.ReadFile(taken.Path)
	if err != nil {
		w.t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	if digest := hex.EncodeToString(sum[:]); digest != taken.SHA256 {
		w.t.Errorf("%s is said to be %s and is %s", taken.Name, taken.SHA256, digest)
	}
	id := "run" + string(rune('1'+len(w.runs)))
	w.runs = slices.Insert(w.runs, 0, inbox.Run{ID: id, File: taken.Path, SHA256: taken.SHA256, Repeats: repeats(true)})
	w.read = append(w.read, string(text))
	return id
}

func (w *world) runAndArchive(taken *inbox.Taken) string {
	w.t.Helper()
	path, err := taken.Archive(w.run(taken), w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

// drain polls until nothing is there any more.
func (w *world) drain() {
	w.t.Helper()
	for range 20 {
		found := w.poll(time.Minute)
		if found.Taken != nil {
			w.runAndArchive(found.Taken)
		} else if found.Waiting == 0 {
			return
		}
	}
	w.t.Fatal("files are waiting for ever")
}

// wasRead checks what was run, in order.
func (w *world) wasRead(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.read); diff != "" {
		w.t.Errorf("what was run (-want +got)\n%s", diff)
	}
}

// files lists all files below the folder, but docketsync's empty own one.
func (w *world) files() []string {
	w.t.Helper()
	var list []string
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(w.dir)+"/"))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func (w *world) holds(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.files()); diff != "" {
		w.t.Errorf("the folder holds (-want +got)\n%s", diff)
	}
}

func TestFileIsTakenOnceItHeldStill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("matters.csv", "a")
	for _, after := range []time.Duration{0, 59 * time.Second} {
		if found := w.poll(after); found.Taken != nil || found.Waiting != 1 {
			t.Errorf("after %v: %+v", after, found)
		}
	}
	w.put("matters.csv", "ab")
	if found := w.poll(time.Second); found.Taken != nil {
		t.Error("a file that grew was taken")
	}
	taken := w.take().Taken
	if path := w.runAndArchive(taken); path != filepath.Join(w.dir, "archive", "2024", "03", "run1-matters.csv") {
		t.Errorf("it was archived as %s", path)
	}
	w.wasRead("ab")
	w.holds("archive/2024/03/run1-matters.csv")
	if found := w.poll(time.Hour); found.Taken != nil || found.Waiting != 0 {
		t.Errorf("an empty inbox gives %+v", found)
	}
}

func TestScratchAndForeignNamesAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *inbox.Folder) { f.Patterns = []string{"*.CSV*"} })
	names := []string{".matters.csv", "matters.csv.TMP", "matters.csv.part", "readme.txt", "~$matters.csv"}
	for _, name := range names {
		w.put(name, "a")
	}
	w.poll(0)
	if found := w.poll(time.Hour); found.Taken != nil || found.Waiting != 0 {
		t.Errorf("found %+v", found)
	}
	w.holds(names...)
	// A rename into place, as careful writers do it.
	if err := os.Rename(filepath.Join(w.dir, "matters.csv.part"), filepath.Join(w.dir, "Matters.csv")); err != nil {
		t.Fatal(err)
	}
	w.drain()
	w.wasRead("a")
}

func TestIncompleteArchivesAreWaitedFor(t *testing.T) {
	t.Parallel()
	var book, packed bytes.Buffer
	z := zip.NewWriter(&book)
	sheet, err := z.Create("xl/workbook.xml")
	if err == nil {
		_, err = sheet.Write(bytes.Repeat([]byte("sheet"), 1000))
	}
	g := gzip.NewWriter(&packed)
	_, writing := g.Write([]byte("Ref,Title\n"))
	if err := errors.Join(err, z.Close(), writing, g.Close()); err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string]string{"matters.xlsx": book.String(), "matters.csv.gz": packed.String()} {
		w := newWorld(t, nil)
		w.put(name, whole[:len(whole)-5])
		w.poll(0)
		if found := w.poll(10 * time.Minute); found.Taken != nil || found.Waiting != 1 {
			t.Errorf("half of %s: %+v", name, found)
		}
		w.put(name, whole)
		w.drain()
		w.wasRead(whole)

		w = newWorld(t, nil)
		w.put(name, whole[:len(whole)-5])
		w.poll(0)
		w.poll(time.Hour)
		if found := w.poll(time.Hour); found.Taken == nil {
			t.Errorf("half of %s is waited for without end", name)
		}
	}
}

// TestTextFilesWithoutTheirLastLineBreakAreWaitedFor stalls a copy after a job whose file ended with a line break.
func TestTextFilesWithoutTheirLastLineBreakAreWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("a.csv", "Ref,Name\n1,Ann")
	w.drain() // nothing is known of earlier files
	w.runs[0].Ended = true
	w.put("b.csv", "Ref,Name\n1,Matt")
	for range 30 {
		if found := w.poll(time.Minute); found.Taken != nil {
			t.Fatal("the file was taken although it is cut off")
		}
	}
	w.poll(2 * time.Hour)
	if found := w.poll(time.Hour); found.Taken == nil {
		t.Fatal("the file is waited for without end")
	}
}

func TestMarkerSaysThatAFileIsComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *inbox.Folder) { f.Marker, f.Patterns = ".done", []string{"*"} })
	w.put("matters.csv", "a")
	w.poll(0)
	if found := w.poll(time.Hour); found.Taken != nil {
		t.Error("a file without its marker was taken")
	}
	w.put("matters.csv.done", "")
	w.drain()
	w.wasRead("a")
	w.holds("archive/2024/03/run1-matters.csv")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*inbox.Folder)
		want   []string
		aside  int
	}{
		"all by time":        {want: []string{"first", "second", "third"}},
		"all by name":        {change: func(f *inbox.Folder) { f.ByName = true }, want: []string{"third", "first", "second"}},
		"the newest by time": {change: func(f *inbox.Folder) { f.Newest = true }, want: []string{"third"}, aside: 2},
		"the newest by name": {change: func(f *inbox.Folder) { f.Newest, f.ByName = true, true }, want: []string{"second"}, aside: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			for _, f := range [][2]string{{"b-9.csv", "first"}, {"B-010.csv", "second"}, {"a.csv", "third"}} {
				w.put(f[0], f[1])
				w.now = w.now.Add(time.Second)
			}
			w.drain()
			w.wasRead(c.want...)
			aside := 0
			for _, file := range w.files() {
				if strings.Contains(file, "superseded-") && !strings.HasSuffix(file, ".reason.txt") {
					aside++
				}
			}
			if aside != c.aside {
				t.Errorf("%d files were put aside, want %d: %v", aside, c.aside, w.files())
			}
		})
	}
}

func TestNothingOvertakesAFileThatIsToBeRunLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("a.csv", "a")
	w.take().Taken.Later(w.now.Add(5 * time.Minute))
	w.put("b.csv", "b")
	if found := w.poll(4 * time.Minute); found.Taken != nil {
		t.Errorf("%s was handed out", found.Taken.Name)
	}
	if found := w.poll(time.Minute); found.Taken == nil || found.Taken.Name != "a.csv" {
		t.Errorf("found %+v", found)
	}
	w.drain()
	w.wasRead("a", "b")
}

func TestTheSameFileTwiceIsADuplicate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("matters.csv", "a")
	w.drain()
	w.put("again.csv", "a")
	found := w.take()
	if found.Taken != nil || len(found.Aside) != 1 || found.Aside[0].Name != "again.csv" {
		t.Fatalf("found %+v", found)
	}
	note, err := os.ReadFile(found.Aside[0].Path + ".reason.txt")
	if err != nil || !strings.Contains(string(note), "run run1 read") {
		t.Errorf("the note says %q (%v)", note, err)
	}
	w.wasRead("a")
}

// repeats tells whether the file of a run would send nothing again.
func repeats(does bool) func(context.Context, string) (bool, error) {
	return func(context.Context, string) (bool, error) { return does, nil }
}

func TestTheSameFileIsRunAgainWhenItMaySendSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("matters.csv", "a")
	w.drain()
	w.runs[0].Repeats = repeats(false)
	w.put("again.csv", "a")
	w.drain()
	w.wasRead("a", "a")
}

// What was changed back has to be sent, though the file is one that was there before.
func TestAFileThatComesBackAfterAnotherIsNoDuplicate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, text := range []string{"a", "b", "a"} {
		w.put("matters.csv", text)
		w.drain()
	}
	w.wasRead("a", "b", "a")
}

func TestRejectedFilesLieBesideTheirReasons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, text := range []string{"broken", "broken too"} {
		w.put("matters.csv", text)
		if _, err := w.take().Taken.Reject("no header was found"); err != nil {
			t.Fatal(err)
		}
	}
	w.holds("rejected/matters-2.csv", "rejected/matters-2.csv.reason.txt", "rejected/matters.csv", "rejected/matters.csv.reason.txt")
	text, err := os.ReadFile(filepath.Join(w.dir, "rejected", "matters-2.csv.reason.txt"))
	if err != nil || string(text) != "no header was found\n" {
		t.Errorf("the reason is %q (%v)", text, err)
	}
}

func TestAnInboxThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(f *inbox.Folder) { f.Path = filepath.Join(f.Path, "nowhere") })
	_, err := w.folder.Poll(t.Context(), noon)
	if err == nil || !strings.Contains(err.Error(), "The folder must exist") {
		t.Errorf("the error is %v", err)
	}
}

func TestHintComesWithAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hints := w.folder.Hint(ctx)
	w.put("matters.csv", "a")
	select {
	case <-hints:
	case <-time.After(10 * time.Second):
		t.Skip("skipped: this filesystem sends no events")
	}
}

// Where only the newest file counts, one that comes late is not run over what is newer; a file whose time is still to come stands
// in nobody's way.
func TestNewestIsNotOvertakenByWhatComesLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		byName bool
		last   inbox.Run // with the day of its file
		file   string
		day    int
		aside  int
	}{
		"older by time":                           {last: inbox.Run{File: "b.csv"}, file: "c.csv", day: -1, aside: 1},
		"newer by time":                           {last: inbox.Run{File: "b.csv"}, file: "a.csv", day: 1},
		"of the same time":                        {last: inbox.Run{File: "b.csv"}, file: "a.csv"},
		"older by name":                           {byName: true, last: inbox.Run{File: "2024-02.csv"}, file: "2024-01.csv", day: 1, aside: 1},
		"of the same name":                        {byName: true, last: inbox.Run{File: "2024-02.csv"}, file: "2024-02.csv", day: -1},
		"newer by name":                           {byName: true, last: inbox.Run{File: "2024-02.csv"}, file: "2024-03.csv", day: -1},
		"the last one's time is to come":          {last: inbox.Run{File: "b.csv", Written: noon.AddDate(1, 0, 0)}, file: "a.csv"},
		"the last one was a file somebody named":  {last: inbox.Run{File: "/elsewhere/b.csv"}, file: "a.csv", day: -1},
		"the last one was let through its guards": {last: inbox.Run{File: "rejected/b.csv"}, file: "a.csv", day: -1, aside: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(f *inbox.Folder) { f.Newest, f.ByName = true, test.byName })
			last := test.last
			last.ID, last.SHA256 = "run0", "another"
			if last.Written.IsZero() {
				last.Written = noon.Add(-time.Hour)
			}
			switch {
			case strings.HasPrefix(last.File, "rejected"):
				last.File = filepath.Join(w.dir, last.File)
			case !filepath.IsAbs(last.File):
				last.File = filepath.Join(w.dir, ".docketsync", "ticket", last.File)
			}
			w.runs = []inbox.Run{last}
			w.put(test.file, "text")
			at := noon.Add(-time.Hour).AddDate(0, 0, test.day)
			if err := os.Chtimes(filepath.Join(w.dir, test.file), at, at); err != nil {
				t.Fatal(err)
			}
			w.poll(0)
			found := w.poll(time.Minute)
			if test.aside == 0 {
				found = w.poll(time.Minute)
			}
			if len(found.Aside) != test.aside || (found.Taken == nil) != (test.aside > 0) {
				t.Errorf("aside %+v, taken %+v", found.Aside, found.Taken)
			}
			for _, aside := range found.Aside {
				if !strings.Contains(aside.Why, "which run run0 read, is newer") {
					t.Error(aside.Why)
				}
			}
		})
	}
}

// Visits of processes that end again wait together as long as one that stays: what one has waited for is known to the next.
func TestPatienceOutlastsTheProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.put("marks.xlsx", "PK\x03\x04")
	visits := 0
	for taken := false; !taken; visits++ {
		if visits > 20 {
			t.Fatal("after five hours of visits it has not been taken")
		}
		w.start(nil)
		w.poll(13 * time.Minute)
		taken = w.poll(2*time.Minute).Taken != nil
	}
	if visits < 8 { // an hour in the folder, and one after it was moved
		t.Errorf("it was taken after %d visits", visits)
	}
}
