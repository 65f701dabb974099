// Package rule is what a mapping file says, read and checked: which columns a field is made of and what happens to their texts, which rows
// are taken and in which order they are sent, what is checked. Package file makes rules, package mapping binds them to the header of a source
// and runs them; this is what the two have in common, so that neither knows the other. Rules do not change once they are made.
//
// They are data, each with its place in the file, since some mistakes show only beside a source. Two things are worked out here, because
// both sides need them to be the same: how a text becomes a value of the field's type (Convert; a constant of the file goes through what
// the cells of rows go through), and how the name of a column is found in a header (Columns).
//
// The package imports the kinds of things that rows are made of (date, expr, lookup, reason, table, value), and neither file nor mapping.
// Nobody but these two holds rules: to all others a mapping is a Mapping.
package rule

import (
	"time"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
)

// Rules are what a mapping file says.
type Rules struct {
	Options   Options
	Operation payload.Operation
	Scope     string
	Fields    []*Field // in the order of the payload; each target that is mapped
	Key       *Field
	Order     *Field      // the date by which records are sent, nil for none
	OwnOrder  *Field      // the same, where it is no field of the payload
	Dates     date.Reader // what the file says of all dates
	Skip      []Filter
	Only      []Filter
	Group     bool
	MostRows  int
	Fill      bool
	Filled    *bool // whether filters see the filled cells; nil where nobody has said it
	Lookups   []Lookup
	Levels    Levels
	Checks    []OwnCheck
	Tests     []Test
	AsksToday bool // an expression goes by the day of the run
}

// Options are what an installation's configuration says that changes what payloads may carry, and the date of the run.
type Options struct {
	// Switches are those of the service.
	Switches payload.Switches
	// Today is the calendar day that checks and expressions go by; zero leaves out the checks that need it.
	Today time.Time
	// Lists are the names of the service's lists that the configuration has; nil where nobody knows.
	Lists []string
}

// Filter is an expression that leaves rows out, with the name that the mapping gives it ("" for none).
type Filter struct {
	Name string
	*Formula
}

// Formula is an expression, and the places of the mapping file where it and its columns stand.
type Formula struct {
	*expr.Expression
	Place     Place
	Refs      []Column
	BareDates []Column // where date() has no pattern, with the column that it reads
}
