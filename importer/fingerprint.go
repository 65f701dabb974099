package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping"
)

// fingerprintForm stands before a fingerprint and says how it was made. It changes when what a fact means changes, not when one is
// added: a fact that is zero is left out, so that a release which adds a setting finds the runs of the release before.
const fingerprintForm = "2:"

// fingerprint identifies a job, its input and its settings: of two jobs of one fingerprint the plans are the same if the ledger is.
type fingerprint struct {
	sum string
	// former is the fingerprint in the formerForms. They are accepted where a run is resumed, let through its guards, or approved, so
	// that what was begun before an update goes on after it. Once no ledger holds an interrupted run and nobody an approved plan from
	// before (two releases on is plenty), everything called former can go.
	former []string
	files  []string // the SHA-256 of each input
	made   ledger.Made
	// day stands behind the sum where the mapping asks for today: a plan of another day is of the same job and input, and is not resumed.
	day string
}

// is tells whether a run or a plan was made of the same, though perhaps on another day.
func (f fingerprint) is(stored string) bool {
	undated := func(sum string) string { sum, _, _ = strings.Cut(sum, onDay); return sum }
	return undated(stored) == undated(f.sum) || slices.Contains(f.former, stored)
}

// ofDay tells whether what is made of the same now is made of the same day.
func (f fingerprint) ofDay(stored string) bool { return strings.HasSuffix(stored, f.day) }

// onDay stands between a sum and its day.
const onDay = " on "

// approved is the fingerprint of a run that carries out an approved plan.
func (f fingerprint) approved(seal string) fingerprint {
	as := func(sum string) string { return text256(sum + " approved as " + seal) }
	approved := fingerprint{sum: as(strings.TrimSuffix(f.sum, f.day)) + f.day, files: f.files, made: f.made, day: f.day}
	for _, sum := range f.former {
		approved.former = append(approved.former, as(sum))
	}
	return approved
}

// fingerprint reads all files of the job once.
func (j Job) fingerprint() (f fingerprint, err error) {
	var now facts
	now.add("job", j.Name)
	now.settings(fact{"mapping", string(j.MappingText)})
	now.policy(j.Policy)
	f.made = ledger.Made{Mapping: text256(string(j.MappingText)), Text: string(j.MappingText), Settings: j.Settings()}
	for _, input := range j.Inputs {
		digest, err := fileDigest(input.Path)
		if err != nil {
			return f, err
		}
		f.files = append(f.files, digest)
		now.add("input", digest)
		now.options(input.Options)
	}
	var lookups string // in the former forms
	for _, spec := range j.Mapping.Lookups() {
		digest, err := j.lookupDigest(spec)
		if err != nil {
			digest = "unreadable" // which is told beside the mistakes in the others, when all are read
		}
		if digest != "" {
			now.add("lookup "+spec.Name, digest)
			f.made.Lookups = append(f.made.Lookups, ledger.Digest{Name: spec.Name, SHA256: digest})
			lookups += fmt.Sprintf("lookup %s %s\n", spec.Name, digest)
		}
	}
	if day := j.Mapping.Day(); day != "" {
		f.day = onDay + day
	}
	f.sum = fingerprintForm + now.sum() + f.day
	for _, form := range formerForms {
		text := form.Replace(fmt.Sprintf("job %q policy %s settings %q", j.Name, formerPolicy(j.Policy), j.FormerSettings)) + "\n" + string(j.MappingText) + "\n"
		for n, input := range j.Inputs {
			text += "input " + f.files[n] + " " + form.Replace(formerOptions(input.Options)) + "\n"
		}
		f.former = append(f.former, text256(text+lookups))
	}
	return f, nil
}

// Made tells whether a run was made of this job as it is now: its input, mapping, lookups and settings, on this day where the mapping asks
// for it. It is not told of a job whose lookups are made of the ledger, or of a list that may have to be fetched again, or cannot be read.
func (j Job) Made(run ledger.Run) bool {
	print, err := j.fingerprint()
	return err == nil && print.sum == run.Fingerprint && !j.AsksLedger() && len(j.ListNames()) == 0
}

// lookupDigest is the digest of what a lookup is made of, "" where that is the mapping or the ledger.
func (j Job) lookupDigest(spec mapping.LookupSpec) (string, error) {
	switch {
	case spec.File != "":
		return fileDigest(j.LookupPath(spec))
	case spec.Service != "" && j.Lists[spec.Service] != nil:
		return j.Lists[spec.Service].Digest(), nil
	}
	return "", nil
}

// Settings are what the configuration says of how sources are read and payloads sent, where it is not as usual, a line each.
func (j Job) Settings() []string {
	var f facts
	f.policy(j.Policy)
	for _, input := range j.Inputs {
		input.Options.Columns = nil // the mapping names them
		f.options(input.Options)
	}
	slices.Sort(f.lines)
	return slices.Compact(f.lines)
}

// settings are the fingerprint of how sources are read and payloads sent, and the former ones.
func (j Job) settings() (now string, former []string) {
	var f facts
	f.policy(j.Policy)
	text := fmt.Sprintf("policy %s settings %q", formerPolicy(j.Policy), j.FormerSettings)
	for _, input := range j.Inputs {
		f.add("input", "")
		f.options(input.Options)
		// A digest that leaves the house must not let anybody try passwords.
		input.Options.Password = ""
		text += " input " + formerOptions(input.Options)
	}
	for _, form := range formerForms {
		former = append(former, text256(form.Replace(text)))
	}
	return fingerprintForm + f.sum(), former
}

