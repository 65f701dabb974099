-- What a run's export looked like as a whole, and the guards that fired on it.

alter table runs add column export text; -- JSON; null for a run of corrected rows alone
alter table runs add column guards text; -- JSON: those that fired, and who let them through
