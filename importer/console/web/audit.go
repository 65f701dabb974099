package web

import (
	"cmp"
	"context"
	"errors"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// The results of what somebody did, as the audit has them.
const (
	Done    = "done"
	Refused = "refused" // by the console: not allowed, or not possible as asked
	failed  = "failed"  // it was tried
)

// SignIn is what the audit calls a sign-in.
const SignIn = "sign_in"

// Record writes down what became of an action of this request.
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

// Audit writes down who did what, from where and when, in the ledger and in the log. What cannot be written down has happened all the
// same, which is logged.
func (r *Request) Audit(d ledger.AuditEntry) {
	f := r.frame
	d.At, d.Origin = f.Now(), r.Origin()
	f.Log.Info("console", zap.String("action", d.Action), zap.String("who", d.Who), zap.String("origin", d.Origin),
		zap.String("target", d.Target), zap.String("result", d.Result), zap.String("note", d.Note))
	book := f.book(r.Context())
	err := book.View()
	if err == nil {
		err = book.AddAuditEntry(context.WithoutCancel(r.Context()), d) // who goes away in the middle has done it all the same
	}
	if err != nil {
		f.Log.Error("the audit could not be written", zap.String("action", d.Action), zap.String("who", d.Who), zap.Error(err))
	}
}
