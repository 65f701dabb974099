package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"docketsync/importer/ledger/store"
)

// Made is what the plan of a run was made from, beside its sources (Run.Sources) and the ledger: enough to tell why two plans differ.
type Made struct {
	Version string `json:"version,omitempty"` // of docketsync
	Mapping string `json:"mapping,omitempty"` // SHA-256 of its text, hex
	// Settings are those of the configuration that are not as usual, a line each: how sources are read, and the service's switches.
	Settings []string `json:"settings,omitempty"`
	Lookups  []Digest `json:"lookups,omitempty"` // files, and lists of the service
	Text     string   `json:"-"`                 // of the mapping
}

// Digest is what a lookup says, as SHA-256 in hex.
type Digest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// keepMade writes down what a run that has just begun is made from.
func (tx *transaction) keepMade(run string, made *Made) error {
	text, err := json.Marshal(made)
	if err == nil && made.Mapping != "" {
		_, err = tx.Exec(`insert into mappings (digest, content) values ($1, $2) on conflict do nothing`, made.Mapping, store.Plain(made.Text))
	}
	if err == nil {
		_, err = tx.Exec(`update runs set made_from = $2 where id = $1`, run, string(text))
	}
	return err
}

// Made is what the plan of a run was made from; nothing in runs that began before that was kept.
func (l *Reader) Made(ctx context.Context, run string) (made Made, err error) {
	var stored, text *string
	some, err := store.Found(l.read.One(ctx, `select r.made_from from runs r where r.id = $1`, []any{run}, &stored))
	if err == nil && !some {
		err = noRun(run)
	}
	if err != nil || stored == nil {
		return made, l.wrap("read what a plan was made from", err)
	}
	if err := json.Unmarshal([]byte(*stored), &made); err != nil {
		return made, fmt.Errorf("read what the plan of run %s was made from: %w", run, err)
	}
	_, err = store.Found(l.read.One(ctx, `select content from mappings where digest = $1`, []any{made.Mapping}, &text))
	if text != nil {
		made.Text = *text
	}
	return made, l.wrap("read what a plan was made from", err)
}
