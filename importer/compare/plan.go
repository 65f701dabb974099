package compare

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
)

// Plan is one of the two that are compared.
type Plan interface {
	// About says what the plan is of, and what it was made from.
	About() About
	// each calls add for every record, in any order. If spelled is set, the entry covers what would be sent, not only
	// what was mapped.
	each(ctx context.Context, spelled bool, add func(key string, e entry) error) error
	// at returns the records at some places.
	at(ctx context.Context, places []int64) (map[int64]ledger.Record, error)
}

// About says what a plan is of, and what it was made from.
type About struct {
	Plan      string    `json:"plan"` // as it was asked for: a file, or the name of a run
	Run       string    `json:"run,omitempty"`
	Job       string    `json:"job"`
	Operation string    `json:"operation"`
	Scope     string    `json:"scope"`
	Made      time.Time `json:"made"`
	Version   string    `json:"version,omitempty"`
	Records   int       `json:"records"`
	ToBeSent  int       `json:"to_be_sent"` // or was sent

	sources  []ledger.Source
	columns  [][]column        // of the sources
	lookups  map[string]string // digests
	settings []string
	mapping  string // the text; "" if the plan does not have it
	digest   string // of the mapping
	settled  string // the digest of the settings, in files of the first form
}

// whole reports whether the plan has everything that it was made from.
func (a *About) whole() bool { return a.mapping != "" }

// The kinds of entries, in their lowest bits. The higher bits are a hash of what would be sent, 0 if that is not known.
const kindBits = 2

const (
	sent     = iota // it would be sent, or was
	held            // it has content, but is not sent: the ledger knows better
	rejected        // its rows became nothing
)

func kindOf(state ledger.State, digest string) uint64 {
	switch {
	case state == ledger.Rejected && digest == "":
		return rejected
	case state == ledger.Rejected || state == ledger.Unchanged:
		return held
	}
	return sent
}

// entryOf returns what a record is compared by. It covers body only if spelled is set.
func entryOf(key, digest string, state ledger.State, body []byte, place int64, spelled bool) entry {
	e := entry{high: maphash.String(seeds[0], key), low: maphash.String(seeds[1], key), sum: maphash.String(seeds[0], digest), place: place, kind: kindOf(state, digest)}
	if spelled && len(body) > 0 {
		e.kind |= maphash.Bytes(seeds[0], body) << kindBits
	}
	return e
}

