// Package inbox takes files out of a folder that others put them into, one after the other, so that each is run whole
// and once.
//
// Whoever fills the folder knows nothing of us: files are written slowly, renamed into place, replaced, deleted. So we
// rely on polling (network shares send no events; Hint only saves waiting). A file counts as arrived when its size and
// time have held still for a while, it is complete as far as its format shows, and its marker is there if one was
// agreed on. A program's own scratch file (.x, ~$x, x.part, x.tmp …) is never looked at. Links, pipes and devices are
// never opened.
//
// # The life of a file
//
//	in the folder ──rename──► ticket ──seal──► run ──► archive/2024/03/<run>-<name>
//	      ▲                     │               │└───► rejected/<name>, <name>.reason.txt
//	      └──────written to─────┴───────────────┘
//
// A ticket is a folder inside .docketsync, which is inside the watched folder and so on the same filesystem: the rename
// is one step, and from then on nobody can replace the file while it is read. If it is another filesystem after all,
// the file is copied, compared and then removed. There is one ticket at a time, and the next file waits for it; that
// keeps the order.
//
// After a rename, a program that has the file open can still write to it, and a copy may stall for longer than a file
// has to hold still. So the file has to hold still once more in its ticket before the ticket is sealed with size, time
// and SHA-256, and whoever puts the file away compares again (ErrChanged). If the file was written to in the meantime,
// its ticket loses the seal and the file goes back into the folder, to be judged anew; if a newer file has its name, it
// waits in its ticket. A run takes seconds, so a file is also watched in the archive, for Patience and as long as the
// process lives, and comes back if it grew there (Found.Back). The next run sends nothing that this run has sent.
//
// That requires a filesystem on which a file can be given a name without overwriting another (a hard link). If a file
// was copied from another filesystem, its writer goes on writing to what was removed, and nobody can see that.
//
// # Files of changes
//
// If each file holds only changes, a record that failed, is in doubt or was held is in no later file. So such a file is
// kept in its ticket and run again, which sends only what is missing, until everything in it is in, settled or
// rejected. The files behind it wait, because they may hold newer values of the same records. To stop waiting, move the
// file out of its ticket.
//
// # After a crash
//
// Everything is on disk, including since when an incomplete file has been waited for, and each step leaves a state from
// which the next Poll resumes:
//
//	a ticket without a file         was never filled, or is done with: removed, its marker given back if it was not sealed
//	a ticket without a seal         is watched until it holds still, as a file in the folder would be
//	a sealed ticket, never run      is handed out again, under the same path: an interrupted run is resumed
//	a sealed ticket that was run    the ledger knows a finished run that read this very path and content: it is archived,
//	                                unless each file holds changes and the run left something open
//
// # The same file twice
//
// A file with the same content as that of the job's last finished run is put away as a duplicate. Only the last run
// counts: an export that is A, then B, then A again means that something was changed back, and both changes have to be
// sent. A file is no duplicate either if something did not go in with the last run, or a mapping, lookup or setting has
// changed since: sending the same file again is how to get that in, and a run that finds nothing to send costs no
// request.
package inbox
