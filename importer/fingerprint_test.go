package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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

// formerReleases are the fingerprints and settings digests that earlier releases made of fingerprintedJob, without the
// settings that they did not know: newest first, as in formerForms.
var formerReleases = []struct {
	sum, settings string
	without       func(*Job)
}{
	{"0c48ac940d4ff4e180c77e10543b41b41cb1610f8edef623ae42cf5ad65ea08b", "18b2f23450216442a6b3e6016884f676dda201c01f57616b033e609f9d5af344", func(*Job) {}},
	{"7089d42f8be4a9fdafd10231cd6fd7a7f1f4df494a1f8bdc91129a4c9e39b882", "abbc8e6e1a1a51cfdbf93cafbb5ab76314af7e02925f4ab952959c48c1dcd1a3", func(j *Job) {
		o := &j.Inputs[0].Options
		o.Ragged, o.Cut, o.Alike, o.Covered = "", "", false, ""
	}},
}

// fingerprintedJob has a value in everything that the former fingerprint included.
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

func TestFingerprintsOfReleasesBeforeAreStillKnown(t *testing.T) {
	t.Parallel()
	for n, release := range formerReleases {
		job := fingerprintedJob(t)
		release.without(&job)
		if print := printed(t, job); print.former[n] != release.sum || !print.is(release.sum) {
			t.Errorf("the former fingerprint %d is %s, and was %s", n, print.former[n], release.sum)
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
		then.Settings = release.settings
		if changes := then.Changed(now); len(changes) > 0 {
			t.Errorf("a plan that was approved before the update is refused: %q", changes)
		}
	}
}

// No run of an earlier release did what a newer setting does. If such a setting is set, the run is planned anew.
func TestFormerFingerprintIsNotThatOfAJobWithANewerSetting(t *testing.T) {
	t.Parallel()
	oldest := formerReleases[1]
	for name, set := range map[string]func(*Job){
		"refused":       func(j *Job) { j.Policy.RetryRefused = time.Hour },
		"update_answer": func(j *Job) { j.FormerSettings = strings.Replace(j.FormerSettings, "json", "any", 1) },
		"ragged":        func(j *Job) { j.Inputs[0].Options.Ragged = "keep" },
		"cut":           func(j *Job) { j.Inputs[0].Options.Cut = "keep" },
		"alike":         func(j *Job) { j.Inputs[0].Options.Alike = true },
		"covered":       func(j *Job) { j.Inputs[0].Options.Covered = "keep" },
	} {
		job := fingerprintedJob(t)
		oldest.without(&job)
		set(&job)
		now, formers := job.settings()
		if printed(t, job).is(oldest.sum) || now == oldest.settings || slices.Contains(formers, oldest.settings) {
			t.Errorf("with %s set, the run of a release that did not know it is taken for the same", name)
		}
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
