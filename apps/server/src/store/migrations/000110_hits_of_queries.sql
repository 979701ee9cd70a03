--! compatible
-- Hits of queries that another program found, with the file that they came from.
create table query_set_hit_file (
  query_set_id uuid primary key references query_set (id) on delete cascade,
  about jsonb not null                    -- name, program, SHA-256, and counts of what was read and left out
);
create table query_set_hits (
  query_set_id uuid not null references query_set_hit_file (query_set_id) on delete cascade,
  accession text not null,
  hits jsonb not null,                    -- a list of [target, log10 of the E-value, identity, bits], the best first
  primary key (query_set_id, accession)
);
alter table go_prediction add column source_found_by text;
