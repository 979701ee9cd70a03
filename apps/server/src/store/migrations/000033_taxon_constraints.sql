--! compatible
-- GO's taxon constraints in force: one row at most. Small enough (about 2,000 constraints) to be read whole.
create table taxon_constraints (
  only_row boolean primary key default true check (only_row),
  source_version text not null,
  content_sha256 text not null,
  -- [{termId, kind, taxon}] in the order of the files, and the members of each union of taxa
  constraints jsonb not null,
  unions jsonb not null,
  constraint_count integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);

-- The rule or annotation that speaks against the term; null: none.
alter table go_prediction add column contradiction text;
