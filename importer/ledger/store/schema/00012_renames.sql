-- Keys that may be new ones of records that the service holds already: nothing is created under them until a person has said
-- which it is. The words in braces and the times are those of the first file.

-- One row for each pair of a new key and one that it may have taken the place of.
create table renames (
    scope       {exact} not null,
    key         {exact} not null,          -- the new one
    former      {exact} not null,          -- the one that vanished when it came
    asked_at    bigint not null,
    decision    text not null,             -- '' while nobody has decided, same, new
    who         text not null,
    decided_at  bigint,
    primary key (scope, key, former)
);
create index renames_open on renames (scope, key) where decision = '';
