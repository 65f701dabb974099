package ledger

import (
	"os"
	"testing"

	"docketsync/importer/ledger/ledgertest"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		os.Exit(child(task))
	}
	ledgertest.Hasten()
	code := m.Run()
	ledgertest.Stop()
	os.Exit(code)
}

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := ledgertest.Shared(t)
	for name, test := range suite() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A statement that takes so long joins what it should look up: nothing here has more than a few thousand rows.
			l := open(t, server.Database(t)+"&statement_timeout=30s")
			test(t, l)
			fitsAfter(t, l, name)
		})
	}
}
