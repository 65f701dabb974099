// Package cluster has several processes, nodes, work on one ledger in PostgreSQL: one of them plans and leads, all of them send.
//
// # The ledger is the truth, River is the bell
//
// A run that is worth it is cut into shards of a few hundred to two thousand planned records (ledger.Cut). The node that leads the run rings for each of
// them: a job of River with ids alone (firm, run, shard, epoch), since arguments stand in clear in its table. Whichever node fetches the
// job takes the shard from the ledger (ledger.Take), sends it for up to sliceTime and gives it back. The job is not the right to
// send: the shard's epoch and lease are. So whatever River does is harmless. A job that comes twice, late, or after a rescue finds another
// epoch and is done; one that is lost is rung for again, because the leader compares what it has rung for with what the ledger says. A
// node fetches one job at a time from a queue, or one node would take everything, and so the limit of requests in flight (pace.concurrency) is
// each node's limit, and the number of doubts that its death can cause; see Firms for several queues.
//
// What River is used for is what it does well: it hands one job to one of many processes in milliseconds (listen and notify, skip locked),
// polls where a notification was lost, and keeps what was done. It is not used for three things, which the ledger does better:
//
//   - Its rescue goes by age, without a heartbeat, at the soonest after some 17 seconds and by default after an hour. A lease that each
//     commit renews tells a slow node from a dead one. The leader finds an expired lease and rings again; Take is the takeover, in one
//     transaction with the recovery of that range. RescueStuckJobsAfter only tidies up.
//   - Its periodic jobs live in the memory of its leader, and are not durable in the edition that is free. What is due has its
//     compare-and-swap in the ledger (importer/schedule), which knows of clocks that were set and of runs that were missed.
//   - Its elected leader leads nothing here. The node that schedules holds the lock "schedule" of the ledger, as `docketsync schedule`
//     does, and the node that leads a run the lock of its scope. Both die with the process's connection, so that the next node has them within
//     seconds; a second election would have to be kept in step with them.
//
// # Who does what
//
// The node with the lock "schedule" plans what is due, looks into the inboxes, and leads the runs of both, one at a time. All others wait
// for that lock, and send meanwhile. `docketsync schedule` is a cluster of one that does not ring: it holds the same lock, so nodes
// beside it wait.
//
// A run that a person starts, with `docketsync run` or in the console, is led by that process, which holds the lock of its scope as ever. If nodes are
// up, it is one of them while it sends (Guest). So the console's orders need no queue on the server: what takes long in them is sent by
// all, and who asked stays with the process that can tell how far it is, and stop it.
//
// The leader waits (Share) until no shard has anything left, and then sends as one process does what is left: what was set aside with 403. The
// limits of stop_after are looked at by each slice, from what the ledger says when it begins; so up to as many records as
// there are nodes, times the limit, may be refused alike before the run stops. Where a slice says that the run is to stop, all are called
// back. A run in the order of a date (mapping: order) is not cut: what is due soonest goes out first, which several nodes cannot keep to.
//
// # When a node dies
//
// One that only sends: its lease ends (the service's timeout and 15 seconds after its last commit), the leader rings, another node takes the
// shard. What it had in flight and may not be repeated is in doubt, and nothing else is.
//
// One that leads: the server frees its locks with its connections, the next node takes "schedule", finds the occurrence unfinished, and
// takes the run up as after any crash. For that it calls all shards back (ledger.Recover): the nodes finish what is in flight and give
// back, the dead one's lease has to end; then the rest is cut anew. The others stand still for that long, which is the price of one way of
// resuming a run for one process and for many.
//
// One that is frozen, or cut off from the database, keeps its connections in the eyes of the server. The waiting nodes see that nothing was
// heard on the connection of the lock for as long as a lease lasts, and have the server end it (ledger.Evict). When such a node
// comes back, its lease has ended by both of its clocks, so it sends nothing; its epoch is gone, so it writes nothing but the answers
// to its own requests, each of which settles the doubt that it caused.
//
// A node that led, was cut off, and is back before the next one has all its locks, takes those once more and hands the run over in good form.
// So whoever leads finds a file or a scope busy for a moment, and comes back to it after seconds.
//
// # When a node leaves
//
// Asked to leave (a signal, or Drain), a node fetches nothing more, finishes what is in flight, gives back its shard, releases its locks, and
// ends; nothing is in doubt. Who is there is known by a lock that all nodes share, each on a connection that bears its name (present.go): the
// server ends it with the process, where a table of nodes would have to be kept true. The last statement on it says the node's version and since when it
// runs (standing.go), for people who look. The request is a notification, which is repeated
// until the node is gone, as one that has just lost its connection does not hear it.
//
// Clocks do not matter: leases go by that of the database, and what is due is accounted for once, by whichever clock. River's
// jobs would wait for that of the node that inserted them, so they are given the database's (ring).
//
// When PostgreSQL is away, nothing new begins that needs an intent. Outcomes in hand are kept and committed when it is back
// (ledger.Outlast), if no other node has taken the shard by then.
//
// # Firms
//
// Nodes that serve many firms meet in a ledger of their own, and the slice says whose it is (ShareOf, Node.Firm): the node that fetches it opens the
// ledger of that firm for the slice alone. There is one queue for all firms, and one for each set of labels that firms demand; a queue for
// each firm would cost a question a second on each node. A node sends one part of each of its queues at the same time. What stands in River's table of a firm is its name; errors go to the log.
//
// Towards the service all nodes are one: they share its limit, its pauses and their session through the ledger's database. That is nothing
// of this package; see packages apiclient and pace.
package cluster
