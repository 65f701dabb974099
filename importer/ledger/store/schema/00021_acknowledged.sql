-- Rejected rows that somebody knows of and accepts as they are. It changes nothing about what is sent. The words in braces and the times
-- are those of the first file.

-- One row for each content that was acknowledged: of a record that changes, the new content is not among them.
create table acknowledged (
    scope       {exact} not null,
    key         {exact} not null,
    print       text not null,             -- of its cells and its reasons, SHA-256 in hex
    who         text not null,
    note        text not null,
    at          bigint not null,
    primary key (scope, key, print)
);
