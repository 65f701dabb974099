package history

import (
	"context"
	"encoding/json"
	"fmt"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Made is what the plan of a run was made from; nothing in runs that began before that was kept.
func (l *Reader) Made(ctx context.Context, run string) (made model.Made, err error) {
	var stored, text *string
	some, err := store.Found(l.h.Read.One(ctx, `select r.made_from from runs r where r.id = $1`, []any{run}, &stored))
	if err == nil && !some {
		err = handle.NoRun(run)
	}
	if err != nil || stored == nil {
		return made, l.h.Wrap("read what a plan was made from", err)
	}
	if err := json.Unmarshal([]byte(*stored), &made); err != nil {
		return made, fmt.Errorf("read what the plan of run %s was made from: %w", run, err)
	}
	_, err = store.Found(l.h.Read.One(ctx, `select content from mappings where digest = $1`, []any{made.Mapping}, &text))
	if text != nil {
		made.Text = *text
	}
	return made, l.h.Wrap("read what a plan was made from", err)
}
