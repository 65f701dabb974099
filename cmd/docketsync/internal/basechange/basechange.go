// Package basechange shows what another text of a base mapping would change for each firm that extends the base, and
// applies it to firms that were signed off.
//
// A base that is edited in place changes all firms at once. So a change begins as a file of its own. For each job whose
// mapping extends the base, Find makes today's plan and the plan by the changed base, both from the firm's own export
// and ledger, and compares them with importer/compare; nothing is sent. The result has a seal: a digest of the firm's
// mapping, the changed base, and every record that differs with its values. A firm is signed off by naming its seal,
// and Apply applies exactly that or nothing: if the export, the mapping or the base has changed since, the seal is
// another one.
//
// A base is never changed in place. The new text gets a name that holds its digest, and the mapping of the firm that
// was signed off extends that file from then on. So all other firms keep the text that they had, a firm's fingerprint
// changes exactly when it is moved, and going back is a one-line change. The firm's audit trail says who signed off.
package basechange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/atomicfile"
	"docketsync/importer/compare"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/mapping"
)

// Change is another text of a base.
type Change struct {
	Base    string // the path of the base in use
	Changed string // the path of the file with the other text

	text []byte
}

// Firm is the effect of a change on one firm.
type Firm struct {
	Name    string `json:"firm"`
	Jobs    []Job  `json:"jobs"`
	Seal    string `json:"seal,omitempty"`
	Applied bool   `json:"applied"`
	Trouble string `json:"trouble,omitempty"` // why it is not known, or was not applied

	in       *installation.Installation
	settings *config.Config
}

// Job is the effect on a job whose mapping extends the base.
type Job struct {
	Name   string          `json:"job"`
	Result *compare.Result `json:"result"`

	mapping   string // its path
	own, then []byte // its text, and the text that extends the changed base
}

// Touched is how many records differ.
func (f Firm) Touched() (n int) {
	for _, job := range f.Jobs {
		n += job.Result.Added + job.Result.Gone + job.Result.Different
	}
	return n
}

// New returns a change of base, or, if base is "", of the base that some firm extends and whose file has the same name,
// apart from a digest.
func New(changed, base string, setups []*installation.Setup) (*Change, error) {
	c := &Change{Base: base, Changed: changed}
	var err error
	if c.text, err = os.ReadFile(changed); err != nil {
		return nil, exit.Mistakef("the changed base cannot be read: %v", err)
	}
	if base != "" {
		return c, nil
	}
	var all []string
	for _, setup := range setups {
		settings, err := setup.Settings()
		if err != nil {
			continue // it is reported when it is the firm's turn
		}
		list, _ := bases(settings) // the same error is reported then
		for _, of := range list {
			if !slices.Contains(all, of) {
				all = append(all, of)
			}
		}
	}
	fits := slices.DeleteFunc(slices.Clone(all), func(path string) bool { return plainName(path) != plainName(changed) })
	if len(fits) != 1 {
		return nil, exit.Mistakef("it is not clear which base %s is to replace\nName it with --base; the firms extend %s", changed, strings.Join(all, ", "))
	}
	c.Base = fits[0]
	return c, nil
}

// Concerns reports whether a firm extends the base. It is also true if that is not known yet; Find then reports it.
func (c *Change) Concerns(setup *installation.Setup) bool {
	settings, err := setup.Settings()
	if err != nil {
		return true
	}
	list, err := bases(settings)
	return err != nil || slices.ContainsFunc(list, func(base string) bool { return same(base, c.Base) })
}

// bases returns those that the mappings of a firm extend. The error is about mappings that could not be read for that.
func bases(settings *config.Config) (list []string, unknown error) {
	for _, job := range settings.Jobs {
		base, _, err := baseOf(job)
		unknown = errors.Join(unknown, err)
		if base != "" {
			list = append(list, base)
		}
	}
	return list, unknown
}

// baseOf returns the base that the mapping of a job extends, "" for none, and the text of that mapping.
func baseOf(job config.Job) (base string, text []byte, err error) {
	if text, err = os.ReadFile(job.Mapping); err == nil {
		base, err = mapping.Base(job.Mapping, text)
	}
	if err != nil {
		err = fmt.Errorf("job %s: whether its mapping extends the base is not known: %w", job.Name, err)
	}
	return base, text, err
}

var digestInName = regexp.MustCompile(`\.[0-9a-f]{12}(\.ya?ml)$`)

