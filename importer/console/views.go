package console

import "docketsync/importer/report"

// changeTable is what the piece "changes" shows: what changes, or all values of what is created.
type changeTable struct {
	Changes []report.Change
	Created bool
}

func changesOf(list []report.Change, created bool) changeTable { return changeTable{list, created} }

func addUp(a, b int) int { return a + b }

// lastOf is the number of the last of n whose first has that number.
func lastOf(first, n int) int { return first + n - 1 }
