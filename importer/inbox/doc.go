// Package inbox takes files out of a folder that others put them into, one after the other, so that each is run whole and
// once.
//
// Whoever fills the folder knows nothing of us: files are written slowly, renamed into place, replaced, deleted. So
// polling is the truth (network shares send no events; Hint only saves waiting), and a file counts as arrived when its
// size and time have held still for a while, it is complete as far as its format can tell, and its marker is there if
// one was agreed on. A name that is a program's own scratch (.x, ~$x, x.part, x.tmp …) is never looked at. Links, pipes and devices
// are never opened.
//
// # The life of a file
//
//	in the folder ──rename──► ticket ──seal──► run ──► archive/2024/03/<run>-<name>
//	      ▲                     │               │└───► rejected/<name>, <name>.reason.txt
//	      └──────written to─────┴───────────────┘
//
// A ticket is a folder inside .docketsync, which is inside the watched folder and so on the same filesystem: the rename is
// one step, and from then on nobody can replace the file while it is read. Where it is another filesystem all the same,
// the file is copied, compared and then removed. There is one ticket at a time; the next file waits for it, which is what
// keeps the order.
//
// A rename does not stop a program that has the file open from writing on, and a copy may stall for longer than a file has
// to hold still for. So the file has to hold still once more in its ticket before that is sealed, with size, time and
// SHA-256, and whoever puts it away compares again (ErrChanged). What was written to meanwhile loses its seal and goes back
// into the folder, to be judged anew; where a newer file has its name, it waits in its ticket. A run takes seconds, so a
// file is looked at in the archive as well, for Patience and as long as the process lives, and comes back when it grew there
// (Found.Back). Of what a run has sent, the next one sends nothing.
//
// That takes a filesystem on which a file can be given a name without writing over another (a hard link). Where a file was
// copied from another filesystem, its writer goes on with what was removed, and nobody can see that.
//
// # Files of changes
//
// What failed of a file of changes, or is in doubt or held, is in no later one. So such a file is kept in its ticket and run again until all of
// it is in, settled or rejected, which sends only what is missing. Those behind it wait, as they may hold newer values of the same records. Whoever
// is done waiting moves the file out of its ticket.
//
// # After a crash
//
// All that is known is on the disk, since when an incomplete file is waited for too, and each step leaves a state that the next Poll
// resumes from:
//
//	a ticket without a file         was never filled, or is done with: removed, its marker given back if it was not sealed
//	a ticket without a seal         is watched until it holds still, as a file in the folder would be
//	a sealed ticket, never run      is handed out again, under the same path: an interrupted run is resumed
//	a sealed ticket that was run    the ledger knows a finished run that read this very path and content: it is archived,
//	                                unless each file holds changes and the run left something open
//
// # The same file twice
//
// A file whose content is that of the job's last finished run is put away as a duplicate. Only the last one counts: an
// export that is A, then B, then A again says that something was changed back, and both changes have to be sent. Nor does a
// run of which something did not go in, or one of another mapping, lookup or setting: the same file once more is how to have
// that sent, and a run that finds nothing to send costs no request.
package inbox
