package mapping

import "docketsync/mapping/expr"

// formula is an expression, and the places of the mapping file where it and its columns stand.
type formula struct {
	*expr.Expression
	place place
	refs  []columnRef
	bare  []columnRef // where date() has no pattern, with the column that it reads
}
