package rule

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
)

// Level is what a check does when it finds something.
type Level uint8

// The levels.
const (
	LevelOff Level = iota
	LevelWarn
	LevelError
)

// Levels are the levels of the checks by name.
type Levels map[string]Level

// Check is one of the checks of a record's sense before it is sent. Its name is the code of its reasons and notes.
type Check struct {
	Name       string
	Operations []payload.Operation
	Default    string // error or warn
}

// Checks are the checks of an operation, those of records first.
func Checks(op payload.Operation) []Check {
	return slices.DeleteFunc(AllChecks(), func(check Check) bool { return !slices.Contains(check.Operations, op) })
}

// AllChecks lists the checks of records and the comparisons. Contradictions are errors unless a mapping says otherwise; what is
// merely missing is a warning.
func AllChecks() []Check {
	list := slices.Clone(RecordChecks)
	for _, c := range Comparisons {
		list = append(list, c.Check)
	}
	return list
}

// RecordChecks look at one record alone.
var RecordChecks = []Check{
	{"filing_after_registration", marks, "error"},
	{"expiry_before_registration", marks, "error"},
	{"expiry_before_filing", marks, "error"},
	{"publication_before_filing", marks, "warn"},
	{"filing_in_future", marks, "error"},
	{"registration_in_future", marks, "error"},
	{"status_date_in_future", marks, "error"},
	{"registered_without_number", marks, "warn"},
	{"registered_without_date", marks, "warn"},
	{reason.FarOff, []payload.Operation{payload.UpdateTrademark, payload.UpdateCase}, "error"},
	{reason.Partial, payload.Operations, "error"},
	{reason.NiceClass, marks, "error"},
	{reason.Damaged, payload.Operations, "error"},
	{"file_number_repeated", []payload.Operation{payload.CreateFolder}, "error"},
}

var marks = []payload.Operation{payload.UpdateTrademark}

// Comparison is a check that compares the records of all rows with each other.
type Comparison struct {
	Check
	Field string // that the records share, as reasons name it
}

// Comparisons lists the checks that compare records. What would be created twice, or be overwritten by whichever of two
// updates comes last, is an error; a number that two records share may be right: the designations of one international
// registration have it, and so have the parts of a divided application. Folders may number their files each for itself; but a folder that
// no longer has a file of its number has passed it on.
var Comparisons = []Comparison{
	{Check{reason.Twin, operations(true), "error"}, "key"},
	{Check{reason.Twin, operations(false), "warn"}, "key"},
	{Check{reason.NumberTwice, []payload.Operation{payload.CreateCase}, "error"}, "number"},
	{Check{reason.NumberTwice, []payload.Operation{payload.UpdateCase}, "warn"}, "number"},
	{Check{reason.IDTwice, operations(false), "error"}, "id"},
	{Check{"application_number_repeated", marks, "warn"}, "application_number"},
	{Check{"registration_number_repeated", marks, "warn"}, "registration_number"},
	{Check{FileInTwoFolders, []payload.Operation{payload.CreateFolder}, "warn"}, "files.number"},
	{Check{reason.FileCreated, []payload.Operation{payload.CreateFolder}, "error"}, "files.number"},
}

// operations are those that create, or those that do not.
func operations(create bool) (list []payload.Operation) {
	for _, op := range payload.Operations {
		if op.Creates() == create {
			list = append(list, op)
		}
	}
	return list
}

// FileInTwoFolders is the comparison of the files of folders, which are collected with the entries.
const FileInTwoFolders = "file_number_in_two_folders"

// OwnCheck is a check that a firm writes itself: a condition on a row under which its record is wrong, or deserves a look.
type OwnCheck struct {
	Name  string
	Level Level
	*Formula
}
