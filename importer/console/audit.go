package console

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// The results of a deed.
const (
	done    = "done"
	refused = "refused" // by the console: not allowed, or not possible as asked
	failed  = "failed"  // it was tried
)

// record writes down who did what, in the ledger and in the log. A deed whose line cannot be written has happened all the same;
// that it could not be written is logged.
func (s *Server) record(ctx context.Context, d ledger.Deed) {
	d.At = s.now()
	s.Log.Info("console", zap.String("action", d.Action), zap.String("who", d.Who), zap.String("origin", d.Origin),
		zap.String("target", d.Target), zap.String("result", d.Result), zap.String("note", d.Note))
	// Somebody who goes away in the middle has done it all the same.
	if err := s.Ledger.AddDeed(context.WithoutCancel(ctx), d); err != nil {
		s.Log.Error("who did what could not be written down", zap.String("action", d.Action), zap.String("who", d.Who), zap.Error(err))
	}
}

// resultOf is the result of a post, and what there is to say about it.
func resultOf(err error) (result, note string) {
	var r *refusal
	switch {
	case err == nil:
		return done, ""
	case errors.As(err, &r):
		return refused, r.Message
	}
	return failed, err.Error()
}

const auditShown = 100

type auditView struct {
	Deeds []ledger.Deed
	Older string // the id that the next page begins behind, "" for the last page
}

func (s *Server) audit(v *visit) error {
	deeds, err := s.Ledger.Deeds(v.ctx(), ledger.DeedFilter{Before: v.r.URL.Query().Get("before"), Limit: auditShown + 1})
	if err != nil {
		return err
	}
	view := auditView{Deeds: deeds}
	if len(deeds) > auditShown {
		view.Deeds = deeds[:auditShown]
		view.Older = view.Deeds[auditShown-1].ID
	}
	return v.show("audit", "Who did what", view)
}
