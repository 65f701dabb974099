package console

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

// Every page but those that lead in is for people who are signed in, and whatever changes something for operators; a post that a
// viewer may make has to be named here.
func TestEveryRouteSaysWhoMay(t *testing.T) {
	t.Parallel()
	s, err := New(context.Background(), Options{Log: zap.NewNop(), Idle: time.Hour, Lifetime: time.Hour, Accounts: Accounts{OIDC: &Provider{}}})
	if err != nil {
		t.Fatal(err)
	}
	forViewers := map[string]bool{"POST /sign-out": true}
	for pattern, of := range s.known {
		switch {
		case strings.HasPrefix(pattern, "GET /sign-in"), pattern == "GET /":
		case of.needs == Anybody:
			t.Errorf("%s is for anybody", pattern)
		case strings.HasPrefix(pattern, "POST ") && of.needs != Operator && !forViewers[pattern]:
			t.Errorf("%s is for viewers", pattern)
		}
		if strings.HasPrefix(pattern, "POST ") && of.action == "" {
			t.Errorf("%s leaves nothing in the audit", pattern)
		}
	}
	if len(s.known) < 10 {
		t.Errorf("there are only %d routes: the test looks in the wrong place", len(s.known))
	}
}
