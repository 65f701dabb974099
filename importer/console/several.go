package console

import (
	"context"

	"docketsync/importer/console/access"
	"docketsync/importer/console/firms"
)

// NewSeveral makes a console of several firms: the door, and the page that leads to each firm's own. Of the options it uses neither Work nor uploads; the ledger has
// the audit of sign-ins.
func NewSeveral(ctx context.Context, o Options, work firms.Work) (*Server, error) {
	s, door, err := begin(ctx, &o)
	if err == nil {
		(&access.Pages{Authenticator: door, Log: o.Log, Now: o.Now}).AddDoor(s.frame)
		(&firms.Pages{Work: work, Door: door}).AddTo(s.frame)
	}
	return s, err
}
