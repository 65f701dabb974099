// Package rows is the one walk over the sources of a job: open → bind → rows. A run, the inference of date formats, a
// preview and a trial in the browser all walk here, so that all of them see the same rows under the same numbers.
//
// Walk opens one input after the other, binds the mapping to its header (a Table) and yields its rows. On top of it are
//   - Reader, the first half of the first pass. It accounts for every row: a row that is read is either skipped, with
//     the reason counted, or in a record. It sets the rows of a grouped mapping aside in the ledger until all have been
//     read, has records made of them, and emits the records in batches with copies of what the source and the mapper
//     reuse;
//   - Walk.InferDates, which reads all rows once to find out how the dates of each column are written;
//   - Finder, which finds the rows of one record.
//
// Sources lists the files and sheets that a walk has come to. Reasons use it to say where a row is.
//
// The decision that is not obvious is that a record which is the same as in the last run is recognised here instead of
// in the plan. So its payload and cells are never copied, which saves most of the time of a night.
//
// The package imports decide for its results (decide.Mapped) and guard for the profile of the columns. It knows nothing
// of runs except their row in the ledger.
package rows
