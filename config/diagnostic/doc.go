// Package diagnostic tells a person what is wrong in a file that somebody wrote: a configuration, a mapping, a list of names. A Fault says
// where (file, line, column), shows the line with a caret beneath the place, says what is wrong in a sentence and what to do about it.
// Faults are all that were found in one go, in the order of the file, so that nobody mends them one by one.
//
// It knows no format: package document finds the places in YAML, the readers of tables count lines themselves. It imports nothing of ours.
package diagnostic
