create table if not exists meta (
  name  text primary key,
  value blob not null
) strict, without rowid;

create table if not exists cases (
  seq         integer primary key,
  id          text not null,
  number      text not null,
  first_number text not null, -- as the case was created
  name        text not null,
  active      integer not null,
  template    text not null,
  owner       text not null,
  status      text not null,
  client      text not null,
  supervisors text not null, -- JSON
  tags        text not null, -- JSON
  components  text not null, -- JSON, null before the first update
  folder      text not null,
  trademark   text not null, -- the one whose update made the case
  origin      text not null, -- the operation that made the case
  created_by  text not null,
  created_at  integer not null, -- microseconds
  updated_by  text not null,
  updated_at  integer not null  -- microseconds
) strict;
create unique index if not exists cases_by_id on cases (id);
create index if not exists cases_by_number on cases (number);
create index if not exists cases_by_first_number on cases (first_number);
create index if not exists cases_by_folder on cases (folder) where folder <> '';

create table if not exists folders (
  seq        integer primary key,
  id         text not null,
  name       text not null,
  client     text not null,
  created_by text not null,
  created_at integer not null -- microseconds
) strict;
create unique index if not exists folders_by_id on folders (id);
create index if not exists folders_by_name on folders (name);

create table if not exists trademarks (
  seq        integer primary key,
  id         text not null,
  mark_text  text not null,
  registry   text not null,
  number     text not null,
  members    text not null, -- JSON: every member as it was last sent
  updates    integer not null,
  updated_at integer not null, -- microseconds
  updated_by text not null default ''
) strict;
create unique index if not exists trademarks_by_id on trademarks (id);

create table if not exists goods (
  seq          integer primary key,
  id           text not null,
  trademark    text not null,
  language     text not null,
  search_class text not null,
  body         text not null
) strict;
create unique index if not exists goods_by_id on goods (id);
create index if not exists goods_by_trademark on goods (trademark);

create table if not exists requests (
  seq       integer primary key, -- with the seed of the faults, what decided about this request
  at        integer not null, -- microseconds
  operation text not null,
  key       text not null, -- number of a case, name of a folder, id of what is updated
  target    text not null, -- id of what was made or changed
  acted     integer not null,
  status    integer not null, -- of the answer, even if a fault kept it from leaving
  fault     text not null,
  message   text not null,
  session   text not null
) strict;
create index if not exists requests_by_key on requests (key);

insert or ignore into meta (name, value) values ('cookie_key', randomblob(32));
pragma user_version = 1;
