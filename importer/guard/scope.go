package guard

import (
	"fmt"
	"maps"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// contested fires if jobs that share a scope send different values for the same records. No guard names the other job,
// because whoever may not see that job must not learn of it: the importer writes the name to the log.
func (f *firing) contested(operation string) {
	for _, job := range slices.Sorted(maps.Keys(f.now.Contested)) {
		n := f.now.Contested[job]
		if n < max(f.Least, 1) {
			continue // each has a note
		}
		way := "give each mapping a scope of its own if they send different fields"
		if payload.Operation(operation) == payload.UpdateCase { // which replaces the whole case
			way = "put the fields into one mapping"
		}
		f.fire(Scope, "", "%s the same as in the last run, but another job has sent other values since, which this run would overwrite: correct this export if it is the older one, leave the records out of one job, or %s; the log says which job it is",
			wording.Counted(n, "record is", "records are"), way)
	}
}

// ScopeChange returns the guard for a mapping whose scope differs from that of the job's last run.
func ScopeChange(last, now string) ledger.Guard {
	return scope("the scope of the mapping is %q, and was %q in the last run: what was sent under that one is not known under this one and would be sent again. Put the scope back", now, last)
}

// OperationChange returns the guard for a mapping that creates, but did something else in the job's last run.
func OperationChange(last, now string) ledger.Guard {
	return scope("the operation of the mapping is %s, and was %s in the last run: what that one sent would be created again. Put the operation back", now, last)
}

// CorrectedElsewhere returns the guard for records that a job would send for the first time although their cells were
// corrected for another job with its scope.
func CorrectedElsewhere(records int) ledger.Guard {
	return scope("%s with cells corrected in the console for another job would be sent uncorrected. If this job was renamed, put its former name back; otherwise correct the source. The log says which job it is", wording.Counted(records, "record"))
}

// CorrectedAs returns the guard for a record whose cells were corrected under its former key.
func CorrectedAs(former, now string) ledger.Guard {
	return scope("cells of the record %q were corrected in the console under its former key %q, and would be sent uncorrected. Correct the source, or put the key back", now, former)
}

// CreatedElsewhere returns the guard for records that would be created, but were or may have been created before under
// another scope. under is "" if that is the scope of another job.
func CreatedElsewhere(records int, under string) ledger.Guard {
	created := wording.Counted(records, "record was", "records were") + " created before "
	if under == "" {
		return scope("%sby another job, or may have been, and would be created again. Leave them out of one of the two; the log says which job it is", created)
	}
	return scope("%sunder the scope %q, or may have been, and would be created again. Put the job's scope back, or leave them out", created, under)
}

// ForgottenElsewhere returns the guard for records that would be created although their keys were forgotten under
// another scope, which is "" as in CreatedElsewhere. Nothing else is known of the forgotten ones.
func ForgottenElsewhere(records int, under string) ledger.Guard {
	where := "by another job"
	if under != "" {
		where = fmt.Sprintf("under the scope %q", under)
	}
	return scope("%s the key of one that was forgotten %s, and would be created", wording.Counted(records, "record has", "records have"), where)
}

// Advice says what to do about guards that fired.
func Advice(fired []ledger.Guard) string {
	if slices.ContainsFunc(fired, func(g ledger.Guard) bool { return g.Name == Scope }) {
		return "Do what the guards say, and compare the export with the last one. Let it through only if these are other records, or this job has the right values."
	}
	return "Compare the export with the last one. If it is correct, let it through."
}

func scope(format string, args ...any) ledger.Guard {
	return ledger.Guard{Name: Scope, Message: fmt.Sprintf(format, args...)}
}
