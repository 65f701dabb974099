package arrivals

import (
	"errors"
	"fmt"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/report/remedy"
	"docketsync/importer/source/format"
	"docketsync/importer/stop"
)

// fate is what becomes of a file after its run.
type fate string

const (
	archived fate = "archived" // a run was made, whatever became of its rows
	rejected fate = "rejected" // no run can be made of this file
	kept     fate = "kept"     // the trouble is not the file's: it is run again later
	returned fate = "returned" // it was written to after it had been taken: it is back in the inbox, to be run as a whole
	aside    fate = "aside"    // it was put away without being run
)

// fateOf decides what becomes of a file. run is what its run came to, err why it could not be made: a file that cannot be
// read, or does not have the columns that the mapping asks for, is rejected, and so is one that a guard stopped. Anything
// else (the service, the ledger, a lookup, an interruption) says nothing of the file.
func fateOf(site remedy.Site, run *ledger.Run, path string, err error) (f fate, why string) {
	var unreadable *format.Error
	var faults diagnostic.Faults
	switch {
	case errors.As(err, &unreadable) && unreadable.File == path:
		return rejected, exit.Explain(err)
	case errors.As(err, &faults):
		return rejected, exit.Explain(err)
	case err != nil || run == nil:
		return kept, ""
	case run.Phase == ledger.Finished:
		return archived, ""
	case run.StopCode == stop.Guard:
		first := remedy.After(remedy.Facts{Run: *run})[0]
		return rejected, strings.TrimSpace(run.Stop+"\n"+first.Do+" "+site.Command(first.Args...)) + "\nThe run is " + run.ID + "."
	}
	return kept, ""
}

// Event is what happened to one file of an inbox.
type Event struct {
	Job  string `json:"job"`
	File string `json:"file"` // as it arrived
	Fate fate   `json:"fate"`
	Path string `json:"path,omitempty"`
	Run  string `json:"run,omitempty"`
	Why  string `json:"why,omitempty"`
}

// String says what happened to a file, for a person.
func (e Event) String() string {
	text := fmt.Sprintf("%s  %s: %s", e.Job, e.File, e.Fate)
	if e.Path != "" {
		text += " as " + e.Path
	}
	if e.Why != "" {
		text += "\n  " + strings.ReplaceAll(e.Why, "\n", "\n  ")
	}
	return text
}
