// Package model is the vocabulary of a ledger: runs, records and their states, requests, outcomes, and the filters by which they are asked
// for. Package ledger has the names that others need as its own. Beside the types there is only how they are stored (rows.go, export.go)
// and what a rejected record is recognised by (print.go).
package model
