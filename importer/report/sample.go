package report

import (
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// sampleSize is how many rejected records a page shows without its script.
const sampleSize = 100

// Sample is a rejected record as the plain part of a page shows it.
type Sample struct {
	Where   string
	Key     string
	Reasons []ledger.Reason
	Message string
}

func newSample(run ledger.Run, r ledger.Record) Sample {
	return Sample{Where: wording.Positions(run, r.Rows), Key: r.Key, Reasons: r.Reasons, Message: r.Message}
}
