// Package daemon is what `docketsync schedule` does until it is stopped: it runs jobs when they are due and files when
// they arrive, one thing at a time, and between them prunes what retention no longer keeps.
//
// importer/schedule decides when a job is due, what becomes of an occurrence and how it is caught up, and keeps all of
// it in the ledger; runner runs a job, and arrivals a file of an inbox. The daemon holds one ledger, open throughout,
// and the settings in use. On SIGHUP it reads the configuration and all mappings anew: they take effect between two
// runs, as a whole, and only if they have no mistakes.
//
// Turns between what is due and what arrives are taken within this process, with a channel that holds one token, also
// on a node that leads: a plan reads what is known before it, so plans are made one after the other, with River as
// without. A due or a file whose records another process is sending waits for that process's lock without holding the
// turn.
//
// People are told of missed runs (notices.go) as soon as they are known, and before they are told of the end of the
// job's next run, because people act on the last message. If the ledger cannot be reached at the start, the daemon
// waits for it: a process that is started again and again would tell people again and again.
//
// # Many firms
//
// If the configuration names a folder of firms, one process, or the nodes of a cluster, serve all of them (fleet.go). A
// firm is a folder with a configuration, mappings and references to secrets, as if it were alone: every command works
// with --config firms/NAME/docketsync.yaml, and none needs to know of the others. Its ledger is the schema that has the
// name of the folder. The configuration could have named the schema, but then a folder copied to begin another firm
// would have carried the schema of the first along, and the ids of one firm would have been sent for another. For the
// same reason no schema is ever created here: if one is missing, the folder was more likely renamed than new. The fleet
// has a ledger of its own, in which the nodes meet; the ledger of a firm may be in the same database or anywhere else.
//
// A firm costs nothing while it has nothing due. For each set of labels that firms demand, one node leads (by a lock in
// the fleet's ledger, which the next node takes when it ends): it works out from the configurations when each firm is
// due, and looks into the inboxes, which needs no database. When something is due, it visits the firm: it opens the
// ledger, lets the scheduler run what is due and the inboxes what has arrived until there is nothing more, and closes
// it. So a firm's own ledger accounts for everything, with the same code as for one firm alone, and nothing about firms
// is stored elsewhere that would have to be kept in step. Nobody knows what a leader that died left unfinished; the
// next one visits each firm once. Runs that the console starts are the console's, as for one firm.
//
// A firm that cannot be served (its configuration, schema or password is wrong) fails its visit and nothing else. The
// log names it, the metrics count it, and the fleet's channels report it. It is visited again a minute later and when
// its files change, but not when something arrives. Files are read at each visit, so there is nothing to reload.
//
// Only the scan finds that a firm is gone: a visit cannot know whether one folder was removed or all are out of reach,
// for example because a share is not mounted. If no firm is left, the scan keeps them all.
//
// A scan asks for the files of all firms and waits a few seconds (look.go). A firm whose files do not answer, and not in
// twice the time that they took before, takes no place until they do, and is reported if that lasts. Its configuration must be a regular file, because
// opening a pipe would wait until somebody writes into it.
//
// A firm whose jobs wait because the clock is behind (package schedule) counts as one that cannot be served, but each
// of its visits runs what has arrived. If the clock is behind the last visit, the firm is visited at once, because the
// time of its next visit was computed by the former clock.
//
// Fairness: a visit holds one of a few places. A run of more than a part (cluster.shardSize) is sent by all nodes and
// needs no such place in the meantime, so nobody waits for its end. But it needs some eight connections, so there are
// also only a few places to lead; a large run that finds none gives way before it has sent anything, and waits for one.
// So small firms wait for planning, and for each other's last part, and large ones wait for large ones. Their parts go
// out in turn, one at a time from each node and queue. A run that waits is begun again whatever its catch_up says
// (schedule.Result), and a due that was noticed in time does not count as late because there was no place. A run whose
// records another process is sending gives its place back as well, and the firm is visited again after a minute. So
// does a run that no node can send, because its folder is gone or its configuration broken: the next visit finds out
// which.
//
// This does not hold if a run is not shared: with one process (docketsync schedule), and for mappings with order:. Such
// a run keeps its place however long it takes, and if such runs take all places, every other firm waits.
//
// Labels are read before each visit and each part (package firms). While they cannot be read, the firm stays where it
// was.
//
// It imports firms, runner, arrivals, installation and terminal.
package daemon
