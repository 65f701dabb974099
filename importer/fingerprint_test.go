package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/lookups"
	"docketsync/importer/referencelist"
	"docketsync/importer/rows"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// The fingerprint and the settings' digest of fingerprintedJob, as the release before this form made them.
const (
	formerSum      = "0c48ac940d4ff4e180c77e10543b41b41cb1610f8edef623ae42cf5ad65ea08b"
	formerSettings = "18b2f23450216442a6b3e6016884f676dda201c01f57616b033e609f9d5af344"
)

// fingerprintedJob has a value in everything that the former fingerprint was made of.
func fingerprintedJob(t *testing.T) Job {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "operation: create_case\nkey: Ref\nlookups: {people: {service: people}, owners: {file: owners.csv}}\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
		"  file_template_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000001}\n  user_id: {column: Owner, lookup: owners}\n  client_id: {column: Client, lookup: people}\n"
	write("owners.csv", "name,id\nAda,0b5e4c5a-7f11-4b7e-9a55-000000000002\n")
	m, err := mapping.Parse("cases.yaml", []byte(text), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Job{
		Name: "cases", Mapping: m, MappingText: []byte(text),
		Sources:        lookups.Sources{MappingDir: dir, Lists: map[string]*referencelist.List{"people": {Name: "people"}}},
		FormerSettings: "A {Active:boolean RegistrationNumber:text ComponentID:omit DoNotCreateFile:omit FolderFileNumber:number UpdateAnswer:json}",
		Policy:         decide.Policy{RepeatCreates: true, Switches: payload.Switches{OmitDoNotCreateFile: true}, RetryRefused: 24 * time.Hour},
		Inputs: []rows.Input{{Path: write("cases.csv", "Ref,Title\n1,One\n"), Options: source.Options{Format: "csv", Encoding: "utf-8", Delimiter: ";", Quote: "'", Escape: "double",
			Lenient: true, Ragged: "keep", Cut: "keep", Sheet: "S*", Alike: true, Merged: "down", Covered: "keep", Password: "open sesame", IgnoreHidden: true, Header: 2, HeaderRows: 3,
			NoHeader: true, Columns: []string{"Ref", "Title"}, FooterRows: 4, Footer: "^Total"}}},
	}
}

func printed(t *testing.T, job Job) fingerprint {
	t.Helper()
	print, err := job.fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return print
}

func TestFingerprintOfTheReleaseBeforeIsStillKnown(t *testing.T) {
	t.Parallel()
	job := fingerprintedJob(t)
	if print := printed(t, job); print.former != formerSum || !print.is(formerSum) {
		t.Errorf("the former fingerprint is %s, and was %s", print.former, formerSum)
	}
	now, err := job.Ingredients()
	if err != nil {
		t.Fatal(err)
	}
	// As it stands in a plan file.
	var then Ingredients
	text, err := json.Marshal(now)
	if err != nil || json.Unmarshal(text, &then) != nil {
		t.Fatal(err)
	}
	then.Settings = formerSettings
	if changes := then.Changed(now); len(changes) > 0 {
		t.Errorf("a plan that was approved before the update is refused: %q", changes)
	}
}

// Whatever is added to these structs is either part of the fingerprint, or listed here as something that decides no plan.
func TestEverythingThatDecidesAPlanIsInTheFingerprint(t *testing.T) {
	t.Parallel()
	decidesNothing := map[string]bool{"Password": true, "Ended": true, "Limits": true}
	job := fingerprintedJob(t)
	job.Policy, job.Inputs[0].Options = decide.Policy{}, source.Options{}
	before := printed(t, job).sum
	for _, part := range []reflect.Value{
		reflect.ValueOf(&job.Policy).Elem(), reflect.ValueOf(&job.Policy.Switches).Elem(), reflect.ValueOf(&job.Inputs[0].Options).Elem(),
	} {
		for n := range part.NumField() {
			name, field := part.Type().Field(n).Name, part.Field(n)
			if name == "Switches" {
				continue // field by field
			}
			was := reflect.ValueOf(field.Interface())
			switch field.Kind() {
			case reflect.Bool:
				field.SetBool(true)
			case reflect.String:
				field.SetString("x")
			case reflect.Int, reflect.Int64:
				field.SetInt(-1)
			case reflect.Slice:
				field.Set(reflect.ValueOf([]string{"x"}))
			case reflect.Struct:
				field.Field(0).SetInt(1)
			}
			if changed := printed(t, job).sum != before; changed == decidesNothing[name] {
				t.Errorf("%s.%s changes the fingerprint: %v", part.Type(), name, changed)
			}
			field.Set(was)
		}
	}
}
