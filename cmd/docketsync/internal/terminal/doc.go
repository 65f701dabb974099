// Package terminal is the side of docketsync that a person at a command line sees: results on standard output, as text or as
// JSON; progress and the log on standard error; tables, pages that are broken at the width of the terminal, and the summary of
// a run.
//
// A Screen is passed to whatever has something to say. What is written goes through a writer: words of files and of the service
// end up on a terminal, and a terminal obeys control characters, so these are written as escapes wherever they come from.
// Where there is no terminal, text stays the same from run to run, one line for one thing, for grep and for tests.
//
// It imports what it shows (progress of the importer, reports) and knows nothing of commands, configuration or what is run.
package terminal
