package report

import "docketsync/importer/ledger"

// sampleSize is how many rejected records a page shows without its script.
const sampleSize = 100

// sample is a rejected record as the plain part of a page shows it.
type sample struct {
	Where   string
	Key     string
	Reasons []ledger.Reason
	Message string
}

func newSample(run ledger.Run, r ledger.Record) sample {
	return sample{Where: positions(run, r.Rows), Key: r.Key, Reasons: r.Reasons, Message: r.Message}
}
