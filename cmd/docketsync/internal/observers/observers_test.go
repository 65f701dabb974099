package observers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"docketsync/config"
	"docketsync/importer/metrics"
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

// Before any message, each channel is reported with 0: the first that fails is an increase then.
func TestMessagesCountFromZero(t *testing.T) {
	t.Parallel()
	numbers := metrics.New("")
	c := &config.Config{Notify: config.Notify{Channels: map[string]config.Channel{"desk": {}}}}
	if _, err := New(c, remedy.Site{}, nil, zap.NewNop(), numbers, ""); err != nil {
		t.Fatal(err)
	}
	all, err := numbers.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, family := range all {
		if family.GetName() == "docketsync_messages_total" {
			said = fmt.Sprint(family.GetMetric())
		}
	}
	for _, want := range []string{"desk", "failed", "sent"} {
		if !strings.Contains(said, want) {
			t.Errorf("there is no %q in %q", want, said)
		}
	}
}
