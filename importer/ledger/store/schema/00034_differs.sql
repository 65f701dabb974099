-- What the service stored otherwise than it was sent, of the update or create that it accepted last, so that it is said until it is so no longer.
alter table known add column differs text;  -- JSON list of notes; null for nothing
