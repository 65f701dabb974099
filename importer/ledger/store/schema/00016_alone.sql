-- A record that is safe to repeat is sent without an intent. A docketsync that does not know this would take what was under way when a
-- run was cut off for never sent, so it must not open this ledger any more. No table changes.
update runs set commits = commits where number < 0;
