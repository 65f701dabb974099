package access

import (
	"bufio"
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
	Entries []ledger.AuditEntry
	Older   string // the id that the next page begins behind, "" for the last page
}

func audit(r *web.Request) error {
	entries, err := r.Book().AuditEntries(r.Context(), ledger.AuditFilter{Before: r.URL.Query().Get("before"), Limit: auditShown + 1})
	if err != nil {
		return err
	}
	view := auditView{Entries: entries}
	if len(entries) > auditShown {
		view.Entries = entries[:auditShown]
		view.Older = entries[auditShown-1].ID
	}
	return r.Show("audit", "Audit log", view)
}

// exportBatch is how many entries are held in memory while all of them are written.
const exportBatch = 1000

// exportAudit answers with all entries, the latest first, that of this export included.
func (p *Pages) exportAudit(r *web.Request) error {
	form := r.URL.Query().Get("as")
	out := bufio.NewWriter(r.Response)
	var kind string
	var write func(ledger.AuditEntry) error
	switch form {
	case "csv":
		kind = "text/csv; charset=utf-8"
		line := csvfile.Begin(out, "when", "who", "what", "to what", "result", "note", "from", "id")
		write = func(e ledger.AuditEntry) error {
			return line(web.Stamp(e.At), e.Who, e.Action, e.Target, e.Result, e.Note, e.Origin, e.ID)
		}
	case "jsonl":
		kind = "application/x-ndjson"
		encoder := json.NewEncoder(out)
		write = func(e ledger.AuditEntry) error { return encoder.Encode(e) }
	default:
		return web.Nowhere(r)
	}
	r.About("audit log")
	r.Remark(form)
	r.Record("download", nil)
	r.Response.Header().Set("Content-Type", kind)
	r.Response.Header().Set("Content-Disposition", `attachment; filename="audit-`+p.Now().UTC().Format(time.DateOnly)+"."+form+`"`)
	if err := eachEntry(r, write); err != nil {
		p.Log.Error("the export of the audit log was cut off", zap.Error(err))
		panic(http.ErrAbortHandler) // so that the file does not pass for a whole one
	}
	_ = out.Flush() // who has gone away needs no answer
	return nil
}

// eachEntry hands over all entries, the latest first.
func eachEntry(r *web.Request, take func(ledger.AuditEntry) error) error {
	filter := ledger.AuditFilter{Limit: exportBatch}
	for {
		entries, err := r.Book().AuditEntries(r.Context(), filter)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			if err := take(e); err != nil {
				return err
			}
		}
		filter.Before = entries[len(entries)-1].ID
	}
}
