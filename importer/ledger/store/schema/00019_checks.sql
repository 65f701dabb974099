-- What would be done with the records of a range that a check found to be in order, of which it keeps no more; '' where they are unchanged.
alter table ranges add column action text not null default '';
