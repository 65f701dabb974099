-- What a night on which little changes leaves behind. The words in braces are spelled by the engine, as in the first file; what
-- keeps epochs is the triggers of stamp.go.

-- How far what is known of a scope has come. A run that plans begins a new epoch, and whatever is learnt from then on is of
-- that epoch or a later one. What was found unchanged before the floor proves nothing any more.
create table epochs (
    scope       {exact} primary key,
    epoch       bigint not null,
    floor       bigint not null default 0
);
alter table known add column epoch bigint not null default 0; -- in which it was last written, whoever wrote it
create index known_by_epoch on known (scope, epoch);
alter table runs add column epoch bigint;                     -- that its plan began; null for none
{stamp}

-- Unchanged records, many in a row, which the runs of many nights share. A block is written once and never changed.
create table blocks (
    number      {identity},
    scope       {exact} not null,
    first_key   {exact} not null,          -- the least and the greatest of its keys
    last_key    {exact} not null,
    content     {bytes} not null
);
create index blocks_by_key on blocks (scope, first_key, last_key);

-- One row for each part of a block that stands in a run, with the seqs first_seq, first_seq + 1, …
create table stretches (
    run_no      bigint not null references runs (number) on delete cascade,
    first_seq   bigint not null,
    records     bigint not null,
    block       bigint not null references blocks (number),
    start       bigint not null,           -- index of its first record in the block, from 0
    shift       bigint not null,           -- what is added to the row numbers of the block
    primary key (run_no, first_seq)
) {clustered};
create index stretches_by_block on stretches (block, start);
