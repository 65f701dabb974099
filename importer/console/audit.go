package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
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
	book := s.book(ctx)
	err := book.View()
	if err == nil {
		err = book.AddDeed(context.WithoutCancel(ctx), d)
	}
	if err != nil {
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
	deeds, err := s.book(v.ctx()).Deeds(v.ctx(), ledger.DeedFilter{Before: v.r.URL.Query().Get("before"), Limit: auditShown + 1})
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

// exportBatch is how many deeds are held in memory while all of them are written.
const exportBatch = 1000

// exportForms are the forms of an export by their names in the address: the type, and what writes a deed.
var exportForms = map[string]struct {
	kind  string
	begin func(out *bufio.Writer) func(ledger.Deed) error
}{
	"csv": {"text/csv; charset=utf-8", func(out *bufio.Writer) func(ledger.Deed) error {
		line := report.BeginCSV(out, "when", "who", "what", "to what", "result", "note", "from", "id")
		return func(d ledger.Deed) error {
			return line(stamp(d.At), d.Who, d.Action, d.Target, d.Result, d.Note, d.Origin, d.ID)
		}
	}},
	"jsonl": {"application/x-ndjson", func(out *bufio.Writer) func(ledger.Deed) error {
		encoder := json.NewEncoder(out)
		return func(d ledger.Deed) error { return encoder.Encode(d) }
	}},
}

// exportAudit answers with all deeds, the latest first, that of this export included.
func (s *Server) exportAudit(v *visit) error {
	as := v.r.URL.Query().Get("as")
	form, ok := exportForms[as]
	if !ok {
		return s.nowhere(v)
	}
	v.about("the audit")
	v.remark(as)
	v.record("download", nil)
	v.w.Header().Set("Content-Type", form.kind)
	v.w.Header().Set("Content-Disposition", `attachment; filename="audit-`+s.now().UTC().Format(time.DateOnly)+"."+as+`"`)
	out := bufio.NewWriter(v.w)
	if err := s.eachDeed(v.ctx(), form.begin(out)); err != nil {
		s.Log.Error("the export of who did what was cut off", zap.Error(err))
		panic(http.ErrAbortHandler) // so that the file does not pass for a whole one
	}
	_ = out.Flush() // who has gone away needs no answer
	return nil
}

// eachDeed hands over all deeds, the latest first.
func (s *Server) eachDeed(ctx context.Context, take func(ledger.Deed) error) error {
	filter := ledger.DeedFilter{Limit: exportBatch}
	for {
		deeds, err := s.book(ctx).Deeds(ctx, filter)
		if err != nil || len(deeds) == 0 {
			return err
		}
		for _, d := range deeds {
			if err := take(d); err != nil {
				return err
			}
		}
		filter.Before = deeds[len(deeds)-1].ID
	}
}
