package postgres

import (
	"strings"
	"testing"
)

// A password with an @ that is not written as %40 is told from the host: the rest of it is neither shown nor looked up.
func TestPostgreSQLHostHoldsNoPassword(t *testing.T) {
	t.Parallel()
	_, err := Trust{Unverified: true}.trusted("postgres://docketsync:first@s3cret@db.invalid/docketsync")
	if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "malformed") {
		t.Error(err)
	}
}
