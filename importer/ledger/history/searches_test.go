package history_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/history"
)

func TestFewRecordsAreSearchedByTheirOwnIndexes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for query, index := range history.Searches {
		rows, err := db.QueryContext(t.Context(), "explain query plan "+query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var plan strings.Builder
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.String(), index) {
			t.Errorf("%s\nis not answered by %s but by\n%s", query, index, plan.String())
		}
	}
}
