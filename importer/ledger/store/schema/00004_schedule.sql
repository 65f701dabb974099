-- The jobs that are scheduled, and what became of every time at which they were due. The words in braces and the times are
-- those of the first file.

-- One row for each job that is scheduled.
create table scheduled (
    job         {exact} primary key,
    schedule    {exact} not null,          -- expression and time zone
    through_at  bigint not null            -- its dues up to this instant are accounted for
);

-- One row for each time at which a job was due.
create table dues (
    job         {exact} not null,
    schedule    {exact} not null,
    local       {exact} not null,          -- date and time on the clock of the schedule's zone
    due_at      bigint not null,
    state       text not null,             -- waiting, running, interrupted, ran, failed, caught_up, overlapped, missed, blocked, cut_off
    covered_by  {exact} not null,          -- local of the due whose run served this one too
    note        text not null,             -- how it came out or why it did not, a sentence
    run         {exact} not null,          -- id of its run, '' for none
    taken       bigint not null,           -- how many times its run was begun
    began_at    bigint,
    ended_at    bigint,
    primary key (job, schedule, local)
);
create index dues_by_job on dues (job, due_at);
create index dues_by_time on dues (due_at);
-- What was cut off is found at the next start; no more than a few.
create index dues_unfinished on dues (job) where state in ('waiting', 'running', 'interrupted');
