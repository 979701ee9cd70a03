--! compatible
-- GO terms that other programs state of the proteins of a query set, with the file that they came from.
create table stated_term_file (
  query_set_id uuid not null references query_set (id) on delete cascade,
  program text not null,
  about jsonb not null,                   -- name, format, SHA-256, and counts of what was read and left out
  primary key (query_set_id, program)
);
create table stated_terms (
  query_set_id uuid not null,
  program text not null,
  accession text not null,
  terms jsonb not null,                   -- a list of [GO id, score, basis], each term once
  primary key (query_set_id, program, accession),
  foreign key (query_set_id, program) references stated_term_file (query_set_id, program) on delete cascade
);
