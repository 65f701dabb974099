package rule

import "docketsync/apiclient/payload"

// ItemsMode is how the entries of a list come out of rows.
type ItemsMode uint8

// The modes.
const (
	ItemsRows  ItemsMode = iota // each row of the record is one entry
	ItemsSplit                  // one cell holds all
	ItemsPairs                  // counted columns
	ItemsFlags                  // counted columns that only say whether a class applies
	ItemsNone                   // [], never any
)

// Items is how the entries of goods and services, or of files, come out of rows.
type Items struct {
	Mode    ItemsMode
	Column  Column // of ItemsSplit
	Entries string // of ItemsSplit: between entries
	Class   string // of ItemsSplit: between class and text
	Classes Column // template of ItemsPairs and ItemsFlags
	Texts   Column // template of ItemsPairs
}

// Components is how the components of update_case go by their ids.
type Components struct {
	Lookup string
	Names  []Column // of each: its name and where that stands
}

// TypeJSON is the type of a component whose value is JSON, which the service takes as text.
const TypeJSON payload.Type = "JSON"
