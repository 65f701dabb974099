-- What was forgotten at somebody's request. No more is kept of it than that it is not to be sent: hashes under a key of the ledger's own,
-- so that nobody who has the table alone can try names on it. A docketsync that does not know this would create it again, so it must not
-- open this ledger any more. The words in braces are those of the first file.
create table forgotten (
    scope        {exact} not null,         -- '' for an id of the service
    hash         {exact} not null,         -- of the key in its scope, or of the id
    forgotten_at bigint not null,
    primary key (scope, hash)
) {clustered};
-- One row, once anything was forgotten.
create table forget_key (
    key          {exact} not null primary key
);
