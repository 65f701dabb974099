// Package jobs has the pages of jobs and their runs: how everything stands today, one job with what can be asked of it, the list of runs,
// one run with its files, the plan of a dry run, and the settings that all of them run with.
//
// What is asked for goes through Take, which hands it to the queue only if the job stands as the page showed it. Counts and accounts of runs
// that are over are remembered (tallies, summaries), since making them reads every record of the run; one that has something in doubt is
// counted anew each time, because any process may settle it.
package jobs
