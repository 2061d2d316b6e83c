CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE candidates (
    name TEXT PRIMARY KEY,
    folded TEXT NOT NULL UNIQUE, -- the name for comparison
    hash TEXT UNIQUE, -- of the link's token; null without a link
    expires REAL
);
CREATE TABLE submissions (
    number INTEGER PRIMARY KEY,
    candidate TEXT NOT NULL REFERENCES candidates (name),
    entry BLOB NOT NULL, -- of the log; before the answers, to be read without them
    answers BLOB NOT NULL
);
