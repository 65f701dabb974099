// Package daemon is what `docketsync schedule` does until it is stopped: it runs jobs when they are due and files when they arrive,
// one thing at a time, and between them prunes what retention no longer keeps.
//
// When a job is due, what becomes of an occurrence and how it is caught up is decided by importer/schedule, which keeps all of it in
// the ledger; how a job is run by runner, and a file of an inbox by arrivals. The daemon holds one ledger, open throughout, and the
// settings in use. A hangup has it read the configuration and all mappings anew: they are taken between two runs, as a whole and only
// when they are without mistakes.
//
// The turn between what is due and what arrives is this process's, a channel with one token, also on a node that leads: a plan reads what is known
// before it, so plans go one after the other, with River as without. A due or a file whose records another process is sending waits for that
// one's lock without the turn.
//
// People are told of missed runs (notices.go) as soon as that is known, but before the end of the job's next run is told: the last
// thing that people are told is what they go by. A ledger that cannot be reached at the start is waited for, since a process that is
// started again and again would tell people again and again.
//
// # Many firms
//
// Where the configuration names a folder of firms, one process, or the nodes of a cluster, serve all of them (fleet.go). A firm is a folder with a
// configuration, mappings and references to secrets, as it would be alone: every command works with --config firms/NAME/docketsync.yaml, and none
// needs to know of the others. Its ledger is the schema that is named like the folder. The configuration could have named it, but a folder that
// is copied to begin another firm would then have carried the schema of the first along, and the ids of one firm would have been sent for
// another. For the same reason no schema is ever made here: one that is missing is more likely a folder that was renamed than a new firm. The fleet
// has a ledger of its own, in which the nodes meet; a ledger of a firm may be in the same database or anywhere else.
//
// A firm costs nothing while nothing of it is due. One node leads (a lock in the fleet's ledger, taken by the next one when it ends, one for each set of
// labels that firms demand): it works out from the configurations when which firm is due, and looks into the inboxes, which needs no database.
// When something is due it visits the firm: it opens the ledger, has the scheduler run what is due and the inboxes what has arrived until there
// is nothing more, and closes it. So what keeps the account of a firm is its own ledger, by the same code as for one firm alone, and nothing
// about firms is kept elsewhere that would have to be kept in step. Nobody knows what a leader that died has left in the middle; the next one
// visits each firm once. Runs that the console starts are the console's, as for one firm.
//
// A firm that cannot be served (its configuration, schema, password) fails its visit and nothing else. It is named in the log, counted in the metrics,
// told about by the fleet's channels, visited again a minute later and when its files change, and not before, whatever arrives. Files are read at each visit: there is nothing to reload.
// A firm that is gone is the scan's to tell of: a visit cannot know whether its folder was removed or all of them are out of reach, as when a share is not
// mounted. Where no firm is left, none is given up.
// A scan asks for the files of all firms at once and waits a few seconds (look.go). A firm whose files do not answer takes no place until they do, and is told
// of when that lasts. Its configuration must be a regular file: opening a pipe would wait for whoever writes into it.
// A firm whose jobs wait as the clock is behind (package schedule) counts as one; each of its visits runs what has arrived. A clock that is behind the last
// visit has the firm visited at once, since the time of the next visit was worked out by the former clock.
//
// Fairness: a visit holds one of a few places. A run of more than a part (cluster.shardSize) is sent by all nodes and needs none meanwhile, so
// that nobody waits for the end of it. It needs a connection or eight, though, so there are a few places to lead as well; a large run that
// finds none gives way before it has sent anything, and waits for one. So small firms wait for planning, and for each other's last part, and
// large ones wait for large ones. Their parts go out in turn, one at a time from each node and queue. A run that waits is begun again whatever its
// catch_up says (schedule.Result), and a due that was noticed in time is not late because there was no place. A run whose records another process is
// sending gives its place back as well, and the firm is visited again after a minute. So does a run that no node can send, as its folder is gone or its
// configuration broken: the next visit finds out which.
//
// This does not hold where a run is not shared: with one process (docketsync schedule), and for mappings with order:. Such a run keeps its place
// however long it takes, and where all places are taken by such runs every other firm waits.
//
// Labels are read before each visit and each part (package firms). While they cannot be read the firm stays where it was.
//
// It imports firms, runner, arrivals, installation and terminal.
package daemon
