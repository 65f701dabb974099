package infer

import (
	"docketsync/apiclient/payload"
	"docketsync/mapping"
)

// Options are what the caller knows beside the rows.
type Options struct {
	// Operation is what the rows shall become; empty finds the likeliest.
	Operation payload.Operation
	// File is what the mapping's first line calls the file.
	File string
	// KeepTotals says that rows which look like totals are records.
	KeepTotals bool
	// Mapping are the switches of the installation.
	Mapping mapping.Options
}

// Proposal is a draft of a mapping.
type Proposal struct {
	Operation payload.Operation `json:"operation"`
	Why       string            `json:"why"`     // it is that operation
	Rows      int               `json:"rows"`    // that are data
	Skipped   int               `json:"skipped"` // rows that the mapping leaves out, such as totals
	// Mapping is the text of the mapping file.
	Mapping string `json:"mapping"`
	// Lookups are the files it needs, in the order of its lookups:.
	Lookups []Lookup `json:"lookups"`
	// Unused are the columns that no field took, in the order of the file.
	Unused []unused `json:"unused"`
	// Decide says what the file leaves open, a sentence each.
	Decide []string `json:"decide"`
}

// Lookup is a table of names that wait for their ids.
type Lookup struct {
	Name  string `json:"name"`
	Names []Name `json:"names"` // the most frequent first, classes by their number
	More  bool   `json:"more"`  // there are names beyond these: more than are kept, or too long
	// Ledger tells that the ledger knows the ids, so that there is no file to fill in.
	Ledger bool `json:"ledger"`
}

// Name is a name of a lookup and the rows it stands in.
type Name struct {
	Text  string `json:"name"`
	Count int    `json:"count"`
}

// unused is a column that no field took.
type unused struct {
	Column  string `json:"column"` // as a mapping would name it
	Filled  int    `json:"filled"` // rows that have something in it
	Example string `json:"example,omitempty"`
}