// Find returns the plan that a person names: a plan file, or a run named as in other commands. closing ends its use.
func Find(ctx context.Context, book *ledger.Reader, name string) (plan Plan, closing func() error, err error) {
	if _, missing := os.Stat(name); missing == nil || strings.ContainsAny(name, `/\`) {
		file, err := planfile.Open(name)
		if err != nil {
			return nil, nil, err
		}
		return OfFile(name, file), file.Close, nil
	}
	plan, err = OfRun(ctx, book, name)
	return plan, func() error { return nil }, err
}

// ofFile is a plan in a file.
type ofFile struct {
	about About
	file  *planfile.File
}

// OfFile returns the plan in an open file.
func OfFile(name string, file *planfile.File) Plan {
	h := file.Head
	about := About{Plan: name, Job: h.Job, Operation: h.Operation, Scope: h.Scope, Made: h.Made, Version: h.Version, Records: h.Records.Total, ToBeSent: h.ToBeSent,
		sources: h.Read, lookups: map[string]string{}, settings: h.Settings, mapping: h.MappingText, digest: h.From.Mapping, settled: h.From.Settings}
	if len(about.sources) == 0 {
		for _, s := range h.From.Sources {
			about.sources = append(about.sources, ledger.Source{File: s.File, SHA256: s.SHA256})
		}
	}
	for _, l := range h.From.Lookups {
		about.lookups[l.Name] = l.SHA256
	}
	return &ofFile{about, file}
}

func (p *ofFile) About() About { return p.about }

func (p *ofFile) each(ctx context.Context, spelled bool, add func(string, entry) error) error {
	for line, err := range p.file.Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = jsontext.Check(line.Text)
		}
		if err != nil {
			return err
		}
		key, e := lineEntry(line, spelled)
		if err := add(key, e); err != nil {
			return err
		}
	}
	return nil
}

// lineEntry reads from a line only what it is compared by. To parse the whole line would take several times as long.
func lineEntry(line planfile.Place, spelled bool) (key string, e entry) {
	var state, digest, body []byte
	members, _ := jsontext.SplitObject(line.Text) // a line that is not an object has none
	for _, m := range members {
		switch string(m.Name) {
		case "key":
			key = jsontext.Text(m.Value)
		case "state":
			state = m.Value
		case "digest":
			digest = m.Value
		case "body":
			body = m.Value
		}
	}
	return key, entryOf(key, jsontext.Text(digest), ledger.State(jsontext.Text(state)), body, line.At, spelled)
}

func (p *ofFile) at(_ context.Context, places []int64) (map[int64]ledger.Record, error) {
	if err := p.file.Unchanged(); err != nil { // its lines were found to be JSON
		return nil, err
	}
	found := make(map[int64]ledger.Record, len(places))
	for _, place := range places {
		record, err := p.file.Record(place)
		if err != nil {
			return nil, err
		}
		found[place] = record
	}
	return found, nil
}

// ofRun is the plan of a run.
type ofRun struct {
	about About
	book  *ledger.Reader
	run   ledger.Run
}

// Kept says why the ledger does not keep a plan of a run that could be compared, nil if it does. It does not check
// whether the run was pruned.
func Kept(run ledger.Run) error {
	switch {
	case run.Kind == ledger.Check:
		return fmt.Errorf("%s cannot be compared: a check keeps no payloads\nMake a plan with: docketsync plan %s --out FILE", run.Name, run.Job)
	case run.Phase == ledger.Reading || run.Phase == ledger.Stopped && run.Fingerprint == "":
		return fmt.Errorf("%s cannot be compared: it ended while its export was being read, so its plan is not whole", run.Name)
	}
	return nil
}

// OfRun returns the plan of a run, by its name, number or id.
func OfRun(ctx context.Context, book *ledger.Reader, name string) (Plan, error) {
	run, err := report.Find(ctx, book, name)
	if err != nil {
		if errors.Is(err, ledger.ErrNotFound) {
			err = fmt.Errorf("neither a plan file nor a run: %w\nList the runs with 'docketsync runs --all'", err)
		}
		return nil, err
	}
	if err := Kept(run); err != nil {
		return nil, err
	}
	made, err := book.Made(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	tally, err := book.Tally(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	p := &ofRun{book: book, run: run, about: About{Plan: run.Name, Run: run.ID, Job: run.Job, Operation: run.Operation, Scope: run.Scope, Made: run.Started, Version: made.Version,
		sources: run.Sources, lookups: map[string]string{}, settings: made.Settings, mapping: made.Text, digest: made.Mapping}}
	for _, l := range made.Lookups {
		p.about.lookups[l.Name] = l.SHA256
	}
	for _, count := range tally {
		p.about.Records += count.N
		if !slices.Contains([]ledger.State{ledger.Rejected, ledger.Unchanged}, count.State) {
			p.about.ToBeSent += count.N
		}
	}
	return p, nil
}

func (p *ofRun) About() About { return p.about }

func (p *ofRun) each(ctx context.Context, spelled bool, add func(string, entry) error) error {
	for r, err := range p.book.Records(ctx, p.run.ID, ledger.RecordFilter{Digests: !spelled}) {
		if err != nil {
			return err
		}
		if err := add(r.Key, entryOf(r.Key, r.Digest, r.State, r.Sent(), r.Seq, spelled)); err != nil {
			return err
		}
	}
	return nil
}

func (p *ofRun) at(ctx context.Context, places []int64) (map[int64]ledger.Record, error) {
	places = slices.Sorted(slices.Values(places))
	list, err := p.book.RecordsAt(ctx, p.run.ID, places)
	found := make(map[int64]ledger.Record, len(list))
	for _, r := range list {
		found[r.Seq] = r
	}
	if err == nil && len(found) < len(places) {
		err = fmt.Errorf("the run %s was pruned while it was compared", p.run.Name)
	}
	return found, err
}
