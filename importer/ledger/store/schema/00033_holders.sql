-- Under which keys an id of the service is known: asked of every new key of an update, and without it each time of all that is known.
create index if not exists known_by_id on known (service_id) where service_id <> '';
