// Package rows is the one walk over the sources of a job: open → bind → rows. Whoever wants rows, for a run, for the proof of
// dates, for a preview or for a trial in the browser, walks here, so that all of them see the same rows under the same
// numbers.
//
// Walk opens one input after the other, binds the mapping to its header (a Table) and hands out its rows. On top of it stand
//   - Reader, the first half of the first pass: it accounts for every row (a row that is read is skipped, with its reason
//     counted, or is in a record), sets the rows of a grouped mapping aside in the ledger until all have been read, has
//     records made of them, and emits these in batches with copies of what the source and the mapper reuse;
//   - Walk.Proven, which reads all rows once for how the dates of each column are written;
//   - Finder, which finds the rows of one record.
//
// Sources is the list of files and sheets that a walk has come to: reasons that name rows say with it where they stand.
//
// The decision that is not obvious is that a record which is the same as in the last run is recognised here and not in the plan:
// its payload and cells are then never copied, which is most of the time of a night.
//
// The package imports decide for what it makes (decide.Mapped) and guard for the profile of the columns; it knows nothing of
// runs beyond their row in the ledger.
package rows
