-- A row of known that says its epoch rightly when it is written is not written a second time to say so; what keeps epochs is
-- the triggers of stamp.go, of which those of PostgreSQL stay as they are.
{restamp}
