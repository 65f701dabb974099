-- What a plan was made from, so that two of them can be compared by cause. A mapping's text is
-- kept once, however many runs go by it. The words in braces are those of the first file.
alter table runs add column made_from text;    -- JSON; null in runs from before

create table mappings (
    digest       {exact} not null primary key, -- SHA-256 of the text, hex
    content      text not null
);
