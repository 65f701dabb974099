// Package console serves the pages on which the people of a firm look at what docketsync did, and do what needs a person.
//
// # Layout
//
// Pages are made on the server and work without a script. A page is
//
//   - a file NAME.go with its handler, a method of Server of the type page, and its view, a struct of what the template shows;
//   - a template pages/NAME.html that defines "content" (and may define parts of it that are also asked for alone);
//   - a line in routes, and, if it stands in the menu, one in menu (routes.go).
//
// A handler answers with v.show(NAME, title, view), with v.fragment(NAME, part, view) for a part that a script asks for, or with
// v.seeOther(path, notice) after a post; or it returns an error: refuse(status, what happened, what to do) for what cannot be had,
// any other for trouble of the machine. In a template the view is .View, and {{template "token" $}} stands in every form.
// pages/_*.html hold the layout and the pieces that pages share, assets/console.css all styles: the policy of the pages forbids
// style attributes and scripts in them. An element with data-poll="/path" is filled anew with what that path answers as a fragment
// (console.js); such a path is added with poll instead of get, so that an open page does not keep somebody signed in. A fragment
// that holds an element with data-reload makes the browser load the page anew.
//
// # Who may
//
// Every route says which role it needs: get and poll for what only looks, post for what does anything. A post has come through the
// check of its origin, of the session's role and of the session's token before its handler is called, and leaves a line in the
// audit whatever becomes of it: v.about(target) says what it was done to, v.remark(note) what there is to say beside that.
//
// A request that is refused before a handler sees it, because it comes from another site, without a session or from a role that may
// not, leaves its line in denied. Who may come in is what the configuration says by now: see roster. Passwords are tried through the
// gate, which counts the tries of a browser by what is known of it: see gate.go and browser.go. Where nobody signs in, an address is
// printed that works once: see oneTime.
//
// # A disk that takes no writes
//
// On a read-only or full disk pages read a copy of the ledger (readings), which follows what others write there. Each page says so, nobody
// is an operator, and all posts but those that sign in or out are refused. What a page is made of stays the same until its end, and the
// ledger itself is read again as soon as it has room. Orders never read the copy: what it lacks would be sent twice.
//
// # Doing
//
// The console reads the ledger itself. Whatever else it does comes in as Work, made where the commands are made. Orders, which take
// long, are carried out behind the pages (orders.take), one at a time, so that they go on when the browser is gone; Standing says
// how they are. A form that asks for a run says which run of the job its page showed as the last one, and one that decides about a
// doubt how many decisions its page showed: when that is no longer so, nothing is done, and the page is to be looked at again. So a
// form that is sent twice, by an impatient hand, the back button or two people at once, does what it asks for once.
//
// Nothing here holds a lock of the ledger: that one run at a time pushes is the business of the ledger, whoever asks.
package console
