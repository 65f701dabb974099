-- What records are found by. It is made of the records of runs that are over, and can be made again at any time.
create table terms (
    term        {exact} not null,          -- small letters and digits alone, from the beginning of a word
    scope       {exact} not null,
    key         {exact} not null,
    field       text not null,             -- where it stands: key, id, a field of the payload, or cell
    primary key (term, scope, key, field)
) {clustered};

-- How far the terms of a run have been written.
create table searched (
    run_no      bigint not null primary key references runs (number) on delete cascade,
    ended_at    bigint not null,           -- when the run had ended then: one that was gone on with has more to say
    seq         bigint                     -- up to which record; null when all are done
);
