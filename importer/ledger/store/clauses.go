package store

import (
	"fmt"
	"strconv"
	"strings"
)

// Clauses collects the conditions of a query and their parameters.
type Clauses struct {
	list []string
	Args []any
}

// Param adds a parameter and returns its placeholder.
func (c *Clauses) Param(value any) string {
	c.Args = append(c.Args, value)
	return "$" + strconv.Itoa(len(c.Args))
}

// Where adds a condition in which %s stands for the value.
func (c *Clauses) Where(condition string, value any) {
	c.list = append(c.list, fmt.Sprintf(condition, c.Param(value)))
}

// Among asks that a column be one of the values, unless there are none.
func (c *Clauses) Among(column string, values []string) {
	if len(values) == 0 {
		return
	}
	params := make([]string, len(values))
	for n, value := range values {
		params[n] = c.Param(value)
	}
	c.list = append(c.list, column+" in ("+strings.Join(params, ", ")+")")
}

// And adds a condition without a value.
func (c *Clauses) And(condition string) { c.list = append(c.list, condition) }

// Text is the where clause, "" without a condition.
func (c *Clauses) Text() string {
	if len(c.list) == 0 {
		return ""
	}
	return "where " + strings.Join(c.list, " and ")
}

// Words are values as plain text.
func Words[T ~string](list []T) []string {
	plain := make([]string, len(list))
	for n, word := range list {
		plain[n] = string(word)
	}
	return plain
}
