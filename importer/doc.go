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
// Push, updates that are safe to repeat, at once and with 32 workers, medians of five rounds before and of two since. What a record takes
// of the processors says more than the rate where others use the machine as well, as they did for these (two processors). Before is
// the version in which each request had a row of its own and a push no floor of the heap:
//
//	                     processors, µs/record      rate, of the bare loop
//	bare loop            67                         1
//	docketsync, before   193                        0.33
//	docketsync           151                        0.53
//
// In a profile of that push, of what it takes above the bare loop the ledger has 39 µs a record (settling 33, reading what is next 6), the
// client 13. What settling takes in SQLite has become less since; it is counted in instructions, because the clock and the processors
// tell little where a machine has many times more work than it can do (sqlite3_step under valgrind --tool=callgrind, for 2,400 records of a
// planned ledger in groups of 800: the statements that settle ordinary outcomes and write what is known, in the shell of SQLite 3.40):
//
//	                                                              instructions, thousands/record
//	an index whose condition had a list of four states            72
//	the states one by one (migration 32)                          53
//	without the trigger that stamps epochs, tried                 48
//	without the index of what is planned, tried                   49
//	without the index of bundles among what is known, tried       52
//
// What was only tried stays, for what it is there for: a person with a database's own tools cannot leave an epoch out; a run is resumed
// without reading all of it; a prune does not look through all that is known.
//
// Written to the disk for each record, at 20 ms and 8 workers, one round by turns: 2.9 KB before outcomes waited for others for up to 200 ms
// instead of 100, and 1.9 KB since. Creates wrote 29 KB there, and 12 KB with 32 workers. The 33 MB of room for the log are 10 and 3 KB of that, as
// the pushes were of 3,200 and 12,800 records; the rest is that a group goes to the disk at once, with a page of 4 KB or more of each
// table and index that it writes.
//
// End to end, with 32 workers on the same machine, one round of each but for three before:
//
//	                                                   processors, µs/record      memory
//	50,000 marks at once: docketsync, before           272                        198 MB
//	                      docketsync                   233                        145 MB
//	32,000 marks at 20 ms: docketsync                  278                        168 MB, 1.6 times as long as the worker
//	                      plain worker                 104
//
// # Plan and check
//
// One CSV file of 27 columns, of which 14 fields of a mark are mapped, into a ledger on disk that knows nothing of them, the command as a
// whole with its report and what it prints. Before and after ran by turns in one run; the machine was used by others, so that only
// processor time says something. Before is the version that took payloads apart to write them again, and read the plan once for each kind of change:
//
//	                                 processors, µs/record      memory
//	plan of 200,000, before          79                         138 MB
//	plan of 200,000                  51                         140 MB
//	check of 1,000,000, before       36                         144 MB
//	check of 1,000,000               22                         119 MB
//
// On two idle processors check of 200,000 takes 2.5 s (3.2 s of processor time) and plan 5.2 s (8.0 s); check of 1,000,000 takes 17 µs of
// processor time a row and 119 MB. To read the source in a goroutine ahead of the mapping was tried: it cost an eighth more and gained no time,
// since every row has to be copied.
//
// Of the first pass alone (the benchmarks Plan and Check of 200,000, medians by turns), a record has since come from 30.9 to 28.0 µs of processor time
// in a plan and from 19.5 to 16.9 in a check, and from 17.9 to 15.5 µs of the clock in a plan while the machine was idle. Of a plan's 29 µs before, mapping
// had 10 (6 of them MapInPlace), writing 10 (8 of them SQLite), deciding 3, reading 2, the collector 1 to 2, and 1 was work beside which
// nothing else runs. Tried and left, because nothing changed that could be told from noise: a profile for the compiler, which made a third
// more garbage in a check; records in the order of their primary key (without rowid); no index of what is planned.
//
// A plan of 20,000 marks of which five each share an application and a registration number, with its report, takes 190 µs of processor time
// a record: 1,430 when each group was read and written by itself, and 530 when the report compared the words of the notes.
//
// To measure it again: the benchmarks Plan and Check above, which give the ratio to a plain program in time and in processor time; and
// /usr/bin/time -v docketsync plan --quiet in an installation of that job, for the memory.
package importer
