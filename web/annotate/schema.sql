-- The tables of a project. Constraints prevent that an item is assigned to a person twice, that a
-- person has two open assignments, and that an item gets more people than wanted.
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT UNIQUE, -- of the link's token; null without a link
    expires REAL,
    consent TEXT, -- digest of the text agreed to
    consented REAL,
    failed INTEGER NOT NULL DEFAULT 0 -- did not qualify
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    shown TEXT NOT NULL,
    hidden TEXT NOT NULL,
    expected TEXT,
    gold INTEGER NOT NULL,
    wanted INTEGER NOT NULL, -- number of people; unlimited for gold items
    free INTEGER NOT NULL, -- not yet assigned
    place INTEGER NOT NULL,
    CHECK (free >= 0 AND free <= wanted)
);
CREATE INDEX items_next ON items (place, id) WHERE free > 0;
CREATE INDEX items_gold ON items (place, id) WHERE gold = 1;
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items (id),
    person INTEGER NOT NULL REFERENCES people (id),
    token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    given REAL NOT NULL,
    until REAL NOT NULL,
    answer TEXT,
    answered REAL,
    got INTEGER, -- number of fields as expected, if known
    asked INTEGER,
    UNIQUE (item, person),
    CHECK ((state = 'answered') = (answer IS NOT NULL))
);
CREATE UNIQUE INDEX assignments_one_open ON assignments (person) WHERE state = 'open';
CREATE INDEX assignments_until ON assignments (until) WHERE state = 'open';
CREATE INDEX assignments_person ON assignments (person, state);
