-- What runs have committed and what does not stand in the tables yet. The words in braces are those of the first file;
-- {counted} is a primary key that the database counts up, {bytes} is a string of bytes.

-- One row for each group of outcomes and intents that was committed together, until it is folded into records, attempts and
-- known; empty but for what the last requests of a push were about.
create table journal (
    number      {counted},
    body        {bytes} not null           -- see formerjournal.go
);
