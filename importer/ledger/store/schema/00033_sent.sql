-- The indexes of what was sent and is not settled, with their quickest condition first: nearly every record that is written fails it, and
-- SQLite asks the conditions in the order in which they stand.
drop index records_unsettled;
drop index records_unsure;
create index records_unsettled on records (scope, key) where sent_at is not null and (state = 'failed' or state = 'held' or state = 'planned' or state = 'refused');
create unique index records_unsure on records (scope, key) where sent_at is not null and state in ('sending', 'in_doubt');
