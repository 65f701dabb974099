package observers

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"

	"docketsync/config"
	"docketsync/importer/report/remedy"
)

// A collector that answers with a redirect has not got the trace, and whoever it names is not told of runs.
func TestTracesFollowNoRedirect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	o, err := New(&config.Config{}, remedy.Site{}, nil, zap.NewNop(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := o.traces.HTTP.Post(server.URL, "application/json", nil)
	if err != nil || answer.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("%+v, %v", answer, err)
	}
	answer.Body.Close()
}
