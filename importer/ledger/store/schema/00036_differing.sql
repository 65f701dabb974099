-- Of which keys the service stored something otherwise than it was sent: asked by every run that plans, of few keys in all that is known.
create index if not exists known_differing on known (scope) where differs is not null;
