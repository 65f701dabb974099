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

// fingerprintForm is the prefix of a fingerprint and says how it was made. It changes when the meaning of a fact
// changes, but not when a fact is added: zero facts are left out, so a release that adds a setting still recognizes the
// runs of the release before.
const fingerprintForm = "2:"

// fingerprint identifies a job, its input and its settings: with the same ledger, two jobs with the same fingerprint
// have the same plan.
type fingerprint struct {
	sum string
	// former are the fingerprints in the formerForms. They are accepted when a run is resumed, let through its guards
	// or approved, so that what began before an update can go on after it. Everything named former can be deleted once
	// no ledger has an interrupted run, and nobody an approved plan, from before; two releases on is plenty.
	former []string
	files  []string // the SHA-256 of each input
	made   ledger.Made
	// day is the suffix of sum if the mapping asks for today: a plan of another day is of the same job and input, but
	// is not resumed.
	day string
}

// is reports whether a run or a plan was made of the same job, input and settings, perhaps on another day.
func (f fingerprint) is(stored string) bool {
	undated := func(sum string) string { sum, _, _ = strings.Cut(sum, onDay); return sum }
	return undated(stored) == undated(f.sum) || slices.Contains(f.former, stored)
}

// ofDay reports whether a stored fingerprint that is of the same is also of the same day.
func (f fingerprint) ofDay(stored string) bool { return strings.HasSuffix(stored, f.day) }

// onDay separates a sum from its day.
const onDay = " on "

// approved returns the fingerprint of a run that carries out the approved plan named by seal.
func (f fingerprint) approved(seal string) fingerprint {
	as := func(sum string) string { return text256(sum + " approved as " + seal) }
	approved := fingerprint{sum: as(strings.TrimSuffix(f.sum, f.day)) + f.day, files: f.files, made: f.made, day: f.day}
	for _, sum := range f.former {
		approved.former = append(approved.former, as(sum))
	}
	return approved
}

// fingerprint reads each file of the job once.
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
			digest = "unreadable" // the error is reported with those of the other lookups, when all are read
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

// Made reports whether a run was made of this job as it is now: its input, mapping, lookups and settings, and on this
// day if the mapping asks for it. It is always false for a job whose lookups come from the ledger or from a list of the
// service, and if a file cannot be read.
func (j Job) Made(run ledger.Run) bool {
	print, err := j.fingerprint()
	return err == nil && print.sum == run.Fingerprint && !j.AsksLedger() && len(j.ListNames()) == 0
}

// lookupDigest returns the digest of a lookup's content, or "" if the content comes from the mapping or the ledger.
func (j Job) lookupDigest(spec mapping.LookupSpec) (string, error) {
	switch {
	case spec.File != "":
		return fileDigest(j.LookupPath(spec))
	case spec.Service != "" && j.Lists[spec.Service] != nil:
		return j.Lists[spec.Service].Digest(), nil
	}
	return "", nil
}

// Settings returns the configuration's settings for reading sources and sending payloads that differ from their
// defaults, one a line.
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

// settings returns a fingerprint of how sources are read and payloads sent, and those in the former forms.
func (j Job) settings() (now string, former []string) {
	var f facts
	f.policy(j.Policy)
	text := fmt.Sprintf("policy %s settings %q", formerPolicy(j.Policy), j.FormerSettings)
	for _, input := range j.Inputs {
		f.add("input", "")
		f.options(input.Options)
		// A digest that leaves the firm must not let anybody try passwords.
		input.Options.Password = ""
		text += " input " + formerOptions(input.Options)
	}
	for _, form := range formerForms {
		former = append(former, text256(form.Replace(text)))
	}
	return fingerprintForm + f.sum(), former
}

// facts are what decides a plan, in lines that cannot be mistaken for one another.
type facts struct{ lines []string }

func (f *facts) add(name, value string) { f.lines = append(f.lines, name+" "+strconv.Quote(value)) }

// fact is a setting. It is left out if it is zero.
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

// options adds how an input is read. It leaves out the password, because the content of the file already tells inputs
// apart; the limits against huge files; whether earlier files ended with a line break, which the ledger says; and
// whether a guessed encoding is refused.
func (f *facts) options(o source.Options) {
	skips := o.Hidden == "skip" // spelled as in the release before, whose interrupted runs are resumed
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

// formerForms says how releases before the versioned form made fingerprints: from their structs as printed, each with
// the fields that it had, newest first. An older form is the newer one without the settings that it did not know, if
// these have their defaults. If one of them has been set since, its text is left over and the result matches no
// fingerprint.
var formerForms = []*strings.Replacer{
	strings.NewReplacer(),
	strings.NewReplacer(" RetryRefused:24h0m0s}", "}", " UpdateAnswer:json}", "}", " Ragged: Cut: Ended:false Sheet:", " Sheet:",
		" Alike:false Merged:", " Merged:", " Covered: Password:", " Password:"),
}

// formerPolicy and formerOptions print the policy and the options as the last release before the versioned form did.
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

// fileDigest returns the SHA-256 of a file's content in hex. It streams the file.
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

// text256 returns the SHA-256 of a text in hex.
func text256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
