package console

import (
	"context"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
)

// Every page but those that lead in is for people who are signed in, and whatever changes something for operators; a post that a
// viewer may make has to be named here.
func TestEveryRouteSaysWhoMay(t *testing.T) {
	t.Parallel()
	s, err := New(context.Background(), Options{Log: zap.NewNop(), Uploads: &upload.Store{}, SignIn: signin.Options{Idle: time.Hour, Lifetime: time.Hour, Accounts: signin.Accounts{OIDC: &signin.Provider{}}}})
	if err != nil {
		t.Fatal(err)
	}
	forViewers := map[string]bool{"POST /sign-out": true}
	for pattern, of := range s.frame.Routes {
		switch {
		case strings.HasPrefix(pattern, "GET /sign-in"), pattern == "GET /":
		case of.Needs == signin.Anybody:
			t.Errorf("%s is for anybody", pattern)
		case strings.HasPrefix(pattern, "POST ") && !of.Needs.Acts() && !forViewers[pattern]:
			t.Errorf("%s is for viewers", pattern)
		}
		if strings.HasPrefix(pattern, "POST ") && of.Action == "" {
			t.Errorf("%s leaves nothing in the audit", pattern)
		}
	}
	if len(s.frame.Routes) < 10 {
		t.Errorf("there are only %d routes: the test looks in the wrong place", len(s.frame.Routes))
	}
}
