// Package expr implements the expressions of mapping files, for what plain YAML cannot say. They use the language of
// expr-lang with functions of our own.
//
// New compiles an expression to check its types and finds the columns and lookups that it names. Bind compiles it
// again, with each column in its own slot and with functions that reach the lookups (Scope). Run evaluates it for a
// row. A fault has its offset in the expression's text; the caller knows which line of which file that is.
//
// Anybody may write an expression into a file, so an expression cannot run for long or take much memory: there are no
// ranges, no variables and no nested loops (inspector.go refuses them), lists are limited, and functions count what
// they read and write. Dates are texts such as "2024-03-01", which compare in the order of the calendar. The package
// imports date, diagnostic, lookup, reason, table and value; no other package imports expr-lang.
package expr
