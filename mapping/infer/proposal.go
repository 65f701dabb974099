// Package infer writes the first draft of a mapping file for a table that nobody has mapped yet. It does no input or
// output: the caller reads the rows and writes the result.
//
// Propose reads the rows once and keeps for each column what its values look like (column.go), in memory that does not
// grow with the file. Then it decides, in this order: which rows are not data (rows.go, totals.go), which texts mean an
// empty cell (blanks.go), which operation the columns suggest (operation.go), where the goods and services are
// (goods.go), which column goes to which field (fit.go), and what is written for each field (draft.go). write.go turns
// the result into YAML.
//
// A column is chosen for a field by its header, read word by word in nine languages (names.go), and by its values,
// which can rule it out: a column of web addresses is never the text of a mark. All fields get their columns at once,
// so that the sum of the fits is the greatest possible. So the first field that fits a column does not take it from a
// field that needs it.
//
// One decision is not obvious: what happens to things that the file does not say. Nothing is guessed. A name that needs
// a GUID goes through a lookup, whose CSV file lists the names and waits for the ids. A GUID that is the same for all
// rows is a name in the lookup "constants". A required text that no column holds names a column that does not exist.
// Dates that two patterns read in different ways get both patterns, unless the header says which one is right. Dates
// that are clear in this file are not assumed to be clear in the next: dates: proven has every file prove them anew. In
// each case the mapping parses, and check says on which line something is missing, or rejects the rows, until a person
// has answered.
package infer

import (
	"docketsync/apiclient/payload"
	"docketsync/mapping"
)

// Options are what the caller knows besides the rows.
type Options struct {
	// Operation is what the rows become. If empty, Propose picks the likeliest operation.
	Operation payload.Operation
	// File is the name of the file in the mapping's first line.
	File string
	// KeepTotals says that rows that look like totals are records.
	KeepTotals bool
	// Mapping holds the switches of the installation.
	Mapping mapping.Options
}

// Proposal is a draft of a mapping.
type Proposal struct {
	Operation payload.Operation `json:"operation"`
	Why       string            `json:"why"`     // why it is that operation
	Rows      int               `json:"rows"`    // rows that are data
	Skipped   int               `json:"skipped"` // rows that the mapping leaves out, such as totals
	// Mapping is the text of the mapping file.
	Mapping string `json:"mapping"`
	// Lookups are the files that the mapping needs, in the order of its lookups:.
	Lookups []Lookup `json:"lookups"`
	// Unused are the columns that no field uses, in the order of the file.
	Unused []unused `json:"unused"`
	// Decide says what the file leaves open, one sentence each.
	Decide []string `json:"decide"`
}

// Lookup is a table of names that wait for their ids.
type Lookup struct {
	Name  string `json:"name"`
	Names []Name `json:"names"` // the most frequent first, classes by their number
	More  bool   `json:"more"`  // there are further names, which are too many or too long to keep
	// Ledger says that the ledger knows the ids, so there is no file to fill in.
	Ledger bool `json:"ledger"`
}

// Name is a name in a lookup and the number of rows that have it.
type Name struct {
	Text  string `json:"name"`
	Count int    `json:"count"`
}

// unused is a column that no field uses.
type unused struct {
	Column  string `json:"column"` // its name in a mapping
	Filled  int    `json:"filled"` // rows that have something in it
	Example string `json:"example,omitempty"`
}
