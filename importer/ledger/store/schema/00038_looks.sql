-- When a record in doubt was first looked for in the lists of the service, by the ledger's own clock: what sent it may have had another one. The
-- words in braces are those of the first file.
create table looks (
    run_no      bigint not null references runs (number) on delete cascade,
    seq         bigint not null,
    sent_at     bigint not null,           -- of the record: when it is sent once more, it is looked for anew
    at          bigint not null,
    primary key (run_no, seq)
) {clustered};
