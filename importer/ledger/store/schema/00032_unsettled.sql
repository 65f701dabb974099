-- The same index with its states one by one: of a list of more than two, SQLite makes a table anew for every row that is written, to look
-- the state up in it, which was a quarter of what it took to settle a record. Queries have to name them in the same way to find it.
drop index records_unsettled;
create index records_unsettled on records (scope, key) where (state = 'failed' or state = 'held' or state = 'planned' or state = 'refused') and sent_at is not null;
