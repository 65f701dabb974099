-- The schema of the ledger, the same text for SQLite and PostgreSQL. Words in braces are spelled by the engine:
-- {identity} is a primary key that the database numbers and never uses twice; {exact} is text that is compared byte by
-- byte; {clustered} keeps the rows of a table in its primary key. Times are microseconds since 1970, UTC. Columns that
-- hold JSON are text, so that every byte comes back as it was.

-- One row for each execution of a job.
create table runs (
    number      {identity},
    id          {exact} not null unique,   -- UUID version 7
    job         {exact} not null,
    kind        text not null,             -- run, plan, check
    operation   text not null,
    scope       {exact} not null,
    phase       text not null,             -- reading, ready, pushing, finished, stopped
    stop        text not null,             -- why it was stopped, a sentence
    stop_code   text not null,
    fingerprint text not null,
    sources     text not null,             -- JSON list of files and sheets
    counts      text not null,             -- JSON account of the rows
    notes       text,                      -- JSON
    started_at  bigint not null,
    ended_at    bigint
);
create index runs_by_job on runs (job, number);

-- One row for each record of a run.
create table records (
    run_no      bigint not null references runs (number) on delete cascade,
    seq         bigint not null,           -- order in the run, from 1
    scope       {exact} not null,
    key         {exact} not null,          -- '' when the record has none
    action      text not null,             -- none, create, update
    state       text not null,             -- planned, sending, accepted, refused, failed, in_doubt, rejected, unchanged, held
    digest      text not null,
    payload     text,                      -- JSON as mapped
    body        text,                      -- JSON as sent, where it differs
    previous    text,                      -- JSON last accepted before
    repeatable  boolean not null,
    source_rows text not null,             -- JSON list of [source, row number] or [source, row number, cells]
    reasons     text,                      -- JSON list
    notes       text,                      -- JSON list
    entries     text,                      -- JSON list of goods and services entries without id
    service_id  text not null,
    status      bigint not null,           -- HTTP status of the last answer, 0 for none
    message     text not null,
    attempts    bigint not null,
    sent_at     bigint,                    -- when the last intent to send it was committed
    settled_at  bigint,
    primary key (run_no, seq)
);
-- A run has a key once.
create unique index records_by_key on records (run_no, key) where key <> '';
-- What is left to send; empty for a run that changes nothing.
create index records_planned on records (run_no, seq) where state = 'planned';
-- What was sent and may or may not have been acted on; always small. No key has two such records, so that nothing is sent
-- while the fate of an earlier request for the same thing is open.
create unique index records_unsure on records (scope, key) where state in ('sending', 'in_doubt') and sent_at is not null;
-- What was not sent because an earlier record of its key is in doubt.
create index records_echoes on records (scope, key) where state = 'in_doubt' and sent_at is null;
-- What was sent and did not end in a yes: the service may hold it or not.
create index records_unsettled on records (scope, key) where state in ('failed', 'held', 'planned', 'refused') and sent_at is not null;

-- One row for each request that was made.
create table attempts (
    run_no      bigint not null,
    seq         bigint not null,
    number      bigint not null,           -- from 1
    started_at  bigint not null,
    duration_us bigint not null,
    status      bigint not null,
    verdict     text not null,
    error       text not null,
    answer      text not null,             -- beginning of the body
    primary key (run_no, seq, number),
    foreign key (run_no, seq) references records (run_no, seq) on delete cascade
) {clustered};

-- What the service is known to hold, across runs.
create table known (
    scope       {exact} not null,
    key         {exact} not null,
    digest      text not null,             -- of the payload last accepted, '' when only the id is known
    payload     text,
    service_id  text not null,             -- '' when the service did not say
    entries     text,
    run_no      bigint not null,           -- the run that it was accepted in, which is never removed
    accepted_at bigint not null,
    primary key (scope, key)
);

-- Rows set aside until all rows of their record are known; emptied when the plan is whole.
create table staged (
    run_no      bigint not null references runs (number) on delete cascade,
    place       bigint not null,           -- order in which they were read
    key         {exact} not null,
    source      bigint not null,
    row_number  bigint not null,
    cells       text,
    primary key (run_no, place)
);
create index staged_by_key on staged (run_no, key, place);

-- What people decided about records in doubt.
create table decisions (
    run_no      bigint not null,
    seq         bigint not null,
    number      bigint not null,           -- from 1
    decision    text not null,             -- exists, absent, leave
    service_id  text not null,
    who         text not null,
    note        text not null,
    decided_at  bigint not null,
    primary key (run_no, seq, number),
    foreign key (run_no, seq) references records (run_no, seq) on delete cascade
);

-- Which service this ledger is about, one row once anything was sent.
create table service (
    name        {exact} not null primary key
);
