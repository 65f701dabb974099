// Package observers tells those who are to know what becomes of runs: people by the channels of notify, a dead man's switch, the
// metrics that Prometheus scrapes or reads from a file, and a collector of traces.
//
// Observers hear of a run three times: that it is about to begin, how far it is, and how it ended or why it could not be made. No
// failure of theirs is a failure of the run: what was sent was sent, so it is logged and counted. It imports the configuration,
// the ledger and the packages of the single channels; it does not know how runs are made.
package observers
