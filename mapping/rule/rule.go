// Package rule holds what a mapping file says, read and checked: which columns make a field and how their texts are
// converted, which rows are imported and in which order they are sent, and what is checked. Package file makes the
// rules; package mapping binds them to the header of a source and runs them. Rules are what the two share, so that
// neither knows the other. They are immutable once made.
//
// Rules are data. Each has its place in the file, because some mistakes show only against a source. Two things are
// computed here because both sides must agree on them: how a text becomes a value of the field's type (Convert, which
// constants of the file go through as well as cells), and how the name of a column is found in a header (Columns).
//
// This package imports the parts that rows are made of (date, expr, lookup, reason, table, value), and neither file nor
// mapping. Only those two hold rules: for everyone else a mapping is a mapping.Mapping.
package rule

import (
	"time"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
)

// Rules is everything that a mapping file says.
type Rules struct {
	Options   Options
	Operation payload.Operation
	Scope     string
	Fields    []*Field // in the order of the payload; one for each mapped target
	Key       *Field
	Order     *Field      // the date by which records are sent, nil if none
	OwnOrder  *Field      // the same, if it is not a field of the payload
	Dates     date.Reader // what the file says about all dates
	Skip      []Filter
	Only      []Filter
	Group     bool
	MostRows  int
	Fill      bool
	Filled    *bool // whether filters see the filled cells; nil if the file does not say
	Lookups   []Lookup
	Levels    Levels
	Checks    []OwnCheck
	Tests     []Test
	AsksToday bool // an expression uses the day of the run
}

// Options are the settings of an installation that affect what payloads may contain, and the date of the run.
type Options struct {
	// Switches are the switches of the service.
	Switches payload.Switches
	// Today is the calendar day that checks and expressions use. If it is zero, the checks that need it are left out.
	Today time.Time
	// Lists are the names of the service's lists in the configuration, or nil if they are not known.
	Lists []string
}

// Filter is an expression that leaves rows out, with the name that the mapping gives it ("" for none).
type Filter struct {
	Name string
	*Formula
}

// Formula is an expression, with the places of it and its columns in the mapping file.
type Formula struct {
	*expr.Expression
	Place     Place
	Refs      []Column
	BareDates []Column // the columns that date() reads without a pattern
}
