// Package importer carries a job from its source to the service: plan, push, settle.
//
// If a mapping infers the date format of its columns, all rows are read once for that before the first pass. A column
// from which nothing can be inferred stops the run: see rows.Walk.InferDates.
//
// A row travels source → mapping → plan → ledger (intent) → apiclient → ledger (outcome) → report. The run makes two
// passes. The first reads, maps and plans everything into the ledger, so that a bad file is known before the first
// request and the plan survives the process. The second pushes what was planned. The states of a record, as the ledger
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
// sending is the state that matters. A record that is not safe to repeat is committed as sending before the first byte
// of its request leaves. If the process dies, the next start finds the record there and sets it to in_doubt. No run
// sends it again until a person has said what became of it. A worker commits the intent for a record only when it has
// the outcome of the one before, so at most as many records as there are workers can be in doubt. A repeatable record
// goes straight from planned to its outcome, and is sent again after a crash.
//
// A record that gets a 403 may be one that the user may not touch, or the first sign that the sign-in is refused. It is
// held. If nothing else has stopped the run, it is planned once more behind all others. If again none of these gets in,
// and no other record has since the first of them, the sign-in is at fault and they stay held.
//
// The guards stand between the two passes. The first pass stores a profile of the export with the run: rows, records,
// what each column holds, a sum over its keys. A pure function, guard.Limits.Fire, compares it with that of the job's
// last finished run. A run that differs too much is stopped, with all its records held, and is never resumed. To let it
// through, a person has the job planned again, and only the same guards with the same numbers on the same input pass.
// That consent is committed with the plan, so if the run is interrupted later it is resumed without another one. A run
// of corrected rows is not an export: most guards do not apply to it, and the next run is not compared with it.
//
// Before a run sends anything, even a resumed one, it holds each update of a record that somebody else has changed in
// the service since docketsync last updated it, if a list of the service shows that (conflicts.go, package conflict). A
// run that sends from one process reads the list again when its last reading is old; the nodes of a cluster go by the
// first reading. The ledger keeps what the list says of the planned records meanwhile. What people have decided about
// such records is applied when the plan is made, so a dry run shows it.
//
// Lookup tables turn names into ids. They are complete before the first row is read, and come from files, lists of the
// service, and what the ledger knows. Their content is part of a run's fingerprint, so an interrupted run is resumed
// only while they are the same. A list of the service may show what became of a record in doubt; package inquiry
// decides what that proves.
//
// Most nights most records are unchanged. The first pass therefore reads the job's last run beside the export. A record
// with the same key and payload, of which nothing was learnt since, is unchanged again: it is not looked up, keeps
// neither payload nor cells, and is stored as a reference to what the last run wrote (ledger.Baseline). A record that
// deviates in any way, has a note, or is not where it is expected is looked up and decided. Records of one key are
// merged when all have been read, because unchanged ones are in no index.
//
// A record to be created may be an earlier record under a new key: its content is, but for the key, that of a record
// that is no longer in the export, whose key has another row now, or that is in doubt. It is rejected until a person
// has decided (ledger.Rename), because a second case cannot be taken back.
//
// Two pure functions make the decisions. decide.Decide says from the mapped payload and what the ledger knows whether a
// record is sent at all. apiclient.Judge says whether a failed request may be sent again. Everything else here carries
// out what they say.
//
// # How fast it is
//
// Each of these is measured beside what it is compared with, in one run and in processes of its own, because a figure
// from one machine says little about another:
//
//	go test ./importer -run '^$' -bench Push -benchtime 3x          a push, beside a bare loop of net/http
//	go test ./importer -run '^$' -bench EndToEnd -benchtime 3x      the command from its start to its end, beside a plain Go worker
//	go test ./importer -run '^$' -bench '(Plan|Check)/200000$'      the first pass, beside a plain Go program that maps the same file
//	go test ./importer -run '^$' -bench PlanRepeated/10000$         a plan of marks that share their numbers, five by five
//	go test ./importer -run '^$' -bench 'Report|Night/1000000$'     the report as a share of its run; a night on which nothing changed
//
// These are of two idle processors (AMD EPYC), with 32 workers when something is sent. A plan or check reads one CSV
// file of 27 columns and maps 14 fields of a mark. Where others use the machine too, processor time says more than the
// rate:
//
//	                                               processors, µs/record      memory
//	push of safe updates, bare loop of net/http    29
//	                      docketsync               59, at 0.61 of the rate
//	                      docketsync, 20 ms        at 0.995 of the rate
//	creates at 20 ms, beside a loop that flushes   at 0.96 of the rate
//	200,000 marks at once, plain worker            29
//	                       docketsync              85, 2.2 times as long      150 MB
//	32,000 marks at 20 ms, plain worker            60
//	                       docketsync              150, 1.06 times as long    141 MB
//	1,000,000 marks at once                                                   139 MB
//	plan of 200,000                                122,000 records/s          46 MB of heap
//	check of 1,000,000                             167,000 records/s          32 MB of heap
//	plan of 10,000, numbers shared five by five    18,000 records/s
//	report of 100,000 updates sent at once         0.14 of the run's, 0.11 of its time
//
// Of what a push costs above the bare loop, the ledger takes two thirds and the client a quarter. Settling costs SQLite
// 53,000 instructions a record (sqlite3_step under valgrind --tool=callgrind, in groups of 800). Of these the trigger
// that stamps epochs takes 5,000, the index of planned records 4,000, and the index of bundles among the known records
// 1,000. They stay: with the trigger, a person who uses a database's own tools cannot leave an epoch out; with the
// indexes, a run is resumed without reading all of it and a prune does not search all known records. An index whose
// condition was a list of four states, instead of a comparison with each, took 19,000 more (migration 32).
//
// Each record writes 2 KB to the disk at 20 ms with 8 workers, since outcomes wait up to 200 ms for others; a create
// writes 33 KB. A group goes to the disk at once, with at least one page of 4 KB for each table and index that it
// writes, and the log has 33 MB of room.
//
// What holds the plan up is its one writer: SQLite is half of it. What holds a push up at 0 ms is that docketsync, the
// service and the system share two processors.
//
// What was tried and dropped: a profile for the compiler made a third more garbage in a check; storing records in the
// order of their primary key (without rowid), dropping the index of planned records, and another gzip for report.csv made
// no measurable difference; one statement a record settles more slowly than one for fifty; twice as many threads as
// processors (GOMAXPROCS) made a push a twentieth faster and the whole command no faster.
// What was tried and kept: payloads are not parsed to be written again, the plan is read once for all kinds of change,
// groups that share a number are read and written together, and the report does not compare the words of notes.
//
// The memory of a whole command: /usr/bin/time -v docketsync plan --quiet, in an installation with such a job.
package importer
