// Package wizard has the pages of the first import: from a file that nobody has mapped yet to a job that has run.
//
// The steps are the file, its mapping, the names that wait for ids, the job, and its check, plan and first run. All are for operators, since each
// shows a firm's data that is in no run yet. The form of the mapping and its text change the same draft; either carries a digest of what it
// was made of, and is refused when the draft is another one by then. What is saved as a job is written by Work.SaveJob, which a
// person sees beforehand as PlanJob says it.
package wizard