// plainName returns the name of a file without the digest that Apply gave it.
func plainName(path string) string { return digestInName.ReplaceAllString(filepath.Base(path), "$1") }

func same(a, b string) bool {
	a, first := filepath.Abs(a)
	b, second := filepath.Abs(b)
	return first == nil && second == nil && a == b
}

// Find compares what a firm's jobs would send with both bases. ok is false for a firm that does not extend the base.
// Close must be called.
func (c *Change) Find(ctx context.Context, setup *installation.Setup) (f Firm, ok bool) {
	f = Firm{Name: setup.Firm, Jobs: []Job{}}
	err := c.find(ctx, setup, &f)
	if err != nil {
		f.Trouble, f.Seal = exit.Explain(err), ""
	}
	return f, err != nil || len(f.Jobs) > 0
}

// Close closes what Find has opened.
func (f Firm) Close() error {
	if f.in == nil {
		return nil
	}
	return f.in.Close()
}

func (c *Change) find(ctx context.Context, setup *installation.Setup, f *Firm) (err error) {
	if f.settings, err = setup.Settings(); err != nil {
		return err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %x\n", f.Name, sha256.Sum256(c.text))
	for _, settings := range f.settings.Jobs {
		base, text, err := baseOf(settings)
		if err != nil {
			return err
		}
		if !same(base, c.Base) {
			continue
		}
		job := Job{Name: settings.Name, mapping: settings.Mapping, own: text}
		if job.then, err = extending(settings.Mapping, text, c.Changed); err != nil {
			return err
		}
		if f.in == nil {
			if f.in, err = setup.View(ctx, true); err != nil {
				return err
			}
		}
		fmt.Fprintf(sum, "%q %x\n", job.Name, sha256.Sum256(text))
		if job.Result, err = c.compare(ctx, f.in, settings, job, sum); err != nil {
			return fmt.Errorf("job %s: %w", job.Name, err)
		}
		f.Jobs = append(f.Jobs, job)
	}
	f.Seal = hex.EncodeToString(sum.Sum(nil))[:16]
	return nil
}

// compare compares the plan of a job with the one by the changed base. It makes the latter first, so that the ledger
// has today's plan in the end.
func (c *Change) compare(ctx context.Context, in *installation.Installation, settings config.Job, job Job, sum hash.Hash) (*compare.Result, error) {
	if err := sourceOf(ctx, in, &settings); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "docketsync-base-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	then, err := mapping.Extend(job.mapping, job.then, os.ReadFile)
	if err != nil {
		return nil, err
	}
	in.Mappings = map[string][]byte{job.mapping: then}
	made, run, err := plan(ctx, in, settings)
	in.Mappings = nil
	if err != nil {
		return nil, err
	}
	summary, err := report.Build(ctx, in.Book.Reader, run.ID)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "changed.jsonl")
	if _, err := runner.WritePlan(ctx, in, path, made, summary); err != nil {
		return nil, err
	}
	file, err := planfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, run, err = plan(ctx, in, settings); err != nil {
		return nil, err
	}
	today, err := compare.OfRun(ctx, in.Book.Reader, run.ID)
	if err != nil {
		return nil, err
	}
	result, err := compare.Compare(ctx, today, compare.OfFile(c.Changed, file), func(d *compare.Difference) error {
		line, err := planfile.Line(d)
		_, _ = sum.Write(append(line, '\n'))
		return err
	})
	if other, is := errors.AsType[*compare.MismatchError](err); is {
		return nil, fmt.Errorf("the changed base makes it %s with scope %s instead of %s with scope %s: what has been sent so far would not be known there and would be sent again\n"+
			"Keep operation and scope as they are", other.New.Operation, other.New.Scope, other.Old.Operation, other.Old.Scope)
	}
	return result, err
}

// plan plans a job.
func plan(ctx context.Context, in *installation.Installation, settings config.Job) (job importer.Job, run ledger.Run, err error) {
	if job, err = in.Job(settings); err != nil {
		return job, run, err
	}
	if err = errors.Join(in.FetchLists(ctx, []importer.Job{job}), in.FetchSources(ctx, job)); err != nil {
		return job, run, err
	}
	run, err = in.Importer(func(importer.Progress) {}).Plan(ctx, job)
	if err == nil && run.Phase == ledger.Stopped {
		err = errors.New(run.Stop)
	}
	return job, run, err
}

