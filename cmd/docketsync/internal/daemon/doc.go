// Package daemon is what `docketsync schedule` does until it is stopped: it runs jobs when they are due and files when they arrive,
// one thing at a time, and between them prunes what retention no longer keeps.
//
// When a job is due, what becomes of an occurrence and how it is caught up is decided by importer/schedule, which keeps all of it in
// the ledger; how a job is run by runner, and a file of an inbox by arrivals. The daemon holds one ledger, open throughout, and the
// settings in use. A hangup has it read the configuration and all mappings anew: they are taken between two runs, as a whole and only
// when they are without mistakes.
//
// People are told of missed runs (notices.go) as soon as that is known, but before the end of the job's next run is told: the last
// thing that people are told is what they go by. A ledger that cannot be reached at the start is waited for, since a process that is
// started again and again would tell people again and again.
//
// It imports runner, arrivals, installation and terminal.
package daemon
