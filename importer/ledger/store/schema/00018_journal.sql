-- Outcomes and intents are written into the tables at once. What an earlier docketsync has left in its journal is read under another
-- name, so that one that is still up commits nothing more.
alter table journal rename to former_journal;
