package store_test

import (
	"database/sql"
	"testing"

	_ "docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// TestAQueryThatBreaksOffIsNoShorterList reads rows of which the second cannot be worked out.
func TestAQueryThatBreaksOffIsNoShorterList(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := 0
	err = store.Each(db.Query, func(*sql.Rows) error { rows++; return nil }, `select abs(column1) from (values (1), (-9223372036854775807 - 1))`)
	if err == nil || rows != 1 {
		t.Errorf("%d rows, and the error %v", rows, err)
	}
	list, err := store.All(db.Query, store.Column[int64], `select abs(column1) from (values (1), (-9223372036854775807 - 1))`)
	if err == nil || list != nil {
		t.Errorf("the rows %v, and the error %v", list, err)
	}
}
