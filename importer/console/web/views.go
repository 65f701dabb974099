package web

import (
	"net/url"

	"docketsync/apiclient/payload"
)

// JobPath is where the page of a job is.
func JobPath(job string) string { return "/jobs/" + url.PathEscape(job) }

// recordPath is where the page of a record is.
func recordPath(scope, key string) string {
	return "/records/of?" + url.Values{"scope": {scope}, "key": {key}}.Encode()
}

// changeTable is what the piece "changes" shows: what changes, or all values of what is created.
type changeTable struct {
	Changes []payload.Change
	Created bool
}

func changesOf(list []payload.Change, created bool) changeTable { return changeTable{list, created} }

func addUp(a, b int) int { return a + b }

// lastOf is the number of the last of n whose first has that number.
func lastOf(first, n int) int { return first + n - 1 }
