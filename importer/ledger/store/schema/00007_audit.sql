-- What people did through the console: one row for each deed, never changed. The words in braces and the times are those of
-- the first file.
create table deeds (
    id          {exact} primary key,       -- UUID version 7, so that their order is that of time
    done_at     bigint not null,
    who         text not null,             -- '' for somebody whose name is not known
    origin      text not null,             -- the address that it came from
    action      {exact} not null,          -- sign_in, run, resolve …
    target      text not null,             -- what it was done to, '' for nothing in particular
    result      text not null,             -- done, refused, failed
    note        text not null              -- what there is to say beside that, a sentence or nothing
);
