-- Tables are called what they are called elsewhere: unchanged records stand in ranges of segments. What a channel was last told is the
-- state of its notifications; a time at which a job was due is an occurrence of its schedule; what a person did is an entry of the
-- audit; what the service is known to hold is what it last accepted.
alter table blocks rename to segments;
alter table stretches rename to ranges;
alter table ranges rename column block to segment;
alter table told rename to notifications;
alter table dues rename to occurrences;
alter table deeds rename to audit_entries;
