-- In what order a plan is sent. A plan that goes in the order of its source has neither.
alter table runs add column order_by text;       -- the date that decides, in the mapping's words
alter table records add column rank bigint;      -- the smaller, the earlier it is sent
create index records_ranked on records (run_no, rank, seq) where state = 'planned' and rank is not null;
