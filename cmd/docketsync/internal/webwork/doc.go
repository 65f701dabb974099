// Package webwork does for the web console what the commands do, by the code of the commands: it implements console.Work over an
// installation, opens the door that browsers come through, and makes the console's options of the configuration.
//
// Each time it reads the configuration again, so that what somebody changes there counts at once, and works with the ledger that is
// open throughout. It imports the rooms of commands (installation, runner, doubts) and those of the console; plan files
// are given to it.
package webwork
