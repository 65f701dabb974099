// Package cluster lets several processes, nodes, work on one ledger in PostgreSQL: one of them plans and leads, all of
// them send.
//
// # The ledger is the truth, River is the bell
//
// A run that is large enough is cut into shards of a few hundred to two thousand planned records (ledger.Cut). The node
// that leads the run rings for each shard: it inserts a River job that holds only ids (firm, run, shard, epoch),
// because arguments are in clear text in River's table, and digests of the settings that decide what is sent (Settings):
// a node with others gives the shard back. Whichever node fetches the job takes the shard from the ledger
// (ledger.Take), sends it for up to sliceTime and gives it back. The right to send is not the job but the shard's epoch
// and lease, so whatever River does is harmless. A job that comes twice, late, or after a rescue finds another epoch
// and ends. A job that is lost is rung for again, because the leader compares what it has rung for with the ledger. A
// node fetches one job at a time from a queue; otherwise one node would take everything. So the limit of requests in
// flight (pace.concurrency) is each node's limit, and also the number of doubts that its death can cause; see Firms for
// several queues.
//
// River is used for what it does well: it hands one job to one of many processes within milliseconds (listen and
// notify, skip locked), polls in case a notification was lost, and keeps what was done. It is not used for three things
// that the ledger does better:
//
//   - Its rescue goes by age, without a heartbeat: after 17 seconds or so at the earliest, and after an hour by default. A lease that each commit
//     renews tells a slow node from a dead one. The leader finds an expired lease and rings again; Take is the takeover, in one transaction
//     with the recovery of that range. RescueStuckJobsAfter only tidies up.
//   - Its periodic jobs live in the memory of its leader, and are not durable in the free edition. For what is due, the ledger has a
//     compare-and-swap (importer/schedule), which copes with clocks that were set and with runs that were missed.
//   - Its elected leader leads nothing here. The node that schedules holds the lock "schedule" of the ledger, as `docketsync schedule`
//     does, and the node that leads a run holds the lock of its scope. Both locks end with the process's connection, so the next node has them
//     within seconds; a second election would have to be kept in step with them.
//
// # Who does what
//
// The node with the lock "schedule" plans what is due, looks into the inboxes, and leads the runs of both, one at a
// time. All others wait for that lock, and send in the meantime. `docketsync schedule` is a cluster of one that does
// not ring: it holds the same lock, so nodes beside it wait.
//
// A run that a person starts, with `docketsync run` or in the console, is led by that process, which holds the lock of
// its scope as always. If nodes are up, the process acts as one of them while it sends (Guest). So orders from the
// console need no queue on the server: all nodes send their long parts, and the order stays with the process that can
// show its progress and stop it.
//
// The leader waits (Share) until no shard has anything left, and then sends alone what is left: the records that were
// set aside with 403. Each slice checks the limits of stop_after when it begins, from what the ledger says. So before
// the run stops, as many records may be refused for the same reason as there are nodes, times the limit. If a slice
// says that the run must stop, all shards are called back. A run in the order of a date (mapping: order) is not cut:
// what is due soonest must go out first, which several nodes cannot guarantee.
//
// # When a node dies
//
// A node that only sends: its lease ends (the service's timeout and 15 seconds after its last commit), the leader
// rings, and another node takes the shard. Requests that were in flight and may not be repeated are in doubt, and
// nothing else is.
//
// A node that leads: the server frees its locks with its connections, the next node takes "schedule", finds the
// occurrence unfinished, and resumes the run as after any crash. For that it calls all shards back (ledger.Recover):
// the nodes finish what is in flight and give their shards back, and the dead node's lease has to end; then the rest is
// cut anew. The others stand still for that long. That is the price of having one way to resume a run, for one process
// and for many.
//
// A node that is frozen, or cut off from the database, keeps its connections as far as the server knows. The waiting
// nodes see that nothing was heard on the connection of the lock for as long as a lease lasts, and have the server end
// it (ledger.Evict). When such a node comes back, its lease has ended by both its clock and the server's, so it sends
// nothing; its epoch is gone, so it writes nothing but the answers to its own requests, each of which settles the doubt
// that it caused.
//
// A node that led, was cut off, and is back before the next node has all its locks, takes them once more and hands the
// run over in good order. So whoever leads may find a file or a scope busy for a moment, and tries again seconds later.
//
// # When a node leaves
//
// When it is asked to leave (by a signal or Drain), a node fetches nothing more, finishes what is in flight, gives back
// its shard, releases its locks, and ends; nothing is in doubt. Nodes are known by a lock that all of them share, each
// on a connection that bears its name (present.go): the server ends the connection with the process, whereas a table of
// nodes would have to be kept true. The last statement on it holds the node's version and since when it runs
// (standing.go), for people who look. The request to leave is a notification. It is repeated until the node is gone,
// because a node that has just lost its connection does not hear it.
//
// Clocks do not matter: leases go by the database's clock, and what is due is accounted for once, by whichever clock.
// River's jobs would wait for the clock of the node that inserted them, so they are given the database's time (ring).
//
// When PostgreSQL is away, nothing new begins that needs an intent. Outcomes in hand are kept and committed when it is
// back (ledger.Outlast), if no other node has taken the shard by then.
//
// # Firms
//
// Nodes that serve many firms meet in a ledger of their own, and the slice says whose it is (ShareOf, Node.Firm): the
// node that fetches it opens the ledger of that firm only for the slice. There is one queue for all firms, and one for
// each set of labels that firms demand; a queue for each firm would cost each node one query a second. A node sends one
// part of each of its queues at the same time. River's table holds nothing of a firm but its name; errors go to the
// log.
//
// To the service, all nodes are one: they share its limit, its pauses and their session through the ledger's database.
// This package has no part in that; see packages apiclient and pace.
package cluster
