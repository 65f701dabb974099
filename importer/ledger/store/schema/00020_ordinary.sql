-- An ordinary answer is not kept word by word: how long the request took stands with its record, and what such an answer says, with {id}
-- for the id that the service gave, with the run.
alter table records add column took_us bigint; -- of the request that was accepted; null where it stands among the attempts
alter table runs add column answer text;       -- null while there was none
