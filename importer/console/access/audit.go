package access

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

const auditShown = 100

type auditView struct {
	Deeds []ledger.AuditEntry
	Older string // the id that the next page begins behind, "" for the last page
}

func audit(r *web.Request) error {
	deeds, err := r.Book().AuditEntries(r.Context(), ledger.AuditFilter{Before: r.URL.Query().Get("before"), Limit: auditShown + 1})
	if err != nil {
		return err
	}
	view := auditView{Deeds: deeds}
	if len(deeds) > auditShown {
		view.Deeds = deeds[:auditShown]
		view.Older = view.Deeds[auditShown-1].ID
	}
	return r.Show("audit", "Audit log", view)
}

// exportBatch is how many deeds are held in memory while all of them are written.
const exportBatch = 1000

// exportForms are the forms of an export by their names in the address: the type, and what writes a deed.
var exportForms = map[string]struct {
	kind  string
	begin func(out *bufio.Writer) func(ledger.AuditEntry) error
}{
	"csv": {"text/csv; charset=utf-8", func(out *bufio.Writer) func(ledger.AuditEntry) error {
		line := csvfile.Begin(out, "when", "who", "what", "to what", "result", "note", "from", "id")
		return func(d ledger.AuditEntry) error {
			return line(web.Stamp(d.At), d.Who, d.Action, d.Target, d.Result, d.Note, d.Origin, d.ID)
		}
	}},
	"jsonl": {"application/x-ndjson", func(out *bufio.Writer) func(ledger.AuditEntry) error {
		encoder := json.NewEncoder(out)
		return func(d ledger.AuditEntry) error { return encoder.Encode(d) }
	}},
}

// exportAudit answers with all deeds, the latest first, that of this export included.
func (p *Pages) exportAudit(r *web.Request) error {
	as := r.URL.Query().Get("as")
	form, ok := exportForms[as]
	if !ok {
		return web.Nowhere(r)
	}
	r.About("audit log")
	r.Remark(as)
	r.Record("download", nil)
	r.Response.Header().Set("Content-Type", form.kind)
	r.Response.Header().Set("Content-Disposition", `attachment; filename="audit-`+p.Now().UTC().Format(time.DateOnly)+"."+as+`"`)
	out := bufio.NewWriter(r.Response)
	if err := eachDeed(r.Context(), form.begin(out)); err != nil {
		p.Log.Error("the export of the audit log was cut off", zap.Error(err))
		panic(http.ErrAbortHandler) // so that the file does not pass for a whole one
	}
	_ = out.Flush() // who has gone away needs no answer
	return nil
}

// eachDeed hands over all deeds, the latest first.
func eachDeed(ctx context.Context, take func(ledger.AuditEntry) error) error {
	filter := ledger.AuditFilter{Limit: exportBatch}
	for {
		deeds, err := web.Book(ctx).AuditEntries(ctx, filter)
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
