package samples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones work on machines without a time zone database too

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"docketsync/config"
)

// schemaOf is a schema that others publish, which .ci/run takes from the module that carries it: as modules of ours they would bring in some
// hundred others.
func schemaOf(t *testing.T, name string) any {
	t.Helper()
	folder := os.Getenv("DOCKETSYNC_SCHEMAS")
	if folder == "" && !strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "schemas") {
		t.Skip("skipped: DOCKETSYNC_SCHEMAS does not name the folder of the schemas of Compose and Kubernetes (.ci/run fetches them)")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// documents are those of a file for machines, as JSON has them.
func documents(t *testing.T, name string) (list []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var parsed any
		if err := yaml.Load([]byte(part), &parsed); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plain, err := json.Marshal(parsed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, doc.(map[string]any))
	}
	return list
}

func schemaAt(t *testing.T, doc any, at string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	err := compiler.AddResource("schema.json", doc)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json" + at)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestComposeFitsItsSchema(t *testing.T) {
	t.Parallel()
	schema := schemaAt(t, schemaOf(t, "compose-spec.json"), "")
	compose := documents(t, "compose.yaml")[0]
	if err := schema.Validate(compose); err != nil {
		t.Error(err)
	}
	compose["services"].(map[string]any)["node"].(map[string]any)["stop_grace"] = "3m"
	if schema.Validate(compose) == nil {
		t.Error("the schema takes a key that Compose does not have")
	}
}

// strict has a schema of Kubernetes refuse what it does not know, as its server does, and take numbers where either may stand.
func strict(definitions map[string]any) {
	for _, one := range definitions {
		definition := one.(map[string]any)
		if properties, ok := definition["properties"].(map[string]any); ok && definition["additionalProperties"] == nil {
			properties["apiVersion"] = map[string]any{"type": "string"}
			definition["additionalProperties"] = false
		}
		if definition["format"] == "int-or-string" {
			definition["type"] = []any{"string", "integer"}
		}
	}
}

func TestManifestsFitTheSchemaOfKubernetes(t *testing.T) {
	t.Parallel()
	swagger := schemaOf(t, "kubernetes.json").(map[string]any)
	strict(swagger["definitions"].(map[string]any))
	of := map[string]string{"v1 ConfigMap": "core.v1.ConfigMap", "v1 PersistentVolumeClaim": "core.v1.PersistentVolumeClaim", "batch/v1 Job": "batch.v1.Job",
		"apps/v1 Deployment": "apps.v1.Deployment", "policy/v1 PodDisruptionBudget": "policy.v1.PodDisruptionBudget"}
	for _, file := range []string{"kubernetes-migrate.yaml", "kubernetes.yaml"} {
		for _, doc := range documents(t, file) {
			kind := doc["apiVersion"].(string) + " " + doc["kind"].(string)
			schema := schemaAt(t, swagger, "#/definitions/io.k8s.api."+of[kind])
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%s, %s: %v", file, kind, err)
			}
			doc["spec"] = map[string]any{"replicaz": json.Number("3")}
			if schema.Validate(doc) == nil {
				t.Errorf("the schema of %s takes what Kubernetes does not have", kind)
			}
		}
	}
}

// pod is what matters of the pods of nodes beyond its form.
type pod struct {
	TerminationGracePeriodSeconds int
	AutomountServiceAccountToken  *bool
	SecurityContext               struct {
		RunAsNonRoot bool
		RunAsUser    int
	}
	Containers []struct {
		Image          string
		Ports          []struct{ Name string }
		LivenessProbe  probe
		ReadinessProbe probe
		Env            []struct{ Name, Value string }
		VolumeMounts   []struct {
			Name, MountPath string
			ReadOnly        bool
		}
		SecurityContext struct {
			ReadOnlyRootFilesystem   bool
			AllowPrivilegeEscalation *bool
			Capabilities             struct{ Drop []string }
		}
		Resources struct{ Requests, Limits map[string]string }
	}
	Volumes []struct {
		Name   string
		Secret struct{ SecretName string }
	}
}

type probe struct{ HTTPGet struct{ Path, Port string } }

