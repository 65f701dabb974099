// Package guard compares an export with the last one of its job and says whether somebody has to look at it before
// anything is sent: half of the rows are gone, a column went blank, all dates moved by a day.
//
// The profile (ledger.Export) says what an export is like as a whole. ColumnProfile counts what the columns hold while
// the rows go by, and RecordProfile how the records differ from what the service is known to hold. Limits.Fire compares
// the profile with that of the last finished run, or while there is none with that of the newest run that was about to
// send (Limits.Unfinished). It is pure: the same two exports fire the same guards with the same numbers, so a person
// can accept exactly what they have seen. The importer decides whether a run that fired guards may go on. The guards
// about scopes (scope.go) rest on what the importer finds in the ledger.
package guard

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// The names of the guards.
const (
	Empty          = "empty"           // no rows at all, or none that can be read
	RowsFell       = "rows_fell"       // many rows fewer
	Changes        = "changes"         // many records would change, as a share
	MaxChanges     = "max_changes"     // many records would change, as a number
	Vanished       = "vanished"        // many records are gone
	Rejects        = "rejects"         // many more records than before would be rejected
	DatesShifted   = "dates_shifted"   // all dates of many records moved by the same number of days
	DaysSwapped    = "days_swapped"    // only day and month of dates changed places, in several records
	CharactersLost = "characters_lost" // texts of several records lost leading zeros, digits or letters
	IDsChanged     = "ids_changed"     // keys name other records of the service than before
	Scope          = "scope"           // the mapping's scope changed, or another job with the same scope sends other values
	Header         = "header"          // the header changed
	Columns        = "columns"         // a column went blank, or holds another kind of values
	OlderThan      = "older_than"      // the file is old, or from the future
	SameFile       = "same_file"       // the file is that of the last run
)

// Limits say how much an export may differ from the last one before somebody has to look at it. Shares are in percent.
// 0 and false switch a guard off, so the zero value guards nothing.
type Limits struct {
	Changes, RowsFell, Vanished, Rejects, DatesShifted float64

	MaxChanges int
	// DaysSwapped is how many records in which only day and month of dates changed places stop a run.
	DaysSwapped int
	// CharactersLost is how many records in which a text lost characters stop a run.
	CharactersLost int
	// IDsChanged is how many keys whose updates name another record of the service than the last accepted ones stop a
	// run.
	IDsChanged int
	OlderThan  time.Duration

	// Scope guards against a mapping whose scope differs from that of the job's last run, see ScopeChange, and against
	// jobs that overwrite each other in one scope.
	Empty, Header, Columns, SameFile, Scope bool

	// Listed guards against a ledger that knows nothing and would create what the service already lists.
	Listed bool

	// Least is how many rows, records or cells must be affected for a share to count: three of ten matters are no
	// accident.
	Least int
}

// Fire says which guards an export fires, given the run of its job that it is compared with. It is pure: equal runs
// fire equal guards, and the messages contain no times but those of the files. unsent is how many records of the last
// run were planned and not accepted: they are sent again, which does not count as a change. at is when the run began.
func (g Limits) Fire(now, last ledger.Run, unsent int, at time.Time) []ledger.Guard {
	f := firing{Limits: g, now: *now.Export, last: *last.Export}
	f.rows()
	f.changes(unsent)
	if !g.Empty || f.now.Rows > 0 { // an empty export needs no second guard
		f.share(Vanished, g.Vanished, f.now.Vanished, f.last.Records, "%s of the last run's %s %s no longer in the export (%s)")
	}
	f.rejects()
	f.dates()
	if g.Header {
		f.header()
	}
	if g.Columns {
		f.columns()
	}
	if g.Scope {
		f.contested(now.Operation)
	}
	f.files(now, last, at)
	return f.fired
}

// Unfinished returns the limits to use if the last run did not finish, so that nobody knows whether its export was
// good. They guard against what is missing, and against differences from what was accepted of each record.
func (g Limits) Unfinished() Limits {
	return Limits{Empty: g.Empty, RowsFell: g.RowsFell, Vanished: g.Vanished, DatesShifted: g.DatesShifted, DaysSwapped: g.DaysSwapped, CharactersLost: g.CharactersLost, IDsChanged: g.IDsChanged, Scope: g.Scope, Least: g.Least}
}

