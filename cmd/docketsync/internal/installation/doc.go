// Package installation turns a configuration into the things that a command works with: the ledger, a client of the service, jobs
// with their mappings, sources, lists, inboxes and the timetable, and those who observe runs. It is the only place where these
// concrete types meet; no other package reads the configuration and makes a ledger or a client of it.
//
// A Setup holds what the command line and the environment say. Open reads the configuration and opens the ledger, and nothing else:
// the client is made, and lists are fetched, when something is about to be sent (MakeReady), so that commands which only read need
// neither network nor secrets. What must be certain before anything is sent is asked there, too: that the ledger is about this
// service, that it is no older copy of itself (restored.go), and that reports can be written.
//
// Close ends everything in the opposite order of its beginning. A process that stays up opens one installation and makes one of it
// for each run (ForRun).
package installation
