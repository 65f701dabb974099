package expr

import (
	"errors"

	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Scope is what the functions of one mapper's expressions can reach.
type Scope struct {
	Today   string
	Lookups map[string]*lookup.Table
	Dates   map[string]ColumnDate // how date() without a pattern reads a column, by name; "" for all others
	work    int                   // bytes read and written by the current evaluation
	fail    *reason.Problem       // a specific reason, better than the error that ends the evaluation
	found   []foundName
	row     *table.Row      // the row of the current evaluation
	dates   *table.Readings // of the expression
}

// foundName is a name that the current evaluation found in a lookup.
type foundName struct {
	Table *lookup.Table
	Name  string
}

var errWork = errors.New("it processes too much text")

// charge counts the text that passes through a function.
func (s *Scope) charge(values ...any) error {
	for _, value := range values {
		s.work += 16 + sizeOf(value)
	}
	if s.work > maxWork {
		return errWork
	}
	return nil
}

// refuse ends the evaluation with a specific reason.
func (s *Scope) refuse(fail *reason.Problem) error {
	s.fail = fail
	return errors.New(fail.Message)
}

func sizeOf(value any) int {
	size := 0
	switch value := value.(type) {
	case string:
		size = len(value)
	case []string:
		for _, text := range value {
			size += 16 + len(text)
		}
	case []any:
		for _, element := range value {
			size += 16 + sizeOf(element)
		}
	}
	return size
}
