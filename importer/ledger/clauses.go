package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

// clauses collects the conditions of a query and their parameters.
type clauses struct {
	list []string
	args []any
}

// param adds a parameter and returns its placeholder.
func (c *clauses) param(value any) string {
	c.args = append(c.args, value)
	return "$" + strconv.Itoa(len(c.args))
}

// add adds a condition in which %s stands for the value.
func (c *clauses) add(condition string, value any) {
	c.list = append(c.list, fmt.Sprintf(condition, c.param(value)))
}

// among asks that a column be one of the values, unless there are none.
func (c *clauses) among(column string, values []string) {
	if len(values) == 0 {
		return
	}
	params := make([]string, len(values))
	for n, value := range values {
		params[n] = c.param(value)
	}
	c.list = append(c.list, column+" in ("+strings.Join(params, ", ")+")")
}

func (c *clauses) where() string {
	if len(c.list) == 0 {
		return ""
	}
	return "where " + strings.Join(c.list, " and ")
}

func words[T ~string](list []T) []string {
	plain := make([]string, len(list))
	for n, word := range list {
		plain[n] = string(word)
	}
	return plain
}
