-- What happened, as chains of entries: each run that sends has one, the ledger has one of its own. See package chain. The words in braces
-- are those of the first file. A docketsync that does not know this would leave out what it does, so it must not open this ledger any more.
create table evidence (
    run_no      bigint not null,           -- whose chain; 0 for the ledger's own
    number      bigint not null,           -- from 1
    kind        text not null,             -- what the entry is about, a word
    at          bigint not null,
    content     {bytes} not null,          -- operations, see chain.Op
    salts       {bytes} not null,          -- of their sums; zeros where what a sum is of was forgotten
    hash        {bytes} not null,          -- over the one before and all of this but the salts
    primary key (run_no, number)
);
-- One row: the head of the ledger's own chain.
create table evidence_head (
    number      bigint not null,
    hash        {bytes} not null
);
