// Package unchanged stores the records of a run that are as the service holds them, and of which there is nothing more
// to say than that they were there, and where.
//
// The export of most nights is that of the night before, so such records have no rows of their own. About a thousand of
// them, in the order of the export, are a segment: key, digest, id and places, delta-coded, written once and never
// changed. A run refers to ranges of segments, each with the seq of its first record and by how much row numbers have
// moved since the segment was written. A run in which everything is as it was refers to the segments of the one before
// and writes none. A row that was inserted moves all numbers after it, and costs one more range. When changes have
// broken a window of a run into too many ranges, it is rewritten as one segment (Writer). A segment lives as long as a
// run refers to it (Remove).
//
// The next run need not look such records up. A Baseline reads the last run beside the export and says of a record that
// it was there with the same digest. Whether that is still true is for the ledger to know: it names the keys of which
// something was learnt.
//
// A check stores the records that are in order in this way too, with what would be done with them: nobody asks it for a
// list of these.
//
// Simpler designs were measured. To store with each known key when and where it was last seen costs an update of every
// record every night, and forgets where it was the night before, which reports of past runs and certificates show. A
// row for each record, place and span of nights is rewritten for every record after an inserted row.
//
// The package knows only the tables segments and ranges, and imports nothing but the store.
package unchanged