// FirePart says which guards fire for rows that are not a whole export: those that count records by what changed in
// them.
func (g Limits) FirePart(now ledger.Export) []ledger.Guard {
	f := firing{Limits: g, now: now}
	f.dates()
	return f.fired
}

// firing collects the guards that fire.
type firing struct {
	Limits
	now, last ledger.Export
	fired     []ledger.Guard
}

func (f *firing) fire(name, column, format string, args ...any) {
	f.fired = append(f.fired, ledger.Guard{Name: name, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (f *firing) rows() {
	if f.now.Rows == 0 {
		if f.Empty && f.last.Rows > 0 {
			f.fire(Empty, "", "the export has no rows; the last one had %s", wording.Thousands(f.last.Rows))
		}
		return
	}
	fell := f.last.Rows - f.now.Rows
	if f.RowsFell > 0 && fell >= f.Least && percent(fell, f.last.Rows) > f.RowsFell {
		f.fire(RowsFell, "", "rows fell from %s to %s (−%s), where the limit is %s", wording.Thousands(f.last.Rows), wording.Thousands(f.now.Rows),
			inPercent(percent(fell, f.last.Rows)), inPercent(f.RowsFell))
	}
}

func (f *firing) changes(unsent int) {
	// What the last run rejected and is right by now, because of an id that was filled in for example, was left unsent too.
	// Rejected records that are gone make room for nothing.
	corrected := max(0, f.last.Rejected-f.now.Rejected-max(0, f.last.Records-f.now.Records))
	n := f.now.ToSend + f.now.Stale - f.now.StaleStill + f.now.Waiting - unsent - corrected
	words := "%s of %s %s new or changed (%s)"
	if n > f.last.Records {
		words = "%[1]s records are new or changed (the last run had %[2]s)" // a share of so few says nothing
	}
	f.share(Changes, f.Changes, n, f.last.Records, words)
	if f.MaxChanges > 0 && n > f.MaxChanges {
		f.fire(MaxChanges, "", "%s records are new or changed, where the limit is %s", wording.Thousands(n), wording.Thousands(f.MaxChanges))
	}
}

// share fires if n of all records exceed the limit.
func (f *firing) share(name string, limit float64, n, all int, format string) {
	if limit > 0 && n >= f.Least && all > 0 && percent(n, all) > limit {
		verb := wording.Plural(all, "record is", "records are")
		f.fire(name, "", format+", where the limit is %[5]s", wording.Thousands(n), wording.Thousands(all), verb, inPercent(percent(n, all)), inPercent(limit))
	}
}

// rejects fires if the share of rejected records rose by more than the limit. Rows that nobody corrects are rejected
// every night, and must not stop every night.
func (f *firing) rejects() {
	was, is := percent(f.last.Rejected, f.last.Records), percent(f.now.Rejected, f.now.Records)
	if f.Rejects > 0 && f.now.Rejected >= f.Least && is-was > f.Rejects {
		f.fire(Rejects, "", "%s of %s records would be rejected (%s, in the last run %s), where the limit is %s more than before",
			wording.Thousands(f.now.Rejected), wording.Thousands(f.now.Records), inPercent(is), inPercent(was), inPercent(f.Rejects))
	}
}

func (f *firing) dates() {
	share := percent(f.now.Shifted, cmp.Or(f.last.Records, f.now.Records))
	if f.DatesShifted > 0 && f.now.Shifted >= f.Least && share > f.DatesShifted {
		f.fire(DatesShifted, "", "all dates of %s moved by %+d %s (%s of the records), where the limit is %s",
			wording.Counted(f.now.Shifted, "record"), f.now.Shift, wording.Plural(max(f.now.Shift, -f.now.Shift), "day", "days"), inPercent(share), inPercent(f.DatesShifted))
	}
	if n := f.now.Swapped; f.DaysSwapped > 0 && n >= f.DaysSwapped {
		f.fire(DaysSwapped, "", "in %s only dates changed, with day and month swapped, where the limit is %s",
			wording.Counted(n, "record"), wording.Thousands(f.DaysSwapped))
	}
	if n := f.now.Lost; f.CharactersLost > 0 && n >= f.CharactersLost {
		f.fire(CharactersLost, "", "in %s a text only lost characters, such as leading zeros, accents or letters that became ?, where the limit is %s: export again with all columns as text, as CSV in UTF-8",
			wording.Counted(n, "record"), wording.Thousands(f.CharactersLost))
	}
	if n := f.now.Moved; f.IDsChanged > 0 && n >= f.IDsChanged {
		f.fire(IDsChanged, "", "%s another id in the service than the last accepted update; %s or more stop the job", wording.Counted(n, "record has", "records have"), wording.Thousands(f.IDsChanged))
	}
}

// HeaderChange returns the guard that fires if columns differ from those of the last export, or nil if they are the
// same.
func HeaderChange(last, now []ledger.Column) *ledger.Guard {
	f := firing{now: ledger.Export{Columns: now}, last: ledger.Export{Columns: last}}
	if f.header(); len(f.fired) == 0 {
		return nil
	}
	return &f.fired[0]
}

// ColumnNames returns the names of columns as they are spelled.
func ColumnNames(columns []ledger.Column) []string { return names(columns).spelled }

// header compares the column names as the mapping would.
func (f *firing) header() {
	was, is := names(toLastUsed(f.last.Columns)), names(toLastUsed(f.now.Columns))
	if slices.Equal(was.folded, is.folded) {
		return
	}
	gone, added := was.without(is), is.without(was)
	switch {
	case len(gone)+len(added) == 0:
		f.fire(Header, "", "the columns are in a different order: %s; in the last run %s", list(is.spelled), list(was.spelled))
	case len(added) == 0:
		f.fire(Header, "", "the header changed: %s %s gone", list(gone), are(gone))
	case len(gone) == 0:
		f.fire(Header, "", "the header changed: %s %s new", list(added), are(added))
	case len(gone) == len(was.folded): // it may be any file, so its names are not repeated
		f.fire(Header, "", "the header changed: no column of the last run is present: %s", list(gone))
	default:
		f.fire(Header, "", "the header changed: %s %s gone, %s %s new", list(gone), are(gone), list(added), are(added))
	}
}

// toLastUsed leaves out blank columns without a name behind the last one that is used, which a spreadsheet program adds
// when somebody has only been there. No other column is moved by them, so a mapping that goes by letters reads the same.
func toLastUsed(columns []ledger.Column) []ledger.Column {
	for len(columns) > 0 && columns[len(columns)-1].Name == "" && columns[len(columns)-1].Filled == 0 {
		columns = columns[:len(columns)-1]
	}
	return columns
}

// blankShare is the largest share of a column's filled cells that may remain for it to count as blank.
const blankShare = 0.05

// otherShare is the share of a column that must hold another kind of values than before to count.
const otherShare = 0.5

// columns compares what columns of the same name hold.
func (f *firing) columns() {
	if f.now.Rows == 0 || f.last.Rows == 0 {
		return
	}
	before := map[string]ledger.Column{}
	for n, name := range names(f.last.Columns).unique() {
		before[name] = f.last.Columns[n]
	}
	for n, name := range names(f.now.Columns).unique() {
		is := f.now.Columns[n]
		was, there := before[name]
		if !there || was.Filled < max(f.Least, 1) {
			continue
		}
		// How many cells would be filled if nothing had changed.
		expected := float64(was.Filled) * float64(f.now.Rows) / float64(f.last.Rows)
		switch {
		case float64(is.Filled) <= expected*blankShare && expected >= 1:
			f.fire(Columns, is.Name, "the column %q went blank: %s of %s cells are filled, in the last run %s of %s",
				is.Name, wording.Thousands(is.Filled), wording.Thousands(f.now.Rows), wording.Thousands(was.Filled), wording.Thousands(f.last.Rows))
		case is.Filled >= max(f.Least, 1) && apart(was, is) > otherShare:
			f.fire(Columns, is.Name, "the column %q has different values: %s, in the last run %s", is.Name, mostly(is), mostly(was))
		}
	}
}

// clocksDiffer is how far the clocks of two machines may be apart: some say their local time is UTC.
const clocksDiffer = 24 * time.Hour

// files looks at the files themselves.
func (f *firing) files(now, last ledger.Run, at time.Time) {
	age := at.Sub(f.now.Written)
	switch guarded := f.OlderThan > 0 && !f.now.Written.IsZero(); {
	case guarded && age > f.OlderThan:
		f.fire(OlderThan, "", "the export was last written on %s, where the limit is %s",
			moment.Of(f.now.Written), inHours(f.OlderThan))
	case guarded && age < -clocksDiffer:
		f.fire(OlderThan, "", "the export was last written on %s, which is in the future, so its age is not known; a clock is wrong", moment.Of(f.now.Written))
	}
	if f.SameFile && len(now.Sources) > 0 && slices.EqualFunc(now.Sources, last.Sources, func(a, b ledger.Source) bool { return a.SHA256 != "" && a.SHA256 == b.SHA256 }) {
		f.fire(SameFile, "", "the export is identical to that of the last run, which started on %s", moment.Of(last.Started))
	}
}

// kinds returns the share of each kind of value in a column.
func kinds(c ledger.Column) [5]float64 {
	all := float64(max(c.Filled, 1))
	return [5]float64{float64(c.IDs) / all, float64(c.Dates) / all, float64(c.Numbers) / all, float64(c.Words) / all, float64(c.Codes) / all}
}

var kindNames = [5]string{"ids", "dates", "numbers", "words", "letters and digits"}

// apart returns the share of a column's values that would have to change kind to turn one distribution into the other.
func apart(a, b ledger.Column) float64 {
	sum := 0.0
	ka, kb := kinds(a), kinds(b)
	for n := range ka {
		sum += math.Abs(ka[n] - kb[n])
	}
	return sum / 2
}

// mostly returns what a column mostly holds.
func mostly(c ledger.Column) string {
	shares := kinds(c)
	most := 0
	for n := range shares {
		if shares[n] > shares[most] {
			most = n
		}
	}
	return fmt.Sprintf("%s %s", inPercent(100*shares[most]), kindNames[most])
}

// columnNames are names as they are spelled, and as they are compared.
type columnNames struct{ spelled, folded []string }

func names(columns []ledger.Column) (n columnNames) {
	for _, c := range columns {
		n.spelled, n.folded = append(n.spelled, c.Name), append(n.folded, table.FoldName(c.Name))
	}
	return n
}

// unique tells columns of the same name apart by their order.
func (n columnNames) unique() []string {
	seen, list := map[string]int{}, make([]string, len(n.folded))
	for i, name := range n.folded {
		seen[name]++
		list[i] = fmt.Sprintf("%s#%d", name, seen[name])
	}
	return list
}

func (n columnNames) without(others columnNames) (list []string) {
	theirs := others.unique()
	for i, name := range n.unique() {
		if !slices.Contains(theirs, name) {
			list = append(list, n.spelled[i])
		}
	}
	return list
}

// mostNames is how many columns a message names.
const mostNames = 12

func list(names []string) string {
	quoted := make([]string, 0, mostNames)
	for _, name := range names[:min(len(names), mostNames)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), more)
	}
	return strings.Join(quoted, ", ")
}

func are(names []string) string { return wording.Plural(len(names), "is", "are") }

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// inPercent returns a share as a person reads it: "50 %", "0.4 %".
func inPercent(share float64) string {
	if rounded := math.Round(share); share >= 10 || rounded == share {
		return fmt.Sprintf("%.0f %%", rounded)
	}
	return fmt.Sprintf("%.1f %%", share)
}

func inHours(d time.Duration) string {
	if d%time.Hour == 0 {
		return wording.Counted(int(d/time.Hour), "hour")
	}
	return d.String()
}
