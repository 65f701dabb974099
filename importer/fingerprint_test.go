package importer

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
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

// A release recognizes the runs and the plan files of the one before only as long as these do not change.
const (
	fingerprintOfJob = "2:5c21a2dd8e0d1c43fca3f522dd88d7ac0fec8e7603810790914661f3953e9286"
	settingsOfJob    = "2:e3aedfd2a2fa1f7d7057f62ad7a3d54f7c607df347f5a02d92ac2a8b0156c7db"
)

// fingerprintedJob has a value in most of what decides a plan.
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
		Sources: lookups.Sources{MappingDir: dir, Lists: map[string]*referencelist.List{"people": {Name: "people"}}},
		Policy:  decide.Policy{RepeatCreates: true, Switches: payload.Switches{OmitDoNotCreateFile: true}, RetryRefused: 24 * time.Hour},
		Inputs: []rows.Input{{Path: write("cases.csv", "Ref,Title\n1,One\n"), Options: source.Options{Format: "csv", Encoding: "utf-8", Delimiter: ";", Quote: "'", Escape: "double",
			Lenient: true, Ragged: "keep", Cut: "keep", Sheet: "S*", Alike: true, Merged: "down", Covered: "keep", Password: "open sesame", Hidden: "skip", Header: 2, HeaderRows: 3,
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

func TestFingerprintStaysWhatItWas(t *testing.T) {
	t.Parallel()
	job := fingerprintedJob(t)
	if sum, settings := printed(t, job).sum, job.settings(); sum != fingerprintOfJob || settings != settingsOfJob {
		t.Errorf("the fingerprint is %s, and that of the settings %s", sum, settings)
	}
}

// Every field added to these structs is either part of the fingerprint or listed here because it decides no plan. A run
// that is resumed at another address (Target) sends what it planned; the next run sends what the former address
// refused.
func TestEverythingThatDecidesAPlanIsInTheFingerprint(t *testing.T) {
	t.Parallel()
	decidesNothing := map[string]bool{"Password": true, "Ended": true, "Limits": true, "Certain": true, "UpdatedElsewhere": true, "NotReadBack": true, "Target": true}
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

// What somebody has approved or accepted is recognised on another day; only a run that was planned is not resumed.
func TestFingerprintsOfADayAreKnownOnAnother(t *testing.T) {
	t.Parallel()
	job := fingerprintedJob(t)
	text := strings.Replace(string(job.MappingText), "name: Title", "name: {expr: 'row[\"Title\"] + today'}", 1)
	var prints []fingerprint
	for day := range 2 {
		m, err := mapping.Parse("cases.yaml", []byte(text), mapping.Options{Today: time.Date(2026, 11, 20+day, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		job.Mapping, job.MappingText = m, []byte(text)
		prints = append(prints, printed(t, job))
	}
	for _, f := range [][]fingerprint{prints, {prints[0].approved("x"), prints[1].approved("x")}} {
		if !f[1].is(f[0].sum) || f[1].ofDay(f[0].sum) || !f[0].ofDay(f[0].sum) || f[0].is(prints[1].approved("y").sum) {
			t.Errorf("%q and %q are not of one plan on two days", f[0].sum, f[1].sum)
		}
	}
}
