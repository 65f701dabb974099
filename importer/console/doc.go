// Package console is the web console: the pages on which the people of a firm see what docketsync did, and settle what
// needs attention. This package puts the rooms together and serves them; each room is one subject.
//
//   - signin: who may sign in, and who is signed in. It knows no page.
//   - web: the frame around every page: routes and roles, the request, security headers, the layout, refusals, the audit, and what pages read.
//   - queue: runs that people start, one at a time, and how far a run is.
//   - jobs: the first page, and the pages of jobs and of their runs.
//   - records: the pages of single records: search, history, and what is in doubt.
//   - comparison: the page of what changed from one plan to another, and why.
//   - access: the pages of sign-in, sessions and the audit.
//   - manual: the guide.
//   - nodes: the page of the processes that share a ledger on a server.
//   - setup: the page of a console that has no configuration yet (NewSetup).
//   - firms: the page of the firms that somebody may see, and the way to the console of each (NewSeveral).
//   - upload: a file that somebody uploaded, its draft mapping and its lookups. It knows no page.
//   - wizard: the pages of the first import, from an upload to a job.
//
// Imports run one way: signin ← web ← records, comparison ← jobs ← wizard, signin ← web ← access, manual, nodes, setup,
// firms; queue and upload import no page. A room of pages declares the work that it needs beyond reading the ledger as
// its interface Work, which the commands' package implements.
//
// # A page
//
// Pages are made on the server and work without a script. A page is
//
//   - a function from a request to an answer, whose dependencies are the fields of its room's Pages; if the path names a run, a job or an
//     upload, web.Of finds it first;
//   - a template pages/NAME.html of the room that defines "content", and may define parts that are also requested alone;
//   - a line in AddTo of its room, and, if it is in the menu, one in menu (console.go).
//
// It answers with r.Show(NAME, title, view), with r.Fragment(NAME, part, view) for a part that a script requests, or
// with r.SeeOther(path, notice) after a post. Or it returns an error: web.Refuse(status, what happened, what to do) if
// the request cannot be served, any other error for trouble of the machine. In a template the view is .View, and every
// form contains {{template "token" $}}. The content security policy forbids inline styles and scripts; all styles are
// in web/assets. An element with data-poll="/path" is refreshed with the fragment that this path answers (console.js);
// such a path is added with Poll instead of Get, so that an open page does not keep somebody signed in. A fragment with
// an element that has data-reload makes the browser load the page anew.
//
// Paths begin where the console does, in the program too: "/runs". The consoles of several firms are under paths of
// their own, so a template writes {{home}}/runs, and SeeOther puts the same in front of its path.
//
// # Several firms
//
// New also makes the console of a firm among several; the only difference is its door (Options.Door). People sign in
// once, at the frame of NewSeveral, which has their session and the page of firms. It passes a request to the console
// of a firm if the firm's own configuration gives that person a role in it. If not, it answers itself, as it does for a
// firm that does not exist. So no part of a firm's console has to guard against strangers, and no route can forget to.
// Behind the door the same session applies, with the role and jobs that the firm gives the person; forms carry a token
// of that firm. What concerns all firms (who is signed in, the audit of sign-ins) is on no firm's page.
//
// # A click does a thing once
//
// A form that starts a run says which run of the job its page showed as the last one, and a form that decides about a
// doubt says how many decisions its page showed. If that is no longer so, nothing is done, and the user must look at
// the page again. So a form that is sent twice, by an impatient hand, the back button or two people at once, does what
// it asks for once.
//
// Nothing here holds a lock of the ledger: the ledger makes sure that one run at a time pushes, whoever starts it.
package console
