// Package ledger is docketsync's durable memory: runs, the records they planned, every attempt to send one, and what
// the service is known to hold. The service offers no read, so the ledger is the only way to know what was sent.
//
// # The life of a record
//
//	planned → sending → accepted | refused | failed | in_doubt
//	rejected, unchanged and in_doubt may also be decided while planning; held is what a stopped run leaves unsent
//
// A push takes two durable steps. Before the first byte of a request leaves, its record is committed as sending (an
// Intent). After the answer is judged, its Outcome is committed. If the process dies in between, the record is left as
// sending, which means that the service may have acted on the request. Recover then plans again what may be repeated
// and leaves the rest in doubt until a person says what became of it (Resolve). The ledger refuses every other
// transition, and also an intent for a key of which another record is being sent or in doubt. So no mistake of a caller
// can send such a record a second time.
//
// A record that is safe to repeat needs no intent of its own: the plan is durable, and so is the fact that its run is
// pushing. Its Outcome says when it was sent, and takes it out of planned at any time soon after; nobody waits for
// that. If the process dies, every such record without an outcome counts as possibly sent (Recover): what is known of
// its key is unsettled, so that A → B → A stays right, and it is sent again. The ledger accepts such an outcome only
// for repeatable records.
//
// # Who may send what
//
// A run that is pushed is divided into shards, which are ranges of its records: a single one if one process pushes the
// run, or many, which any node may take (Cut, Take, GiveBack). A process that takes a shard gets an epoch that is new
// in this run, and a lease, by the database's clock, for as long as a request may take and 15 seconds more. Each commit
// of intents and outcomes adds to a count in the shard's row under that epoch and renews the lease, in the same
// transaction. If the row has another epoch by then, the commit is refused (ErrTakenOver).
//
// Taking over is one transaction too: it writes the next epoch and does what Recover does, for that range. So a process
// that was taken for dead, because it was frozen or cut off, writes nothing more. Nor does it send: before each request
// MaySend checks the lease, by the monotonic clock and the wall clock, and no request begins if the lease may be too
// short for it. What was under way is in doubt, and nobody sends it again. If the answer comes after all, it settles
// the doubt that this very request has caused.
//
// A shard that is all of a run is held under the lock of the run's scope. The lock dies with its process, so nobody has
// to wait for the end of the lease: whoever holds the lock may Recover the run. Shards of nodes are not held under that
// lock. Recover asks for them back and waits for them, or for the end of their leases. All this is the same for one
// process and many, and for both engines. It costs no further writes, since each commit updated the count in a row
// already.
//
// # Locks and epochs
//
// Each transaction relies on some locks of its process, or on none, and says which (store.Writer.DoUnder):
//   - A transaction about a part of a run (Commit, Renew, Take, GiveBack) relies on no lock. It compares the epoch in
//     the part's row, and a process that takes over writes another epoch into that row, so one of the two comes first.
//     A leading node may lose its lock because another node was the first to take it after the server restarted. It
//     still settles what it has in flight, and sends for as long as MaySend allows.
//   - A transaction about a run that one process sends whole relies only on the lock of the run's scope: without it
//     nothing of the run is sent and no intent is committed. The epoch fences the row too, because the new holder of
//     the lock may not have called Recover yet. The answers to requests that had begun are written on the epoch alone.
//     A process that takes over the run raises the epoch, in the same row, before anything is decided about the run's
//     records; after that, an answer settles the doubt about its own request, as with parts. A new holder that has not
//     called Recover has decided nothing that an answer could upset.
//   - Every other transaction relies on all locks of the process. A leading process does these under each of its locks.
//
// Whatever ends a connection may also have ended the connections that hold the locks. So before the first transaction
// on a new connection, the locks that it relies on are checked, and taken again if they are free. A lock that another
// process has is lost for good. If another process took a lock and gave it back in between, unnoticed, this process
// holds the lock again, and only the epoch guards what was held under it. The same goes for a process that lost a lock
// for good and takes it for another run, while its earlier push has not ended. Therefore a push under a lock that was
// just taken, or taken again, asks the ledger before its next request, and so does a push that was under way before a
// Recover. If the run was taken over, the ledger refuses the request. Recover fails until the earlier push has ended.
//
// Each new connection asks which server it is on, and so does every sender every 15 seconds, whatever its right: a part
// must not be sent either from a server that took over without everything that was acknowledged.
//
// Commits that rely on locks and commits of parts each have a lane of their own: neither lane waits for the other or is
// stopped by a failure in it. All whole runs of a process share one lane. A run that has lost its lock for good, or was
// taken over, is left out of it, and the others go on. While it is not yet known whether a lock can be had again, they
// wait; if that takes longer than an outage may (Outlast), they stop too.
//
// # Why there is no journal
//
// Calls that are committed together are a group, and every group is written into the tables themselves. An earlier
// release first wrote it as one narrow row of a journal, and wrote a few hundred of these into the tables later. Since
// records that are safe to repeat wait for no commit, the journal helped only creates. For these it was measured
// against the tables (BenchmarkPush of package importer, medians of five rounds on two busy processors, relative to a
// bare loop of net/http, with what was written to the disk for each record):
//
//	creates                  journal          tables           lines of code
//	20 ms, 8 workers         0.78, 15 KB      0.85, 29 KB      journal 690 (and 750 of tests)
//	20 ms, 32 workers        0.66,  6 KB      0.75, 12 KB      tables    0
//	0 ms, 32 workers         0.36,  4 KB      0.31,  7 KB
//
// With latency the tables are not slower, though the journal writes half as much. For that it had a format of its own,
// readers that had to fold it before each query, and a memory of what was certainly possible. A file of framed entries
// beside the database would be no faster than the bound of the same benchmark, a loop that flushes one line before each
// request; it would need all of the above, and two files that agree after a crash. With the tables, the process need
// not know what is possible: their statements and unique indexes alone decide what may be sent, in SQLite as in
// PostgreSQL. If a journal of the earlier release still holds anything, that is written into the tables when the ledger
// is opened.
//
// Half of the time of a flush had another cause: the log reserved its room in writes of 1 MiB (see Engine.Reserve of
// package sqlite).
//
// # What is known
//
// What the service is known to hold (LastAccepted) is keyed by scope and key, across runs and jobs. The scope is the
// operation (or what the mapping names instead); the key is the record's natural key. An accepted outcome replaces what
// is known. So the same input sends nothing the second time, and A → B → A sends both changes. Keys are compared byte
// by byte: whatever is to count as the same key must be made the same before it comes here.
//
// A doubt belongs to a request that was sent. While it lasts, later runs store their records of that key as in doubt
// too, without sending them. Such a record is only an echo: it is not listed as work to be done, and when the doubt is
// settled it becomes failed, so that the next run decides again by what is known then.
//
// If a later update was sent and not accepted, what is known is unsettled: the service may hold the old or the new, so
// neither counts as unchanged until one of them is accepted. All of this is true of one service only, whose name the
// ledger keeps (Service).
//
// The ledger takes a key that changed in the export for a new one. Whether it is a new key of what is known under
// another is a question (Rename) that the plan asks and a person answers. What is known then moves from the old key to
// the new one.
//
// # Nights on which nothing changes
//
// The export of most nights is that of the night before. A record that is unchanged, and of which there is nothing more
// to say (Record.Unremarkable), has no row of its own: package unchanged stores it in little room. Records, Record,
// RecordByKey, RecordsAt, History, Tally and Vanished include such records, so that callers need not know;
// UnchangedRecords yields them alone. The next run need not look such records up (Baseline).
//
// # What is durable when
//
// Begin, SaveRun, SaveOccurrences, SetService, Commit, Recover, Hold, Release and Resolve are on disk when they return.
// What the first pass writes (Add, Replace, Stage) is not waited for. It survives a crash of the process; a loss of
// power may cost the newest of it, but never something older than what is kept, because both engines write one log in
// order. SaveRun at the end of the pass makes all of it durable. A pass that did not get there is thrown away and made
// again.
//
// # Growing old
//
// What is sent, rejected or noted leaves a row for each record and night. Prune removes those of old runs. Backup
// copies an SQLite ledger while runs go on, and Compact returns the room of what was pruned to the disk. For a
// PostgreSQL ledger, the server's own tools do both.
//
// A ledger that was restored from an older copy does not know what was sent since. It is not used to send until
// somebody says so (AcceptRestore); highwatermark.go says how it is noticed. If the ledger and its marks came from the
// same backup, for example because a whole machine was restored from a file copy, this cannot be detected.
//
// If the disk is read-only or full, OpenView reads a copy, log included, and writes nothing beside the ledger.
//
// # Memory
//
// Nothing here grows with the number of records. Up to 100,000 keys of which something was learnt since the last run
// are held. Lists that may be long are iterators. They read page by page and hold neither rows nor a transaction
// between two pages, so the caller may write while it reads, and SQLite's log can be folded back into the file. Groups
// finds the rows of a key by an index instead of sorting or keeping them.
//
// # Where things are
//
// This package is what sends: commit.go and group.go take the calls of workers together, transition.go says which state
// may follow which, settle.go writes outcomes, pushes.go and shards.go say who may send what, recover.go has what
// follows a crash, and resolve.go how a doubt ends. It also opens a ledger (open.go, view.go) and maintains it
// (lock.go, highwatermark.go, upkeep.go). Everything else has a package below it:
//
//	model        runs, records, states: the vocabulary, whose names are those of this package too (names.go)
//	handle       what all of them are built on: the wall between jobs, transactions and the evidence that they leave
//	bundle       payloads and cells, compressed
//	unchanged    records that are as they were the night before
//	history      what reports, pages and plans read
//	planning     what the first pass writes
//	decisions    what people decided, and what they are asked
//	evidence     whether the tables say what was put down when they were written; chain has the entries
//	occurrences  when jobs were due, and what people were notified of
//	search       records by what people know them by
//	forget       how a client is forgotten
//	prune        how runs grow old
//	store        the database: connections, schema and migrations; sqlite and postgres are its engines
//	fault        what can be wrong with a ledger as a whole
//
// Each of these knows the handle and the packages that it is built on, and none knows this package. Reader and Ledger
// embed their readers and writers, so a caller need not know where a method lives.
//
// Groups of repeatable records are flushed too, though nobody waits for them. High-water marks count what was
// committed, and if a mark were ahead of its ledger after a loss of power, the ledger would look like an older copy.
//
// # Two engines
//
// SQLite, in one file beside the user's other files, is for one machine (package sqlite). PostgreSQL is for a firm that
// wants its ledger on a server (package postgres). Both run the same SQL text through one connection that writes and a
// few that read (package store, which also has the schema and its migrations), and both pass the same conformance
// suite.
//
// A PostgreSQL server gets all statements of a group at once and answers once (store.Tx.Together). With creates at 20
// ms on two busy processors that raised its rate from 0.52 to 0.63 of SQLite's with 8 workers, and from 0.70 to 0.91
// with 32. If nothing has to be asked first, the whole transaction is one exchange (store.Writer.AtOnce): each
// statement refuses what the process would have checked between begin and commit, and a group that is refused is tried
// again step by step, which finds out why. All nodes that send a run wait for the run's row when they write an entry of
// its chain. They no longer hold the row during an exchange, so the wait is 0.1 ms instead of 0.7: four nodes with
// creates at 20 ms on two busy processors send 1.12 times as much. Package fault says what can be wrong with a ledger
// as a whole.
//
// Lock keeps two runs of one name apart, across processes: with SQLite by a lock on a file beside the database, with
// PostgreSQL by an advisory lock on a connection of its own. Leases do not replace the advisory lock: the server frees
// the lock of a dead process at once, but a lease would have to end first. Neither outlives its process. A process that
// loses that connection has lost the lock, and commits nothing that relies on it until it holds the lock again; see
// Outlast.
package ledger
