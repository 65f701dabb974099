package samples_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v4"

	"docketsync/importer/metrics"
)

var metricName = regexp.MustCompile(`\bdocketsync_[a-z_]+`)

// asked are the metrics that an expression asks for, without what a histogram adds to its name.
func asked(expression string) []string {
	names := metricName.FindAllString(expression, -1)
	for n := range names {
		names[n] = strings.TrimSuffix(names[n], "_bucket")
	}
	return names
}

// expression refuses an expression whose brackets do not match, or that asks for a metric that docketsync does not have.
func expression(t *testing.T, where, text string) {
	t.Helper()
	var open []rune
	pairs := map[rune]rune{')': '(', '}': '{', ']': '['}
	for _, r := range text {
		switch {
		case strings.ContainsRune("({[", r):
			open = append(open, r)
		case pairs[r] != 0 && (len(open) == 0 || open[len(open)-1] != pairs[r]):
			t.Errorf("%s: brackets do not match: %s", where, text)
			return
		case pairs[r] != 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 || strings.Count(text, `"`)%2 != 0 {
		t.Errorf("%s: something is left open: %s", where, text)
	}
	known, found := metricNames(), asked(text)
	if len(found) == 0 {
		t.Errorf("%s asks for nothing of docketsync's: %s", where, text)
	}
	for _, name := range found {
		if !slices.Contains(known, name) {
			t.Errorf("%s asks for %s, which docketsync does not tell", where, name)
		}
	}
}

// metricNames lists docketsync's own metrics, whether they have a value yet or not.
func metricNames() (list []string) {
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		metrics.New("test").Registry.Describe(described)
	}()
	for desc := range described {
		_, name, _ := strings.Cut(desc.String(), `fqName: "`)
		name, _, _ = strings.Cut(name, `"`)
		if strings.HasPrefix(name, "docketsync_") {
			list = append(list, name)
		}
	}
	return list
}

// The alert rules are in the form of Prometheus, and ask only for what docketsync tells.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Load(text, &file, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			expression(t, rule.Alert, rule.Expr)
			if names[rule.Alert] || !regexp.MustCompile(`^[A-Z]\w+$`).MatchString(rule.Alert) {
				t.Errorf("%q is no name, or is there twice", rule.Alert)
			}
			if names[rule.Alert] = true; !regexp.MustCompile(`^(\d+[smhd])?$`).MatchString(rule.For) {
				t.Errorf("%s: for: %s is no duration", rule.Alert, rule.For)
			}
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
				t.Errorf("%s lacks its severity, or what to tell people", rule.Alert)
			}
			if strings.Contains(rule.Annotations["summary"]+rule.Annotations["description"], "$labels.job") && strings.Contains(rule.Expr, "in_doubt_records") {
				t.Errorf("%s names a job, and its metric has none", rule.Alert)
			}
		}
	}
	if len(names) < 8 {
		t.Errorf("only %d rules", len(names))
	}
}

// The dashboard is JSON, its panels do not overlap, and all of docketsync's metrics but the build's and the ledger's that it
// asks for exist.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		UID    string
		Panels []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ RefID, Expr string }
		}
		Templating struct {
			List []struct {
				Name  string
				Query json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			expression(t, p.Title, target.Expr)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %s or outside", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	if len(board.Panels) < 10 || len(board.Templating.List) != 2 {
		t.Errorf("%d panels, %d variables", len(board.Panels), len(board.Templating.List))
	}
	expression(t, "the variable", string(board.Templating.List[1].Query))
}
