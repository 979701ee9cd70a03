-- The salt that turns a client address into a key for one day. The row of a day is deleted when the next day begins, and
-- the table is unlogged, so that no write-ahead log keeps what must be forgotten.
create unlogged table daily_salt (
  day date primary key,
  salt bytea not null
);
