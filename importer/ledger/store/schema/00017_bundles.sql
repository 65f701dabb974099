-- What planned records hold beside their rows: payloads, bodies and the cells of their sources, of some dozens of records together and
-- compressed. The words in braces are those of the first file; {numbered} is a primary key that the ledger numbers itself.
create table bundles (
    number      {numbered},                -- the run's number and its own in the run, see bundle.go
    records     bigint not null,           -- how many records it holds something of
    content     {bytes} not null
);
alter table records add column bundle bigint;    -- in which payload, body, previous and cells are; null where they stand in the row
alter table known add column bundle bigint;      -- in which the payload is, that of the record bundle_seq; null where it stands in the row
alter table known add column bundle_seq bigint;
create index known_by_bundle on known (bundle) where bundle is not null;
