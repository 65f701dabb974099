-- Who may send which part of a run, while it is pushed: a range of its records, and until when by the database's clock. Whoever takes a
-- range gets a number that nobody had before him in this run (epoch), and each commit of his names it, so that one who was taken for dead
-- writes nothing any more. A docketsync that does not know this would commit beside it, so it must not open this ledger any more.
create table shards (
    run_no      bigint not null references runs (number) on delete cascade,
    first_seq   bigint not null,
    last_seq    bigint not null,
    epoch       bigint not null,
    node        text not null,                -- who has it, '' for nobody
    under_lock  boolean not null,             -- it is had together with the lock of the run's scope, and lost with that
    lease_until bigint,                       -- null where it was given back, with all that was sent of it settled
    recalled    boolean not null default false, -- it is to be given back
    done        boolean not null default false, -- nothing of it is left to send
    commits     bigint not null default 0,    -- as of runs, beside those
    stop_code   text not null default '',     -- why the run is to stop
    stop        text not null default '',
    primary key (run_no, first_seq)
);
-- The last epoch that was given.
alter table runs add column fence bigint not null default 0;
