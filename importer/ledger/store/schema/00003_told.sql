-- What each channel was last told about a job, so that a message goes out when that changes and not every night.
create table told (
    job         {exact} not null,
    channel     {exact} not null,
    state       text not null,             -- in the words of whoever tells
    cause       text not null,             -- '' for none
    since       bigint not null,           -- when the job came into that state
    told_at     bigint not null,           -- when the channel was last sent a message about it
    primary key (job, channel)
);
