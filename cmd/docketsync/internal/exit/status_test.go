package exit

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/importer/source/format"
)

// TestErrorsHaveOneStatus shows which status an error stands for, however it is wrapped, and what is said of it.
func TestErrorsHaveOneStatus(t *testing.T) {
	t.Parallel()
	trouble := errors.New("the disk is full")
	for name, c := range map[string]struct {
		err  error
		code int
		said string
	}{
		"nothing":                     {nil, AllIn, ""},
		"trouble":                     {trouble, CouldNotRun, "docketsync: the disk is full\n"},
		"a mistake":                   {Mistakef("no job %q", "x"), Usage, "docketsync: no job \"x\"\n"},
		"a mistake, wrapped":          {fmt.Errorf("job x: %w", As(Usage, trouble)), Usage, "docketsync: the disk is full\n"},
		"mistakes in a file":          {fmt.Errorf("job x: %w", diagnostic.Faults{{Message: "unknown key"}}), Usage, "-"},
		"an unknown command":          {errors.New(`unknown command "x" for "docketsync"`), Usage, "-"},
		"a status without words":      {With(InDoubt, nil), InDoubt, ""},
		"a status beside an error":    {With(InDoubt, trouble), CouldNotRun, "docketsync: the disk is full\n"},
		"no status, no error":         {With(AllIn, nil), AllIn, ""},
		"a mistake of nothing":        {As(Usage, nil), AllIn, ""},
		"a file with advice":          {&format.Error{File: "a.csv", What: "no rows", Hint: "Name a sheet."}, CouldNotRun, "-"},
		"interrupted with its reason": {As(Interrupted, trouble), Interrupted, "docketsync: the disk is full\n"},
	} {
		var said bytes.Buffer
		if got := Report(c.err, &said); c.err != nil && got != c.code || Of(c.err) != c.code {
			t.Errorf("%s: status %d and %d, want %d", name, got, Of(c.err), c.code)
		}
		if c.said != "-" && c.err != nil && said.String() != c.said {
			t.Errorf("%s: said %q, want %q", name, &said, c.said)
		}
	}
	if said := Explain(fmt.Errorf("job x: %w", &format.Error{File: "a.csv", What: "no rows", Hint: "Name a sheet."})); !bytes.HasSuffix([]byte(said), []byte("Name a sheet.")) {
		t.Errorf("the advice is missing: %q", said)
	}
}

// TestTheGraverStatusCounts shows the order in which the statuses of several jobs count.
func TestTheGraverStatusCounts(t *testing.T) {
	t.Parallel()
	order := []int{AllIn, Rejects, InDoubt, Stopped, Usage, CouldNotRun, Interrupted}
	for a := range order {
		for b := range order {
			if got := Graver(order[a], order[b]); got != order[max(a, b)] {
				t.Errorf("of %d and %d, %d counts", order[a], order[b], got)
			}
		}
	}
}
