// Package arrivals runs the files that arrive in the inboxes of jobs, one at a time, and decides what becomes of each: it is
// archived when a run was made of it, rejected when no run can be made of this file, kept for later when the trouble is not its
// own, and returned to the inbox when it was written to after it had been taken.
//
// How a file is told to be complete, and how it is moved, belongs to importer/inbox; how a job is run belongs to runner. The
// command inbox empties inboxes and ends, the daemon looks again and again; both do it with Look, under a lock of the ledger, so that
// only one process takes files from an inbox.
package arrivals
