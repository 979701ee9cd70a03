-- Recipes of composite scores. A row is never changed.
create table scoring_config (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (char_length(name) between 1 and 255),
  formula text not null check (formula in ('linear', 'evidence_weighted')),
  weights jsonb not null,
  evidence_weights jsonb,
  params jsonb not null default '{}',
  description text,
  created_at timestamptz not null default clock_timestamp()
);
create index scoring_config_created on scoring_config (created_at desc, id desc);
