package remedy

import (
	"runtime"
	"slices"
	"strings"

	"docketsync/mapping/reason"
)

// FirmsPath begins the paths of each firm's pages in a console of several firms; the firm's name follows.
const FirmsPath = "/firms/"

// Site is where people do what has to be done: the address of the console, and the configuration that commands need.
type Site struct {
	Console string   // the console's URL without a final slash, "" if there is none
	Flags   []string // what follows docketsync in every command, such as the configuration if it is not the default
	Inboxes []string // the jobs that run what arrives
	// Rehearse says that these are rehearsals, so commands about their runs need --rehearse.
	Rehearse bool
}

// Link returns the address of a page of the console, "" if it is not known that anybody can reach one.
func (s Site) Link(page string) string {
	if s.Console == "" || page == "" {
		return ""
	}
	return s.Console + page
}

// Command is a command line that can be pasted into a shell; "" of no arguments.
func (s Site) Command(args ...string) string {
	if len(args) == 0 {
		return ""
	}
	if len(args) == 2 && args[0] == "run" && slices.Contains(s.Inboxes, args[1]) {
		args = []string{"inbox", args[1]}
	}
	flags := s.Flags
	if s.Rehearse && slices.Contains([]string{"run", "plan", "resolve"}, args[0]) {
		flags = append(slices.Clone(flags), "--rehearse")
	}
	words := []string{"docketsync"}
	for _, word := range slices.Concat(flags, args) {
		words = append(words, reason.ShellWord(word, runtime.GOOS == "windows"))
	}
	return strings.Join(words, " ")
}

// Step is what to do in one place, as texts.
type Step struct {
	Do        string
	Link, Way string // the address of the console's page, "" if there is none, and the text of a link to it
	Command   string // for a shell, "" for none
}

// Steps returns the remedies for which there is something to do.
func (s Site) Steps(list []Remedy) (steps []Step) {
	for _, r := range list {
		if r.Do != "" {
			steps = append(steps, Step{r.Do, s.Link(r.Page), r.Way, s.Command(r.Args...)})
		}
	}
	return steps
}
