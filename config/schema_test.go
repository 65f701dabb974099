package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"docketsync/config"
	"docketsync/config/schematest"
)

var schema = sync.OnceValue(func() *jsonschema.Schema {
	text, err := json.Marshal(config.Schema())
	if err != nil {
		panic(err)
	}
	compiled, err := schematest.Compile(text, nil)
	if err != nil {
		panic(err)
	}
	return compiled
})

var update = flag.Bool("update", false, "write the schema that editors read")

// TestStoredSchemaIsTheGeneratedOne keeps the schema that editors read, and that 'docketsync schema config' prints, equal to what Load accepts.
func TestStoredSchemaIsTheGeneratedOne(t *testing.T) {
	t.Parallel()
	schematest.Stored(t, "../samples/schemas/docketsync.schema.json", config.Schema(), *update, "go test ./config -run TestStoredSchema -update")
}

// fits tells whether a configuration fits the schema, as an editor would see it.
func fits(text string) error { return schematest.Fits(schema(), []byte(text)) }

func TestSampleFitsTheSchema(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../samples/docketsync.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := fits(string(data)); err != nil {
		t.Error(err)
	}
}

func TestSchemaMarksMistakes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no service":                 "jobs: []",
		"no address":                 "service: {}",
		"an unknown key":             small + "jobz: []",
		"an unknown key of a block":  small + "pace: {concurency: 1}",
		"an unknown key of a job":    small + "jobs: [{name: a, source: s, mapping: m, sheet: x}]",
		"an unknown key of a source": small + "jobs: [{name: a, source: {file: s, sheets: x}, mapping: m}]",
		"a job without a mapping":    small + "jobs: [{name: a, source: s}]",
		"a source without a file":    small + "jobs: [{name: a, source: {sheet: s}, mapping: m}]",
		"a list without a path":      "service: {base_url: sandbox, lists: {companies: {id: id}}}",
		"an unknown key of a list":   "service: {base_url: sandbox, lists: {companies: {path: /x, idd: id}}}",
		"a word of none":             small + "log: {level: loud}",
		"a word of no format":        small + "jobs: [{name: a, source: {file: s, format: doc}, mapping: m}]",
		"a time without a unit":      "service: {base_url: sandbox, timeout: 30}",
		"a size without a unit":      "service: {base_url: sandbox, answer_limit: 30}",
		"a secret in the file":       "service: {base_url: sandbox, subscription_key: abc}",
		"a number that is none":      small + "pace: {concurrency: many}",
		"truth that is none":         "service: {base_url: sandbox, folder_cookie: perhaps}",
		"a list for a text":          small + "ledger: [a]",
		"days without a unit":        small + "retention: {runs: 400}",
		"no days at all":             small + "retention: {reports: 0d}",
		"env misspelt":               small + "ledger: {envv: a}",
	} {
		if fits(text) == nil {
			t.Errorf("%s: the schema accepts %q", name, text)
		}
	}
}

// Every setting has its description from the reference, and the reference describes no other.
func TestSchemaAndReferenceNameTheSameSettings(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(config.Schema())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	descriptions := map[string]string{}
	collectDescriptions(doc.(map[string]any), "", descriptions)
	for _, path := range settings(reflect.TypeFor[config.Config](), "") {
		if descriptions[path] == "" {
			t.Errorf("%s has no description in the reference of doc.go", path)
		}
	}
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(source), "// A small installation:")
	documented := regexp.MustCompile(`(?m)^//\t *(?:- )?([a-z0-9_]+|NAME):(?:\s|$)`).FindAllStringSubmatch(text, -1)
	maps.DeleteFunc(descriptions, func(path, words string) bool { // a job's guards are those of all
		guard, ok := strings.CutPrefix(path, "jobs.guards.")
		return ok && words == descriptions["guards."+guard]
	})
	if len(documented) != len(descriptions) {
		t.Errorf("the reference names %d settings, the schema describes %d", len(documented), len(descriptions))
	}
	for path, words := range map[string]string{
		"service.base_url":         "or the word sandbox: the sandbox in the process. Required.",
		"retry.total":              "5m – how long a record is tried before it is left to the next run",
		"jobs.source.footer_rows":  "how many rows at the end are no data",
		"service.sign_in.password": "{env: NAME} or {file: PATH}",
	} {
		if !strings.Contains(descriptions[path], words) {
			t.Errorf("%s is described as %q, want %q in it", path, descriptions[path], words)
		}
	}
}

// collectDescriptions finds the described settings of a schema by their paths.
func collectDescriptions(s map[string]any, path string, into map[string]string) {
	if text, ok := s["description"].(string); ok && path != "" {
		into[path] = text
	}
	forms := []map[string]any{s}
	for n := 0; n < len(forms); n++ {
		if items, ok := forms[n]["items"].(map[string]any); ok {
			forms = append(forms, items)
		}
		list, _ := forms[n]["anyOf"].([]any)
		for _, form := range list {
			forms = append(forms, form.(map[string]any))
		}
	}
	for _, form := range forms {
		properties, _ := form["properties"].(map[string]any)
		if named, ok := form["additionalProperties"].(map[string]any); ok {
			collectDescriptions(named, path+".NAME", into)
		}
		for key, value := range properties {
			collectDescriptions(value.(map[string]any), strings.TrimPrefix(path+"."+key, "."), into)
		}
	}
}

// settings lists the settings of a type by their paths.
func settings(t reflect.Type, path string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != reflect.TypeFor[config.Names]() {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[config.Secret]() {
		return nil
	}
	var list []string
	for field := range t.Fields() {
		if field.Type.Kind() == reflect.Map && field.Type.Elem().Kind() == reflect.Struct {
			at := path
			if key := field.Tag.Get("yaml"); key != "-" {
				at = strings.TrimPrefix(path+"."+key, ".")
				list = append(list, at)
			}
			list = append(append(list, at+".NAME"), settings(field.Type.Elem(), at+".NAME")...)
		} else if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key != "" {
			at := strings.TrimPrefix(path+"."+key, ".")
			list = append(append(list, at), settings(field.Type, at)...)
		}
	}
	return list
}
