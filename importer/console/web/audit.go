package web

import (
	"cmp"
	"context"
	"errors"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// The results of what somebody did, as recorded in the audit.
const (
	Done    = "done"
	Refused = "refused" // by the console: not allowed, or not possible as asked
	failed  = "failed"  // it was tried
)

// SignIn is the audit's name for a sign-in.
const SignIn = "sign_in"

// Record records the result of an action of this request.
func (r *Request) Record(action string, err error) {
	if r.unaudited && err == nil {
		return
	}
	entry := ledger.AuditEntry{Who: r.Person.Name, Action: action, Target: r.target, Result: Done, Note: r.note}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		entry.Result, entry.Note = Refused, cmp.Or(refusal.Message, r.note)
	} else if err != nil {
		entry.Result, entry.Note = failed, cmp.Or(err.Error(), r.note)
	}
	r.Audit(entry)
}

// Audit records who did what, from where and when, in the ledger and in the log. If the ledger cannot be written, the
// action has still happened, and the failure is logged.
func (r *Request) Audit(d ledger.AuditEntry) {
	f := r.frame
	d.At, d.Origin = f.Now(), r.Origin()
	f.Log.Info("console", zap.String("action", d.Action), zap.String("who", d.Who), zap.String("origin", d.Origin),
		zap.String("target", d.Target), zap.String("result", d.Result), zap.String("note", d.Note))
	book := f.book(r.Context())
	err := book.View()
	if err == nil {
		err = book.AddAuditEntry(context.WithoutCancel(r.Context()), d) // the action was done even if its sender has gone away
	}
	if err != nil {
		f.Log.Error("the audit could not be written", zap.String("action", d.Action), zap.String("who", d.Who), zap.Error(err))
	}
}
