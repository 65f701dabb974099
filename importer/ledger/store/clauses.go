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

// Named requires a column to equal a name, unless that is empty.
func (c *Clauses) Named(column, name string) {
	if name != "" {
		c.Where(column+" = %s", Plain(name))
	}
}

// Among requires a column to be one of the values, unless there are none.
func Among[T ~string | ~int64](c *Clauses, column string, values []T) {
	if len(values) == 0 {
		return
	}
	params := make([]string, len(values))
	for n, value := range values {
		params[n] = c.Param(value)
	}
	c.And(column + " in (" + strings.Join(params, ", ") + ")")
}

// And adds a condition without a value.
func (c *Clauses) And(condition string) { c.list = append(c.list, condition) }

// Text returns the where clause, or "" without a condition.
func (c *Clauses) Text() string {
	if len(c.list) == 0 {
		return ""
	}
	return "where " + strings.Join(c.list, " and ")
}

// Limit returns the limit clause, or "" for 0.
func (c *Clauses) Limit(most int) string {
	if most <= 0 {
		return ""
	}
	return " limit " + c.Param(most)
}
