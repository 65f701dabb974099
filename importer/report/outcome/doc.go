// Package outcome has the seven ends of a record (and the two states before an end), and what they are called. Whoever counts records
// by outcome counts by this package. Of ours it imports the ledger alone.
package outcome
