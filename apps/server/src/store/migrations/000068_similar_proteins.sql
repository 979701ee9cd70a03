--! compatible
-- How many similar proteins have a term, of how many, and how similar its source is. Null in sets from before.
alter table go_prediction
  add column source_identity real,
  add column similar_proteins integer,
  add column supporters integer;
