// Package infer writes the first draft of a mapping file for a table nobody has mapped yet. It does no input and output:
// the caller reads the rows and writes what comes out.
//
// Propose goes once over the rows and keeps of each column what its values look like (column.go), in memory that does not
// grow with the file. Then it decides, in this order: which rows are no data (rows.go, totals.go), which texts mean
// an empty cell (blanks.go), which operation the columns speak
// for (operation.go), where the goods and services are (goods.go), which column goes to which field (fit.go), and
// what is written for each field (draft.go). write.go makes YAML of it.
//
// A column is chosen for a field by its header, read word by word in nine languages (names.go), and by its values, which can
// rule it out: a column of web addresses is never the text of a mark. All fields are given their columns at once, so that
// the sum of the fits is the greatest: the first field that likes a column does not take it from a field that needs it.
//
// The decision that is not obvious is what becomes of the things the file does not say. Nothing is guessed. A name that needs a
// GUID goes through a lookup, whose CSV file lists the names and waits for the ids; a GUID that is the same for all rows is a
// name in the lookup "constants"; a required text that no column holds names a column that does not exist; dates that
// two patterns read in different ways get both patterns, unless the header says which. Dates that are clear in this file are
// not taken as clear in the next: dates: proven has every file show it anew. In each case the mapping parses, and check says at which line what is
// missing, or rejects the rows, until a person has answered.
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
