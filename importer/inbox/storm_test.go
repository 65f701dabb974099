package inbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a writer process does, a line each on its standard input; it answers each with a line when it is done.
//
//	append NAME TEXT	rename FROM TO	replace NAME TEXT	delete NAME
func writerProcess() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(writerStep(strings.SplitN(lines.Text(), " ", 3)))
	}
}

func writerStep(words []string) error {
	switch words[0] {
	case "append":
		file, err := os.OpenFile(words[1], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = file.WriteString(words[2])
		return errors.Join(err, file.Close())
	case "rename":
		return os.Rename(words[1], words[2])
	case "replace":
		return errors.Join(os.WriteFile(words[1]+".part", []byte(words[2]), 0o600), os.Rename(words[1]+".part", words[1]))
	case "delete":
		return os.Remove(words[1])
	}
	return fmt.Errorf("what is %q?", words)
}

// deliveries are what the writer does, as steps. Each file that is completed says so at its end, and none is equal to
// another; what was deleted or replaced before it could be taken need not be run.
func deliveries(seed uint64) (steps [][]string, complete []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	for n := range 12 {
		name := fmt.Sprintf("matters-%02d.csv", n%7)
		text := fmt.Sprintf("file-%d-%d", seed, n)
		whole := text + "-" + text + "-end"
		switch kind := r.IntN(4); kind {
		case 0: // slowly, in place
			name = fmt.Sprintf("slow-%02d.csv", n)
			steps = append(steps, []string{"append", name, text}, nil, []string{"append", name, "-" + text}, nil, []string{"append", name, "-end"})
			complete = append(complete, whole)
		case 1: // slowly, and renamed into place
			name = fmt.Sprintf("renamed-%02d.csv", n)
			steps = append(steps, []string{"append", name + ".part", text + "-" + text}, nil, []string{"append", name + ".part", "-end"}, []string{"rename", name + ".part", name})
			complete = append(complete, whole)
		case 2: // replaced, perhaps while an earlier one of the name is being read
			steps = append(steps, []string{"replace", name, whole})
		case 3: // deleted before it is complete
			name = fmt.Sprintf("deleted-%02d.csv", n)
			steps = append(steps, []string{"append", name, text}, nil, []string{"delete", name})
		}
	}
	return steps, complete
}

// Another process fills the folder slowly, renames, replaces and deletes, between our polls and while we read; now and then
// we die at some point and begin anew. None is half read, none lost, none run twice.
func TestStormOfFiles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			order := startWriter(t, w.dir)
			steps, complete := deliveries(seed)
			r := rand.New(rand.NewPCG(seed, 2))
			for n, step := range steps {
				if step != nil {
					order(step)
				}
				// Half a minute a step: nobody pauses for longer while writing than a file has to hold still for.
				found := w.poll(30 * time.Second)
				if found.Taken != nil {
					w.meanwhile(found.Taken.Name, n, order)
					w.serveOrDie(r.IntN(5), found.Taken.Archive, func() string { return w.run(found.Taken) })
				}
			}
			w.drain()
			w.whole(complete)
		})
	}
}

// meanwhile puts another file under the name of one that is about to be read.
func (w *world) meanwhile(name string, n int, order func([]string)) {
	if strings.HasPrefix(name, "matters-") && n%2 == 0 {
		order([]string{"replace", name, fmt.Sprintf("meanwhile-%d-end", n)})
	}
}

// serveOrDie runs and archives a file, or stops in the middle of that and begins anew.
func (w *world) serveOrDie(at int, archive func(string, time.Time) (string, error), run func() string) {
	w.t.Helper()
	switch at {
	case 0:
		w.start(nil) // taken, and not run
	case 1:
		run()
		w.start(nil) // run, and not archived
	default:
		if _, err := archive(run(), w.now); err != nil {
			w.t.Fatal(err)
		}
	}
}

// whole checks that every text that was run is that of a whole file, once, and that all of those are there that nobody
// replaced or deleted.
func (w *world) whole(complete []string) {
	w.t.Helper()
	times := map[string]int{}
	for _, text := range w.read {
		times[text]++
		if !strings.HasSuffix(text, "-end") {
			w.t.Errorf("half a file was run: %q", text)
		}
		if times[text] > 1 {
			w.t.Errorf("a file was run %d times: %q", times[text], text)
		}
	}
	for _, text := range complete {
		if times[text] == 0 {
			w.t.Errorf("a file was lost: %q", text)
		}
	}
	archived, err := filepath.Glob(filepath.Join(w.dir, "archive", "*", "*", "*.csv"))
	if err != nil || len(archived) != len(w.read) {
		w.t.Errorf("%d files were run and %d archived (%v)", len(w.read), len(archived), err)
	}
}
