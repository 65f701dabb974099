-- What somebody else has changed in the service, where its lists tell: an update of such a record is held until a person has said whose
-- values are to stand. The words in braces and the times are those of the first file.

-- What a list tells of the records that a run updates; emptied when they have been compared.
create table listed (
    run_no      bigint not null references runs (number) on delete cascade,
    id          {exact} not null,          -- of the record in the service
    changed_at  text not null,             -- as the list has it, '' for none
    changed_by  text not null,
    fields      text not null,             -- JSON object: what it tells of the record, under the names of the payload
    primary key (run_no, id)
) {clustered};

-- When and by whom a record was last changed, as the list had it after an update of ours. It counts while that is what was accepted last.
create table stamps (
    scope       {exact} not null,
    key         {exact} not null,
    run_no      bigint not null,           -- the run in which that update was accepted
    changed_at  text not null,
    changed_by  text not null,
    primary key (scope, key)
) {clustered};

-- One row for each record of which an update was held, and what was decided about it.
create table conflicts (
    scope       {exact} not null,
    key         {exact} not null,
    run_no      bigint not null,           -- where it was held last
    seq         bigint not null,
    why         text not null,             -- changed, unknown
    changed_at  text not null,
    changed_by  text not null,
    theirs      text not null,             -- JSON object, as fields of listed
    ours        text not null,             -- JSON, the payload as mapped
    digest      text not null,             -- of it
    found_at    bigint not null,
    decision    text not null,             -- '' while it is open, ours, theirs
    fields      text not null,             -- JSON list of those that are theirs, [] for all
    who         text not null,
    note        text not null,
    decided_at  bigint,
    primary key (scope, key)
) {clustered};
