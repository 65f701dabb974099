-- How many intents and outcomes of a run were ever committed. A ledger that says less than its witness, or than the process that
-- pushes the run, has lost some; one that says more was written by somebody else.
alter table runs add column commits bigint not null default 0;
