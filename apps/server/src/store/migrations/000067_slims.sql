--! compatible
-- GO slims: lists of terms that others are counted as. Small enough to be read whole.
create table go_slim (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  version text not null,
  obo_url text not null,
  -- [{go_id, name, aspect}] by id
  terms jsonb not null,
  term_count integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp(),
  unique (name, version)
);
create index go_slim_loaded on go_slim (loaded_at, id);
create trigger go_slim_changes after insert or update or delete or truncate on go_slim
  for each statement execute function tell_change();