// TestNodesAreDeployedSoundly holds the files for several nodes to what they say of themselves, and to each other: no schema sees that a
// selector finds its pods, a mount its volume, a probe its port, or that a node is given the time that it needs to hand over.
func TestNodesAreDeployedSoundly(t *testing.T) {
	t.Parallel()
	var manifest struct {
		Kind string
		Data map[string]string
		Spec struct {
			Replicas int
			Selector struct{ MatchLabels map[string]string }
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     pod
			}
		}
	}
	var configured, image string
	selectors := map[string]map[string]string{}
	for _, doc := range append(documents(t, "kubernetes-migrate.yaml"), documents(t, "kubernetes.yaml")...) {
		m := manifest
		into(t, doc, &m)
		selectors[m.Kind] = m.Spec.Selector.MatchLabels
		configured += m.Data["docketsync.yaml"]
		for _, c := range m.Spec.Template.Spec.Containers {
			p := m.Spec.Template.Spec
			if image == "" {
				image = c.Image
			}
			s := c.SecurityContext
			switch {
			case c.Image != image || strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":"):
				t.Errorf("%s: another image than the migration's, or no version: %s", m.Kind, c.Image)
			case !p.SecurityContext.RunAsNonRoot || p.SecurityContext.RunAsUser == 0 || p.AutomountServiceAccountToken == nil || *p.AutomountServiceAccountToken:
				t.Errorf("%s: it runs as root, or may ask Kubernetes", m.Kind)
			case !s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL":
				t.Errorf("%s: it has more rights than it needs", m.Kind)
			case c.Resources.Limits["memory"] == "" || c.Resources.Limits["cpu"] == "" || c.Resources.Requests["memory"] == "":
				t.Errorf("%s: it has no limits", m.Kind)
			case len(c.Env) != 2 || c.Env[0].Name != "TMPDIR" || c.Env[1].Name != "PGPASSFILE":
				t.Errorf("%s: a secret may be in its environment: %v", m.Kind, c.Env)
			}
			volumes := map[string]bool{}
			for _, volume := range p.Volumes {
				volumes[volume.Name] = true
			}
			for _, mount := range c.VolumeMounts {
				if !volumes[mount.Name] {
					t.Errorf("%s: there is no volume %s", m.Kind, mount.Name)
				}
				delete(volumes, mount.Name)
			}
			if len(volumes) > 0 {
				t.Errorf("%s: nothing mounts %v", m.Kind, volumes)
			}
			if m.Kind != "Deployment" {
				continue
			}
			if c.LivenessProbe.HTTPGet.Path != "/livez" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Port != c.Ports[0].Name || c.ReadinessProbe.HTTPGet.Port != c.Ports[0].Name {
				t.Errorf("the probes are %+v %+v, the port %s", c.LivenessProbe, c.ReadinessProbe, c.Ports[0].Name)
			}
			settings := loaded(t, configured)
			if grace := time.Duration(p.TerminationGracePeriodSeconds) * time.Second; grace <= settings.Schedule.StopWithin+settings.Service.Timeout {
				t.Errorf("a node has %s to hand over and may need %s and %s", grace, settings.Schedule.StopWithin, settings.Service.Timeout)
			}
			if m.Spec.Replicas < 2 {
				t.Errorf("%d nodes", m.Spec.Replicas)
			}
			for _, of := range []string{"Deployment", "PodDisruptionBudget"} {
				defer func() {
					for label, value := range selectors[of] {
						if m.Spec.Template.Metadata.Labels[label] != value {
							t.Errorf("%s does not select the nodes: %s", of, label)
						}
					}
					if len(selectors[of]) < 2 {
						t.Errorf("%s selects %v, and so the job as well", of, selectors[of])
					}
				}()
			}
		}
	}

	var compose struct {
		Services map[string]struct {
			User            string
			ReadOnly        bool `json:"read_only"`
			Restart         string
			CapDrop         []string `json:"cap_drop"`
			SecurityOpt     []string `json:"security_opt"`
			StopGracePeriod string   `json:"stop_grace_period"`
			Environment     map[string]string
			DependsOn       map[string]struct{ Condition string } `json:"depends_on"`
		}
		Configs map[string]struct{ File string }
	}
	into(t, documents(t, "compose.yaml")[0], &compose)
	text, err := os.ReadFile(filepath.Join("deploy", compose.Configs["docketsync"].File)) // Compose cannot put a text of its own into a read-only container
	if err != nil {
		t.Fatal(err)
	}
	settings := loaded(t, string(text))
	node := compose.Services["node"]
	if grace, err := time.ParseDuration(node.StopGracePeriod); err != nil || grace <= settings.Schedule.StopWithin+settings.Service.Timeout {
		t.Errorf("a node has %s to hand over: %v", node.StopGracePeriod, err)
	}
	if node.Restart != "unless-stopped" || compose.Services["database"].Restart != "unless-stopped" {
		t.Error("after a restart of the machine there are no nodes")
	}
	if node.DependsOn["migrate"].Condition != "service_completed_successfully" || compose.Services["migrate"].DependsOn["database"].Condition != "service_healthy" {
		t.Error("the nodes do not wait for the migration, or it does not for the database")
	}
	for _, name := range []string{"migrate", "node"} {
		s := compose.Services[name]
		if s.User != "65532:65532" || !s.ReadOnly || len(s.CapDrop) != 1 || s.CapDrop[0] != "ALL" || len(s.SecurityOpt) != 1 || len(s.Environment) != 2 || !strings.HasPrefix(s.Environment["PGPASSFILE"], "/run/secrets/") {
			t.Errorf("%s has more rights than it needs, or a secret in its environment: %+v", name, s)
		}
	}
}

