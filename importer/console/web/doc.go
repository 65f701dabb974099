// Package web is the frame around every page of the console. It imports signin, the ledger and the words of reports, and knows no page but
// the refusal.
//
// A request comes in through Handler: security headers, the check of its host, proxy and origin, and a snapshot of what it reads. Its
// route says which role it needs: Get and Poll for what only looks, Post for what does anything. A post has come through the check of its
// origin, of the session's role and of the session's token before its page is called, and leaves a line in the audit whatever becomes of
// it: About says what it was done to, Remark what there is to say beside that. One that is refused before a page sees it leaves its line in
// Denied.
//
// On a read-only or full disk pages read a copy of the ledger (Snapshots), which follows what others write there. Each page says so, nobody is
// an operator, and all posts but those that sign in or out are refused. What a page is made of stays the same until its end, and the ledger
// itself is read again as soon as it has room. Runs never read the copy: what it lacks would be sent twice.
package web
