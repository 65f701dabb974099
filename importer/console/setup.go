package console

import (
	"context"

	"docketsync/importer/console/setup"
)

// NewSetup makes a console that has no configuration yet and asks for one. The options' ledger is thrown away with it; of what a console
// needs beside that, it uses neither Work nor uploads.
func NewSetup(ctx context.Context, o Options, work setup.Work) (*Server, error) {
	s, _, err := begin(ctx, &o)
	if err == nil {
		(&setup.Pages{Work: work}).AddTo(s.frame)
	}
	return s, err
}
