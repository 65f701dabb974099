-- Cells that somebody corrected in the console instead of in the source. The words in braces and the times are those of the first file.

-- A cell is known by the job whose rows have it, the key of its row as the source has it, which row of that key it is, and its column.
create table corrections (
    job         {exact} not null,
    key         {exact} not null,
    nth         bigint not null,           -- row of that key, from 0
    name        {exact} not null,          -- of the column, in the header
    old         text not null,             -- what the source has; anything else there is not corrected
    corrected   text not null,
    who         text not null,
    at          bigint not null,
    primary key (job, key, nth, name)
);
