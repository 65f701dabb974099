// Package unchanged keeps the records of a run that are as the service holds them, of which there is nothing more to say than that
// they were there, and where.
//
// The export of most nights is that of the night before, so such records have no rows of their own. Some thousand of them, in the
// order of the export, are a segment: key, digest, id and places, delta-coded, written once and never changed. A run refers to ranges
// of segments, with the seq of the first record and by how much row numbers have moved since the segment was written. A run in which
// all is as it was refers to the segments of the one before and writes none; a row that was put in moves all numbers behind it, and
// costs one more range. When changes have broken a window of a run into too many ranges it is written anew as one segment (Writer). A
// segment lives for as long as a run refers to it (Remove).
//
// The next run need not look such records up. A Baseline goes through the last run beside the export and says of a record that it was
// there with the same digest. Whether that is so still is for the ledger to know: it names the keys of which something was learnt.
//
// A check keeps the records that are in order so too, with what would be done with them: nobody asks it for a list of these.
//
// What is simpler was measured. To write into what is known of a key when it was last seen, and where, costs every night an update of
// every record, and forgets where it stood the night before, which reports of past runs and certificates tell; a row for each record,
// place and span of nights is written anew for every record behind a row that was put in.
//
// The package knows the tables segments and ranges alone, and imports nothing but the store.
package unchanged
