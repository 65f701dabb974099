package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/stop"
)

// RunApproved is Run for a plan that somebody has approved. It plans the job again and passes the new run to approve,
// which compares the planned records with what was approved. If approve returns an error, the run stops and nothing is
// sent. So the ledger alone says what may be sent, and an approved plan cannot order what the ledger no longer allows.
//
// seal names the approved plan and becomes part of the run's fingerprint. An interrupted run is resumed by RunApproved
// with the same seal and the same input, and approve is not asked again. A job whose mapping asks the ledger for ids is
// always planned again. Guards do not stop such a run, because somebody has looked at what it sends; the guards that
// fired are kept with it.
func (i *Importer) RunApproved(ctx context.Context, job Job, seal string, approve func(context.Context, ledger.Run) error) (ledger.Run, error) {
	return i.run(ctx, job, consent{seal: seal, approve: approve})
}

// approve has a new run approved. A run whose plan is not the approved one ends, and its records are held for good: it
// is never resumed.
func (i *Importer) approve(ctx context.Context, job Job, run *ledger.Run, print fingerprint, approve func(context.Context, ledger.Run) error) error {
	if err := approve(ctx, *run); err != nil {
		ctx = context.WithoutCancel(ctx)
		err = errors.Join(i.carriedOut(ctx, job, print), err)
		run.Fingerprint = "not approved"
		return errors.Join(err, i.stop(ctx, run, stop.Approval, err.Error()))
	}
	run.Fingerprint = print.sum
	return i.Ledger.SaveRun(ctx, *run)
}

// carriedOut returns an error that names the run which has already carried out an approved plan, or nil if none has.
func (i *Importer) carriedOut(ctx context.Context, job Job, approved fingerprint) error {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}})
	if n := slices.IndexFunc(runs, func(run ledger.Run) bool { return approved.is(run.Fingerprint) }); n >= 0 {
		return fmt.Errorf("run %s has carried out this plan already, on %s", runs[n].Name, moment.Of(runs[n].Ended))
	}
	return err
}

// Ingredients are the SHA-256 digests, in hex, of everything but the ledger that decides what a job plans.
type Ingredients struct {
	Sources  []ingredient `json:"sources"`
	Mapping  string       `json:"mapping"`
	Lookups  []ingredient `json:"lookups"`  // files, and lists of the service
	Settings string       `json:"settings"` // from the configuration: how sources are read, the service's switches, the retry policy

	former []string // Settings as plan files of earlier releases have them
}

// ingredient is one file: its name, its path and the digest of its content.
type ingredient struct {
	Name   string `json:"name,omitempty"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Ingredients reads each file of the job once.
func (j Job) Ingredients() (Ingredients, error) {
	in := Ingredients{Mapping: text256(string(j.MappingText)), Sources: []ingredient{}, Lookups: []ingredient{}}
	for _, input := range j.Inputs {
		digest, err := fileDigest(input.Path)
		if err != nil {
			return in, err
		}
		in.Sources = append(in.Sources, ingredient{File: input.Path, SHA256: digest})
	}
	for _, spec := range j.Mapping.Lookups() {
		digest, err := j.lookupDigest(spec)
		if err != nil {
			return in, err
		}
		if digest == "" {
			continue
		}
		lookup := ingredient{Name: spec.Name, File: spec.File, SHA256: digest}
		if spec.File == "" {
			lookup.File = "list " + spec.Service + " of the service"
		}
		in.Lookups = append(in.Lookups, lookup)
	}
	in.Settings, in.former = j.settings()
	return in, nil
}

// Changed says in one sentence each what differs between in and now. It returns nothing if they are the same.
func (in Ingredients) Changed(now Ingredients) []string {
	changes := changedFiles("the source", in.Sources, now.Sources)
	if in.Mapping != now.Mapping {
		changes = append(changes, "the mapping has changed")
	}
	changes = append(changes, changedFiles("the lookup", in.Lookups, now.Lookups)...)
	if in.Settings != now.Settings && !slices.Contains(now.former, in.Settings) {
		changes = append(changes, "the configuration has changed: source settings, service switches, or retry settings")
	}
	return changes
}

func changedFiles(what string, then, now []ingredient) (changes []string) {
	find := func(list []ingredient, i ingredient) int {
		return slices.IndexFunc(list, func(other ingredient) bool { return other.Name == i.Name && other.File == i.File })
	}
	for _, i := range now {
		if find(then, i) < 0 {
			changes = append(changes, i.called(what)+" was added")
		}
	}
	for _, i := range then {
		switch n := find(now, i); {
		case n < 0:
			changes = append(changes, i.called(what)+" is no longer read")
		case now[n].SHA256 != i.SHA256:
			changes = append(changes, i.called(what)+" has changed")
		}
	}
	return changes
}

// called returns an ingredient in words: "the lookup clients (lookups/clients.xlsx)".
func (i ingredient) called(what string) string {
	if i.Name == "" {
		return what + " " + i.File
	}
	return fmt.Sprintf("%s %s (%s)", what, i.Name, i.File)
}
