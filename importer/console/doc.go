// Package console is the web console: the pages on which the people of a firm see what docketsync did, and settle what needs attention. This
// package puts the rooms together and serves them; each room is one subject.
//
//   - signin: who may come in, and who is signed in. It knows no page.
//   - web: the frame around every page: routes and roles, the request, security headers, the layout, refusals, the audit, and what pages read.
//   - queue: runs that people ask for, one at a time, and how far a run is.
//   - jobs: the pages of today, of jobs, and of their runs.
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
// Imports run one way: signin ← web ← records, comparison ← jobs ← wizard, signin ← web ← access, manual, nodes, setup, firms; queue and upload import no page. A room of pages
// declares the work that it does beyond reading the ledger as its interface Work, which is implemented where the commands are implemented.
//
// # A page
//
// Pages are made on the server and work without a script. A page is
//
//   - a function from a request to an answer, whose dependencies are the fields of Pages of its room; one about a run, a job or an
//     upload, which its path names, is given that by web.Of;
//   - a template pages/NAME.html of the room that defines "content", and may define parts that are also asked for alone;
//   - a line in AddTo of its room, and, if it stands in the menu, one in menu (console.go).
//
// It answers with r.Show(NAME, title, view), with r.Fragment(NAME, part, view) for a part that a script asks for, or with
// r.SeeOther(path, notice) after a post; or it returns an error: web.Refuse(status, what happened, what to do) for what cannot be had, any
// other for trouble of the machine. In a template the view is .View, and {{template "token" $}} stands in every form. The policy of the
// pages forbids style attributes and scripts in them; all styles are in web/assets. An element with data-poll="/path" is filled
// anew with what that path answers as a fragment (console.js); such a path is added with Poll instead of Get, so that an open page does not
// keep somebody signed in. A fragment that holds an element with data-reload makes the browser load the page anew.
//
// Paths begin where the console does, also in the program: "/runs". Several firms have their consoles under paths of their own, so a template writes
// {{home}}/runs, and SeeOther puts the same before its path.
//
// # Several firms
//
// The console of a firm among several is made by New as any other; what differs is its door (Options.Door). People sign in once, at the frame of NewSeveral, which
// has their session and the page of firms. It leads a request to the console of a firm when the firm's own configuration gives that person a role
// in it, and answers itself when not, as it does for a firm that is not there. So nothing of a firm has to guard itself against strangers, and no route can forget to. Behind
// the door the same session counts, as a person of the role and jobs that the firm gives; forms carry a token of that firm. What is of all firms (who is signed in, the
// audit of sign-ins) is on no page of any.
//
// # A click does a thing once
//
// A form that asks for a run says which run of the job its page showed as the last one, and one that decides about a doubt how many
// decisions its page showed: when that is no longer so, nothing is done, and the page is to be looked at again. So a form that is sent
// twice, by an impatient hand, the back button or two people at once, does what it asks for once.
//
// Nothing here holds a lock of the ledger: that one run at a time pushes is the business of the ledger, whoever asks.
package console
