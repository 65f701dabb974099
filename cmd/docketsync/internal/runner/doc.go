// Package runner runs jobs of an installation as commands, the schedule and the console all do: it makes them ready, runs one after
// the other, shows how far they are, writes and copies their reports, and tells the observers how each ended.
//
// A result stands for every job that was asked for, in order: a run with its summary and reports, or the reason why there is none.
// A bad file or a guard says nothing about the jobs behind it, and they are run; a lost sign-in or a service that is down stops
// all. A job that takes ids from one that did not run to its end waits for it: an id that is not there yet would be a reject that
// nobody has to correct.
//
// A report is owed from the beginning of its run on, in a file beside the reports, so that a process that is killed leaves the
// report to the next start. What reports need, and what can stop a run, is decided by the importer; this package only carries
// out. It imports installation, terminal and exit.
package runner
