// Package importer carries a job from its source to the service: plan, push, settle.
//
// Where a mapping has its columns prove how their dates are written, all rows are read once for that before the first pass, and
// a column that proves nothing stops the run: see Importer.Proven.
//
// A row travels source → mapping → plan → ledger (intent) → apiclient → ledger (outcome) → report. The run makes two
// passes. The first reads, maps and plans everything into the ledger, so that a bad file is known before the first
// request and the plan survives the process; the second pushes what was planned. The states of a record, as the ledger
// stores them:
//
//	                  ┌──────────────── released, when it is resumed ─────────────┐
//	                  ▼                                                           │
//	row(s) ──► planned ──► sending ──► accepted      the service said yes          │
//	  │           │           │ ├────► refused       the service said no           │
//	  │           │           │ ├────► failed        not done, tried again ────────┤
//	  │           │           │ ├────► in_doubt      nobody knows: waits for a person
//	  │           └───────────┴─┴────► held ──────────────────────────────────────┘
//	  ├──► rejected                    no payload came of it, with every reason; or the service refused just that before
//	  ├──► unchanged                   the service already holds it
//	  └──► in_doubt                    an earlier run left this key in doubt
//
// sending is the state that matters. For a record that is not safe to repeat, it is committed before the first byte of a request
// leaves; a process that dies finds its records there when it starts again. They become in_doubt, and no run of docketsync ever
// sends them again until a person has said what became of them. What is repeatable goes from planned to its outcome, and is
// sent again after a crash. At most as many records
// as there are workers can be in that state, because a worker commits the intent for one record only when it has the
// outcome of the one before. A record that is turned away with 403 may be one that the user may not touch, or the first of
// all: it is held, and when nothing has stopped the run, planned once more behind all others. If none gets in then either, and none did
// since the first of them, it is the sign-in, and they stay held.
//
// Between the two passes stand the guards. The first pass keeps with the run what its export was like as a whole: rows, records,
// what each column holds, a sum over its keys. A pure function, guard.Limits.Fire, compares that with the last finished run of the
// job, and a run that differs too much is stopped with all of it held. It is never resumed: whoever lets it through has
// the job planned anew, and only the same guards with the same numbers on the same input pass. That word is committed with
// the plan, so a run that is interrupted later is resumed without another one. A run of corrected rows is no export: it is neither
// guarded nor a measure for the next.
//
// Before anything of a run is sent, an update whose record somebody else has changed in the service since docketsync last updated it is
// held, where a list of the service tells that (conflicts.go, package conflict), also of a run that is resumed. The list is read
// again when it is old while a run sends from one process; nodes send by what was read before. What it tells of the planned records stands in
// the ledger meanwhile. What people have decided about such records is carried out when
// the plan is made, so that a dry run shows it.
//
// Names are turned into ids by tables that are whole before the first row is read: files, lists of the service, and what
// the ledger knows. Their content is part of a run's fingerprint, so an interrupted run is resumed only while they
// are the same. What became of a record in doubt may show in a list of the service; Inquiry decides what that proves.
//
// Most records of most nights are as they were. The first pass goes through the last run of its job beside the export, and a
// record of the same key and payload of which nothing was learnt since is unchanged, as it was then: it is not looked up, keeps
// neither payload nor cells, and is written as a part of what the last run wrote (ledger.Baseline). What deviates in any
// way, has a note, or stands where it is not expected is looked up and decided. Records of one key are put together when all have been
// read, because quiet ones are in no index.
//
// A record to be created whose content is that of one that is not in the export, has another row there now, or is in doubt, but for the key,
// may be that one. It is rejected until a person has said so or not (ledger.Rename), because a second case cannot be taken back.
//
// Whether a record is sent at all is decided by a pure function, Decide, from the mapped payload and what the ledger
// knows; whether a failed request may be sent again is decided by another, apiclient.Judge. Everything else here only
// carries out what those two say.
//
// # How fast it is
//
// Each of these is measured beside what it is compared with, in one run and with processes of their own, because a figure of one machine
// says little of another:
//
//	go test ./importer -run '^$' -bench Push -benchtime 3x          a push, beside a bare loop of net/http
//	go test ./importer -run '^$' -bench EndToEnd -benchtime 3x      the command from its start to its end, beside a plain Go worker
//	go test ./importer -run '^$' -bench '(Plan|Check)/200000$'      the first pass, beside a plain Go program that maps the same file
//	go test ./importer -run '^$' -bench PlanRepeated/10000$         a plan of marks that share their numbers, five by five
//	go test ./importer -run '^$' -bench 'Report|Night/1000000$'     the report as a share of its run; a night on which nothing changed
//
// Processor time says more than the rate where others use the machine as well, as they did for these (two processors; 32 workers where
// something is sent; a plan or check is of one CSV file of 27 columns, of which 14 fields of a mark are mapped, with its report):
//
//	                                              processors, µs/record      memory
//	push of safe updates, bare loop of net/http   67
//	                      docketsync              151, at 0.53 of the rate
//	50,000 marks at once, end to end              233                        145 MB
//	32,000 marks at 20 ms, plain worker           104
//	                       docketsync             278, 1.6 times as long     168 MB
//	plan of 200,000                               51                         140 MB
//	check of 1,000,000                            22                         119 MB
//	plan of 20,000, numbers shared five by five   190
//
// Of what a push takes above the bare loop, the ledger has 39 µs a record (settling 33, reading what is next 6), the client 13. Of the
// 53,000 instructions of SQLite in settling (sqlite3_step under valgrind --tool=callgrind, in groups of 800) the trigger that stamps epochs
// has 5,000, the index of what is planned 4,000, that of bundles among what is known 1,000. They stay, for what they are there for: a person with
// a database's own tools cannot leave an epoch out; a run is resumed without reading all of it; a prune does not look through all that is
// known. An index whose condition had a list of four states, not one by one, took 19,000 more (migration 32).
//
// Written to the disk for each record, at 20 ms: 1.9 KB with 8 workers, since outcomes wait for others for up to 200 ms; creates 12 KB with 32. A
// group goes to the disk at once, with a page of 4 KB or more of each table and index that it writes, and the log has 33 MB of room.
//
// Of the 29 µs of a plan's first pass, mapping had 10 (6 of them MapInPlace), writing 10 (8 of them SQLite), deciding 3, reading 2, the
// collector 1 to 2, and 1 was work beside which nothing else runs. On two idle processors check of 200,000 takes 2.5 s and plan 5.2 s. Tried and
// left: reading the source in a goroutine ahead of the mapping cost an eighth more and gained no time, since every row has to be copied; a
// profile for the compiler made a third more garbage in a check; records in the order of their primary key (without rowid) and no index of
// what is planned could not be told from noise. Payloads are not taken apart to be written again, the plan is read once for all kinds of
// change, groups that share a number are read and written together, and the report compares no words of notes: all that took a third of a plan
// and of a check, and most of a plan of marks that share their numbers.
//
// To measure it again: the benchmarks above, which give the ratio to a plain program in time and in processor time; and
// /usr/bin/time -v docketsync plan --quiet in an installation of such a job, for the memory.
package importer