// sourceOf makes a job with an inbox read the file of its last run, from the archive.
func sourceOf(ctx context.Context, in *installation.Installation, settings *config.Job) error {
	box := settings.Source.Inbox
	if box == nil {
		return nil
	}
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: settings.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Limit: 1})
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return errors.New("no file has been run yet, so nothing can be compared")
	}
	found, err := filepath.Glob(filepath.Join(box.Archive, "*", "*", runs[0].ID+"-*"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("the file of its last run, %s, is not in the archive %s any more", runs[0].Name, box.Archive)
	}
	settings.Source.Files, settings.Source.Inbox = found, nil
	return err
}

// extendsLine may follow a byte order mark, and may end as lines do on Windows.
var extendsLine = regexp.MustCompile(`(?m)^(\x{FEFF}?)extends:[ \t]*[^ \t\r\n#][^\r\n#]*?([ \t]*(?:#[^\r\n]*)?\r?)$`)

// extending returns the text of a mapping, changed to extend another base.
func extending(path string, text []byte, base string) ([]byte, error) {
	here, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	to, err := filepath.Abs(base)
	if err != nil {
		return nil, err
	}
	if to, err = filepath.Rel(here, to); err != nil {
		return nil, err
	}
	if lines := extendsLine.FindAll(text, -1); len(lines) != 1 {
		return nil, exit.Mistakef("%s: write extends: FILE on a line of its own", path)
	}
	name := []byte("extends: '" + strings.ReplaceAll(filepath.ToSlash(to), "'", "''") + "'")
	return extendsLine.ReplaceAllFunc(text, func(line []byte) []byte {
		kept := extendsLine.FindSubmatch(line)
		return slices.Concat(kept[1], name, kept[2])
	}), nil
}

// Apply makes the mappings of a firm extend the changed base, if seal is what Find found for it.
func (c *Change) Apply(ctx context.Context, f *Firm, seal string) error {
	if seal != f.Seal {
		return fmt.Errorf("what firm %s signed off (%s) is not what the change comes to now (%s), so it was not applied\nLook at it again, and sign that off", f.Name, seal, f.Seal)
	}
	if f.in == nil || f.in.Book.View() != nil {
		return fmt.Errorf("the ledger of firm %s cannot be written, so nobody would know who signed it off; it was not applied", f.Name)
	}
	digest := sha256.Sum256(c.text)
	ending := filepath.Ext(c.Base)
	base := filepath.Join(filepath.Dir(c.Base), strings.TrimSuffix(plainName(c.Base), ending)+"."+hex.EncodeToString(digest[:])[:12]+ending)
	type move struct {
		mapping string
		perm    os.FileMode
		text    []byte
	}
	var moves []move // everything that can fail beforehand is done before the first move
	for _, job := range f.Jobs {
		if slices.ContainsFunc(moves, func(m move) bool { return m.mapping == job.mapping }) {
			continue
		}
		if now, err := os.ReadFile(job.mapping); err != nil || !bytes.Equal(now, job.own) {
			return errors.Join(err, fmt.Errorf("%s has changed meanwhile, so the firm was left as it is", job.mapping))
		}
		text, err := extending(job.mapping, job.own, base)
		if err != nil {
			return err
		}
		info, err := os.Stat(job.mapping)
		if err != nil {
			return err
		}
		moves = append(moves, move{job.mapping, info.Mode().Perm(), text})
	}
	if there, err := os.ReadFile(base); err != nil || !bytes.Equal(there, c.text) {
		if err := atomicfile.Put(base, 0o644, c.text); err != nil {
			return err
		}
	}
	var moved []string
	for _, m := range moves {
		err := atomicfile.Put(m.mapping, m.perm, m.text)
		if err == nil {
			moved = append(moved, m.mapping)
			err = f.in.Book.AddAuditEntry(ctx, ledger.AuditEntry{At: time.Now(), Who: terminal.User(), Origin: "command line", Action: "sign off base mapping", Target: m.mapping,
				Result: "done", Note: fmt.Sprintf("%s instead of %s, sealed %s", filepath.Base(base), filepath.Base(c.Base), seal)})
		}
		if err != nil {
			if len(moved) > 0 {
				err = fmt.Errorf("%w\nExtending %s now: %s", err, base, strings.Join(moved, ", "))
			}
			return err
		}
	}
	f.Applied = true
	return nil
}
