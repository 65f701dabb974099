package rule

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
)

// Level says what happens when a check finds something.
type Level uint8

const (
	LevelOff Level = iota
	LevelWarn
	LevelError
)

// Levels holds the levels of the checks by name.
type Levels map[string]Level

// Check is a check that a record makes sense, run before the record is sent. Its name is the code of its reasons and
// notes.
type Check struct {
	Name       string
	Operations []payload.Operation
	Default    string // error or warn
}

// Checks returns the checks of an operation, those of single records first.
func Checks(op payload.Operation) []Check {
	return slices.DeleteFunc(AllChecks(), func(check Check) bool { return !slices.Contains(check.Operations, op) })
}

// AllChecks returns the checks of single records and the comparisons. A contradiction is an error unless a mapping says
// otherwise; something merely missing is a warning.
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

// Comparisons are the checks that compare records. It is an error if something would be created twice, or if two
// updates would overwrite each other. Two records with the same number may be right: the designations of one
// international registration share it, and so do the parts of a divided application. Each folder may number its files
// on its own; but if a folder no longer has the file of a number, that file has moved.
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

// operations returns the operations that create, or those that do not.
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

// OwnCheck is a check that a firm writes itself: a condition under which a row's record is wrong or deserves a look.
type OwnCheck struct {
	Name  string
	Level Level
	*Formula
}