// facts are what decides a plan, in lines that cannot be taken for one another.
type facts struct{ lines []string }

func (f *facts) add(name, value string) { f.lines = append(f.lines, name+" "+strconv.Quote(value)) }

// fact is a setting, which is left out when it is zero.
type fact struct {
	name  string
	value any
}

func (f *facts) settings(list ...fact) {
	for _, s := range list {
		if !reflect.ValueOf(s.value).IsZero() {
			f.add(s.name, fmt.Sprint(s.value))
		}
	}
}

func (f *facts) sum() string {
	sum := sha256.New()
	for _, line := range f.lines {
		_, _ = io.WriteString(sum, line+"\n") // a sum takes everything
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (f *facts) policy(p decide.Policy) {
	s := p.Switches
	if s.Variant == payload.VariantA {
		s.Variant = ""
	}
	if s.ComponentID == payload.ComponentIDOmit {
		s.ComponentID = ""
	}
	f.settings(fact{"repeat_creates", p.RepeatCreates}, fact{"deactivate_vanished", p.DeactivateVanished}, fact{"retry_refused", p.RetryRefused},
		fact{"create_case_variant", s.Variant}, fact{"active_as_text", s.ActiveAsText}, fact{"registration_number_as_integer", s.RegistrationNumberAsInteger},
		fact{"folder_file_number_as_text", s.FolderFileNumberAsText}, fact{"omit_do_not_create_file", s.OmitDoNotCreateFile}, fact{"component_id", s.ComponentID})
}

// options are how an input is read. The password is none of them: the content of the file tells it apart. Nor are the limits against
// huge files, whether earlier files ended with a line break, which the ledger says, and whether a guessed encoding is refused.
func (f *facts) options(o source.Options) {
	skips := o.Hidden == "skip" // said as the release before did, whose interrupted runs are resumed
	if skips {
		o.Hidden = ""
	}
	f.settings(fact{"format", o.Format}, fact{"encoding", o.Encoding}, fact{"delimiter", o.Delimiter}, fact{"quote", o.Quote}, fact{"escape", o.Escape},
		fact{"ragged", o.Ragged}, fact{"cut", o.Cut}, fact{"totals", o.Totals}, fact{"sheet", o.Sheet}, fact{"merged", o.Merged}, fact{"covered", o.Covered},
		fact{"footer", o.Footer}, fact{"lenient", o.Lenient}, fact{"alike", o.Alike}, fact{"ignore_hidden", skips}, fact{"hidden", o.Hidden},
		fact{"no_header", o.NoHeader}, fact{"header", o.Header}, fact{"header_rows", o.HeaderRows}, fact{"footer_rows", o.FooterRows})
	for _, column := range o.Columns {
		f.add("column", column)
	}
}

// formerForms are how releases before the versioned form made fingerprints: from the structs as they were printed, each with the
// fields that it had, newest first. The older one is the newer without the settings that it did not know, where these have their
// defaults: who has set one since has other text left over, which is the fingerprint of nothing.
var formerForms = []*strings.Replacer{
	strings.NewReplacer(),
	strings.NewReplacer(" RetryRefused:24h0m0s}", "}", " UpdateAnswer:json}", "}", " Ragged: Cut: Ended:false Sheet:", " Sheet:",
		" Alike:false Merged:", " Merged:", " Covered: Password:", " Password:"),
}

// formerPolicy and formerOptions are the policy and the options as the last release before the versioned form printed them.
func formerPolicy(p decide.Policy) string {
	return fmt.Sprintf("{RepeatCreates:%v OmitDoNotCreateFile:%v DeactivateVanished:%v RetryRefused:%v}",
		p.RepeatCreates, p.Switches.OmitDoNotCreateFile, p.DeactivateVanished, p.RetryRefused)
}

func formerOptions(o source.Options) string {
	return fmt.Sprintf("{Format:%s Encoding:%s Delimiter:%s Quote:%s Escape:%s Lenient:%v Ragged:%s Cut:%s Ended:%v Sheet:%s Alike:%v Merged:%s Covered:%s "+
		"Password:%s IgnoreHidden:%v Header:%d HeaderRows:%d NoHeader:%v Columns:%v FooterRows:%d Footer:%s Limits:{Cell:%d Record:%d Columns:%d Unpacked:%d}}",
		o.Format, o.Encoding, o.Delimiter, o.Quote, o.Escape, o.Lenient, o.Ragged, o.Cut, o.Ended, o.Sheet, o.Alike, o.Merged, o.Covered,
		o.Password, o.Hidden == "skip", o.Header, o.HeaderRows, o.NoHeader, o.Columns, o.FooterRows, o.Footer, o.Limits.Cell, o.Limits.Record, o.Limits.Columns, o.Limits.Unpacked)
}

// fileDigest is the SHA-256 of a file's content, hex. The file is streamed.
func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		if known, is := errors.AsType[*format.Error](format.Unopened(err)); is {
			return "", format.At(known, path, "")
		}
		return "", &format.Error{What: "the file cannot be opened", File: path, Hint: "Check the path in the configuration and the file's permissions.", Err: err}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", format.At(format.ErrFolder, path, "")
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", &format.Error{What: "the file cannot be read completely", File: path, Hint: "Copy it to a local disk and try again.", Err: err}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// text256 is the SHA-256 of a text, hex.
func text256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