// into reads a document into what a test asks about, whose keys are those of the document but for their case.
func into(t *testing.T, doc, v any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// loaded is a configuration of a sample, whose secrets are files that are put in its container.
func loaded(t *testing.T, text string) *config.Config {
	t.Helper()
	secrets := map[string]bool{}
	settings, err := config.Load("docketsync.yaml", func(string) (string, bool) { return "", false }, func(path string) ([]byte, error) {
		if path == "docketsync.yaml" {
			return []byte(text), nil
		}
		if !strings.HasPrefix(path, "/run/") {
			return nil, errors.New(path + " is no secret")
		}
		secrets[filepath.Base(path)] = true
		return []byte("a-secret-of-the-firm"), nil
	}, nil, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(secrets) != 2 || !strings.HasSuffix(settings.Metrics.Listen, ":9180") {
		t.Errorf("the secrets are %v, and it is watched at %s", secrets, settings.Metrics.Listen)
	}
	return settings
}

// TestTheNightsRunHasItsTimeEveryNight: systemd leaves out a time that the clocks skip, so on such a night nothing would be sent.
func TestTheNightsRunHasItsTimeEveryNight(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{"docketsync-nightly.timer": `OnCalendar=\S+ (\d\d):(\d\d)`, "docketsync-task.xml": `<StartBoundary>[^<]+T(\d\d):(\d\d)`, "README.md": `/ST (\d\d):(\d\d)`} {
		text, err := os.ReadFile(filepath.Join("deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(form).FindSubmatch(text)
		if found == nil {
			t.Errorf("%s has no time", name)
			continue
		}
		hour, _ := strconv.Atoi(string(found[1]))
		minute, _ := strconv.Atoi(string(found[2]))
		for _, zone := range []string{"Europe/Berlin", "Europe/London", "America/New_York", "America/Santiago", "Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe"} {
			place, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			for day := range 366 {
				at := time.Date(2026, 1, 1+day, hour, minute, 0, 0, place)
				_, before := at.Add(-4 * time.Hour).Zone()
				_, after := at.Add(2 * time.Hour).Zone()
				by, shows := time.Duration(before-after)*time.Second, at.Format("15:04")
				if at.Hour() != hour || at.Minute() != minute || by != 0 && (at.Add(by).Format("15:04") == shows || at.Add(-by).Format("15:04") == shows) {
					t.Errorf("%s: on %s the clock of %s shows %02d:%02d not at all or twice", name, at.Format(time.DateOnly), zone, hour, minute)
				}
			}
		}
	}
}
