// Package ledger is docketsync's durable memory: runs, the records they planned, every attempt to send one, and what the
// service is known to hold. The service offers no read, so the ledger is the only way to know what was sent.
//
// # The life of a record
//
//	planned → sending → accepted | refused | failed | in_doubt
//	rejected, unchanged and in_doubt may also be decided while planning; held is what a stopped run leaves unsent
//
// The protocol of a push is two durable steps. Before the first byte of a request leaves, its record is committed as
// sending (an Intent); after the answer is judged, its Outcome is committed. A process that dies in between leaves the
// record as sending, which says exactly this much: the request may have been acted on. Recover then plans again what may
// be repeated and leaves the rest in doubt, until a person says what became of it (Resolve). The ledger itself refuses
// every other way through the states, and an intent for a key of which another record is under way or in doubt: no
// mistake of a caller can send such a record a second time.
//
// A record that is safe to repeat needs no intent of its own: the plan is durable, and so is that its run is pushing. Its Outcome
// says when it was sent and takes it out of planned, at any time soon after; nobody waits for that. When the process dies, every such
// record without an outcome counts as one that may have been sent (Recover): what is known of its key is unsettled, so that A → B → A
// stays right, and it is sent again. The ledger takes such an outcome of no other record.
//
// # Who may send what
//
// A run that is pushed is divided into shards, ranges of its records: one, where one process pushes it, or many, which any node takes
// (Cut, Take, GiveBack). Whoever takes a shard gets an epoch that nobody had before in this run, and a lease, by the database's clock, of
// as long as a request may take and 15 seconds more. Each commit of intents and outcomes counts in the shard's row under that epoch, and
// renews the lease, in its own transaction; where the epoch is another one by then it is refused (ErrTakenOver). Taking over is one
// transaction as well: the next epoch, and what Recover does, for that range. So a process that was taken for dead, because it was
// frozen or cut off, writes nothing any more. Nor does it send: before each request MaySend asks the lease, by the monotonic clock and by
// that on the wall, and no request begins for which it may be too short. What was under way then is in doubt, and nobody
// sends it again; if the answer comes after all, it settles the doubt that this very request has caused.
//
// A shard that is all of a run is had under the lock of the run's scope, which dies with its process, so nobody has to wait for the end of
// its lease: whoever holds that lock may Recover the run. Shards of nodes are not had under it; Recover asks for them back
// and waits for them, or for the end of their leases. That is one way with one process as with many, and with both engines; it costs
// nothing that was not written before, since each commit counted in a row already.
//
// # On what right it is written
//
// Each transaction relies on some locks of its process, or on none, and says so (store.Writer.DoUnder):
//
//   - What is about a part of a run (Commit, Renew, Take, GiveBack) relies on no lock. The part's row has its epoch, which the transaction compares, and
//     whoever takes over writes another one into that row: one of the two comes first. So a node that lost the lock by which it leads, because
//     another one was the first to take it when the server had been restarted, settles what it has in flight and sends on for as long as MaySend allows.
//   - What is about a run that one process sends whole relies on the lock of the run's scope, and on no other: without it nothing of such a run is
//     sent, and no intent committed. Its row is fenced by the epoch as well, since who has the lock by then may not have called Recover yet. The answers to
//     requests that had begun are written on the epoch alone: whoever takes up the run raises that, in the same row, before anything is
//     decided about its records, and then an answer settles the doubt about its own request, as with parts; who has the lock and has not called Recover has
//     decided nothing that an answer could upset.
//   - All else relies on all locks of the process: who leads does so under each of them.
//
// What ends a connection may have ended those that hold the locks. So before the first transactions on a new connection the locks that they rely on are asked
// for, and taken again where they are free; one that another process is found to have is lost for good. One that another
// process took and gave back in between, unnoticed, is held again: only the epoch guards what was had under it. So it is where this process lost a
// lock for good and takes it anew for another run while what it sent before has not ended. So what is sent under a lock that is taken, or taken again, asks
// the ledger before its next request, as what was sent before a Recover does, and that refuses it; and Recover fails until the former one has ended. Which server it is, each new
// connection is asked, and before what is sent every 15 seconds too, whatever the right: a part is not sent either from one that took over without all
// that was acknowledged.
//
// Commits that rely on locks have a lane of their own, and so have those of parts: neither waits for the other, or is stopped by what fails in the other.
// All whole runs of a process share the one lane: one that has lost its lock for good, or was taken over, is left out of it, and the others go on. While it is
// not known yet whether a lock can be had again they wait for that, and stop with it where it takes longer than an outage may (Outlast).
//
// # Why there is no journal
//
// Calls that are committed together are a group, and every group is written into the tables themselves. An earlier release put it down
// as one narrow row of a journal first and wrote a few
// hundred of them into the tables later. Since records that are safe to repeat wait for no commit, that served creates alone, and
// there it was measured against the tables (BenchmarkPush of package importer, medians of five rounds on two busy processors, as
// parts of a bare loop of net/http, and what was written to the disk for each record):
//
//	creates                  journal          tables           lines of code
//	20 ms, 8 workers         0.78, 15 KB      0.85, 29 KB      journal 690 (and 750 of tests)
//	20 ms, 32 workers        0.66,  6 KB      0.75, 12 KB      tables    0
//	0 ms, 32 workers         0.36,  4 KB      0.31,  7 KB
//
// With latency the tables are not behind; the journal writes half as much. For that it had a format of its own, readers that had to
// fold before each query, and a memory of what was certainly possible. A file of framed entries beside the database would be
// no faster than the bound of the same benchmark, a loop that flushes one line before each request, and would have needed all of that and two
// files that agree after a crash. What the tables refuse, nobody has to know: their statements and unique indexes alone decide what may be
// sent, in SQLite as in PostgreSQL. What a journal of the earlier release still holds is written into the tables when the ledger is opened.
//
// Half of a flush was something else: the log's room was made in writes of 1 MiB (see Engine.Reserve of package sqlite).
//
// # What is known
//
// What the service is known to hold (LastAccepted) is keyed by scope and key, across runs and jobs: the scope is the operation
// (or what the mapping names instead), the key is the record's natural key. An accepted outcome replaces it; so the
// same input sends nothing the second time, and A → B → A sends both changes. Keys are compared byte by byte: whatever
// is to count as the same key must be made the same before it comes here.
//
// A doubt belongs to a request that was sent. While it lasts, later runs write their records of that key down as in
// doubt too, without sending them; such a record is only an echo. It is not listed as work to be done, and when the
// doubt is settled it becomes failed, so that the next run decides anew by what is known then.
//
// An update that was sent later and did not end in a yes leaves what is known unsettled: the service may hold the old or
// the new, so neither counts as unchanged until one of them is accepted. All of it is true of one service only, whose
// name the ledger keeps (Service).
//
// A key that changed in the export is a new one as far as the ledger can tell. Whether it is a new key of what is known under
// another is a question (Rename) that whoever plans asks and a person answers; what is known then goes from the one to the other.
//
// # Nights on which nothing changes
//
// The export of most nights is that of the night before. A record that is unchanged, and of which there is nothing more to
// say (Record.Unremarkable), has no row of its own: package unchanged keeps it, for little. Records, Record, RecordByKey, RecordsAt,
// History, Tally and Vanished put such records among the others, so that nobody need know; UnchangedRecords yields them alone. The next run need not
// look such records up (Baseline).
//
// # What is durable when
//
// Begin, SaveRun, SaveOccurrences, SetService, Commit, Recover, Hold, Release and Resolve are on disk when they return. What the first pass writes (Add, Replace, Stage) is not waited for: it lasts through a crash of
// the process, and a loss of power may cost the newest of it, but never something older than what is kept, because both engines
// write one log in order. SaveRun at the end of the pass makes all of it durable; a pass that did not get there is thrown away
// and made anew.
//
// # Growing old
//
// What is sent, rejected or noted leaves a line for each record and night, and Prune takes those of old runs away. Backup copies an SQLite ledger while
// runs go on, Compact gives the room of what was pruned back to the disk; of a PostgreSQL ledger, the server's own tools do both.
//
// A ledger that is put back from an older copy does not know what was sent since. It is not used to send until somebody says so (AcceptRestore); how it
// is noticed, highwatermark.go says. If the ledger and its marks came from the same backup, as when a whole machine is put back from a file copy, this
// cannot be detected.
//
// On a disk that takes nothing any more, read-only or full, OpenView reads a copy, log included, and writes nothing beside
// the ledger.
//
// # Memory
//
// Nothing here grows with the number of records; of keys that something was learnt of since the last run, up to 100,000 are held.
// Lists that may be long are iterators; they read page by page and hold
// neither rows nor a transaction between two pages, so that whoever reads may write, and SQLite's log can be folded back
// into the file. Groups finds the rows of a key by an index rather than by sorting or by keeping them.
//
// # Where things are
//
// This package is what sends: commit.go and group.go take the calls of workers together, transition.go says which state may follow which,
// settle.go writes outcomes, pushes.go and shards.go say who may send what, recover.go has what follows a crash, resolve.go how a doubt
// ends. It opens a ledger (open.go, view.go), and keeps it (lock.go, highwatermark.go, upkeep.go). What else there is to a ledger has a room:
//
//	model        runs, records, states: the vocabulary, whose names are those of this package too (names.go)
//	handle       what all rooms are built on: the wall between jobs, transactions and the evidence that they leave
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
// A room knows the handle and the rooms that it is built on, and no room knows this package. Reader and Ledger embed what the rooms read and
// write, so that whoever holds one need not know where a method lives.
//
// Groups of repeatable records are flushed as well, though nobody waits for them: high-water marks count what was committed, and one that
// is ahead of its ledger after a loss of power would say that the ledger is an older copy.
//
// # Two engines
//
// SQLite, in one file beside the user's other files, is for one machine (package sqlite); PostgreSQL for a firm that wants its ledger
// on a server (package postgres). Both run the same SQL text through one connection that writes and a few that read (package store, which
// has the schema and its migrations too); both are held to the same conformance suite. Of a group, a server is sent all statements at
// once and answers once (store.Tx.Together): with creates at 20 ms on two busy processors that took it from 0.52 to 0.63 of SQLite's
// rate with 8 workers, and from 0.70 to 0.91 with 32. Where nothing has to be asked before, that is one exchange for the whole transaction (store.Writer.AtOnce):
// each statement refuses what the process would have looked at between begin and commit, and a group that is refused is tried again step by step,
// which finds out why. All nodes that send a run wait for its row when they write an entry of its chain; they have it for no exchange any more, and
// wait 0.1 instead of 0.7 ms for it: four nodes with creates at 20 ms on two busy processors send 1.12 times as much. What can be
// wrong with a ledger as a whole is package fault.
//
// Lock keeps two runs of one name apart, across processes: with SQLite by a lock on a file beside the database, with
// PostgreSQL by an advisory lock on a connection of its own. Leases have not made it needless there: the server frees the lock of a dead
// process at once, where a lease would have to end first. Neither outlives its process. A process that loses that
// connection has lost the lock, and commits nothing more of what relies on it until it holds the lock again; see Outlast.
package ledger
