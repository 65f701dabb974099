// Package expr is the expressions of mapping files: what plain YAML cannot say, in the language of expr-lang with functions of our own.
//
// New compiles an expression for its types and finds the columns and lookups that it names; Bind compiles it again with each column in a
// slot of its own and with functions that reach the lookups (Scope); Run works it out for a row. A fault has its offset in the
// expression's text: which line of which file that is, the caller knows.
//
// An expression comes from a file that somebody wrote, so it cannot run for long or take much memory: there are no ranges, no variables
// and no loop within a loop (inspector.go refuses them), lists are bounded, and the functions count what they read and write. Dates are
// texts, "2024-03-01", which compare in the order of the calendar. The package imports date, lookup, reason, table and value, and it
// alone imports expr-lang.
package expr
