// Package metrics lets an installation be watched: numbers for Prometheus, pages that say whether the process is healthy,
// and a trace of every run.
//
// What a process counts ends with it, and a nightly job from cron is another process each night. So every number that
// somebody would raise an alarm about — how the last run came out, when the last good one ended, what is in doubt — is a gauge
// that can be told from the ledger (Restore), and is the same whether one process runs for a year or one each night; counters
// are beside them for who wants rates from a process that stays up.
//
// Success, here, is a run that was carried to its end. Rejected rows and doubts have gauges of their own, since what is put up
// with differs from firm to firm. No number and no label holds anything of a row, a payload or a secret: labels are the names
// of jobs and channels, and the words of this program.
package metrics
