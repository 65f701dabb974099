-- What the upkeep of a ledger leaves behind. The words in braces and the times are those of the first file.

-- A run that was pruned. Records up to prune_seq are done, all of them when it is null.
alter table runs add column pruned_at bigint;
alter table runs add column prune_seq bigint;
alter table runs add column removed text; -- JSON list: how many records were removed, by action and state

-- One row in a ledger that was written as a backup, until somebody has accepted it in place of the one that it is a copy of.
create table backups (
    taken_at    bigint not null
);
