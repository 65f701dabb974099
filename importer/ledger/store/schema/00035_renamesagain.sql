-- A key may be a new one of the same record more than once, as when it was changed, changed back and changed again: each time is a question of
-- its own, and what was decided before stays. The words in braces and the times are those of the first file.
alter table renames rename to former_renames;
create table renames (
    scope       {exact} not null,
    key         {exact} not null,          -- the new one
    former      {exact} not null,          -- the one that vanished when it came
    asked_at    bigint not null,
    decision    text not null,             -- '' while nobody has decided, same, new
    who         text not null,
    decided_at  bigint,
    primary key (scope, key, former, asked_at)
);
insert into renames select scope, key, former, asked_at, decision, who, decided_at from former_renames;
drop table former_renames;
create unique index renames_open on renames (scope, key, former) where decision = '';
