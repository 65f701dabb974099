package samples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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

// expression refuses an expression that asks for a metric that docketsync does not have.
func expression(t *testing.T, where, text string) {
	t.Helper()
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

// TestPromtoolTakesTheSamples has Prometheus itself read the expressions of the alert rules and of the dashboard, and see which rules fire when.
func TestPromtoolTakesTheSamples(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "promtool") {
			t.Fatal(err)
		}
		t.Skip("skipped: promtool is not installed (Debian: apt-get install prometheus)")
	}
	var rules strings.Builder
	rules.WriteString("groups:\n  - name: dashboard\n    rules:\n")
	for _, panel := range dashboard(t).Panels {
		for _, target := range panel.Targets {
			fmt.Fprintf(&rules, "      - {record: r%d_%s, expr: %q}\n", panel.ID, target.RefID, strings.ReplaceAll(target.Expr, "$job", ".*"))
		}
	}
	panels := filepath.Join(t.TempDir(), "panels.yaml")
	if err := os.WriteFile(panels, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", filepath.Join("monitoring", "alerts.yaml"), panels}, {"test", "rules", filepath.Join("testdata", "alerts.test.yaml")}} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args[0], err, out)
		}
	}
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

// board is the dashboard.
type board struct {
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

func dashboard(t *testing.T) (b board) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("monitoring", "dashboard.json"))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The dashboard is JSON, its panels do not overlap, and all of docketsync's metrics that it asks for exist.
func TestDashboard(t *testing.T) {
	t.Parallel()
	board := dashboard(t)
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
