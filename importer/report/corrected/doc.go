// Package corrected finds the records that an earlier run rejected and this one did not.
//
// A record that went in and that an earlier run rejected was corrected: in rejects.xlsx, in the firm's own system, or in a lookup. A row of
// rejects.xlsx says by docketsync's own column which record it was (Columns); another is known by its key, among what the last run of
// a whole export rejected and the runs of corrected rows since have not sent. At most 200,000 rejected records are remembered, and
// the first 1,000 corrections are listed cell by cell.
package corrected
