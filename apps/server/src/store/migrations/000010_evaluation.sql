-- Temporal holdouts and what was evaluated on them.

create table evaluation_set (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  old_annotation_set_id uuid not null references annotation_set (id),
  new_annotation_set_id uuid not null references annotation_set (id),
  ontology_snapshot_id uuid not null references ontology_snapshot (id),
  job_id uuid,
  rules jsonb not null,                -- how the gain was taken: evidence, NOT, mapping of ids, protein binding
  stats jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (old_annotation_set_id, new_annotation_set_id),
  check (old_annotation_set_id <> new_annotation_set_id)
);
create index evaluation_set_created on evaluation_set (created_at desc, id desc);
create index evaluation_set_new on evaluation_set (new_annotation_set_id);
create index evaluation_set_snapshot on evaluation_set (ontology_snapshot_id);

-- Propagated terms, roots left out. 'known': what the proteins of the three categories had before.
create table evaluation_truth (
  evaluation_set_number integer not null references evaluation_set (number) on delete cascade,
  category text not null check (category in ('NK', 'LK', 'PK', 'known')),
  protein_id integer not null,
  go_term_id integer not null,         -- of the set's ontology snapshot
  primary key (evaluation_set_number, category, protein_id, go_term_id)
);

-- Information accretion by what it was computed from.
create table information_accretion (
  id uuid primary key default gen_random_uuid(),
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  annotation_set_id uuid not null references annotation_set (id) on delete cascade,
  evidence text[] not null,            -- codes, in alphabetical order
  sha256 char(64) not null,            -- of the lines term, tab, bits, line feed, by term
  protein_count integer not null,
  term_count integer not null,
  go_ids text[] not null,              -- ascending
  bits double precision[] not null,    -- bits[i] belongs to go_ids[i]
  created_at timestamptz not null default clock_timestamp(),
  unique (ontology_snapshot_id, annotation_set_id, evidence)
);
create index information_accretion_set on information_accretion (annotation_set_id);

create table evaluation_result (
  id uuid primary key default gen_random_uuid(),
  evaluation_set_id uuid not null references evaluation_set (id) on delete cascade,
  prediction_set_id uuid not null references prediction_set (id),
  job_id uuid,
  options jsonb not null,              -- everything that a figure depends on beside the two sets
  options_sha256 char(64) not null,
  frame jsonb not null,                -- populations, evaluated terms, counts of what was read
  results jsonb not null,              -- category -> aspect -> figures
  intervals jsonb,                     -- category -> aspect -> figure -> {low, high, standard_error, samples}
  artifacts jsonb not null default '[]',
  created_at timestamptz not null default clock_timestamp(),
  unique (evaluation_set_id, prediction_set_id, options_sha256)
);
create index evaluation_result_created on evaluation_result (evaluation_set_id, created_at desc, id desc);
create index evaluation_result_newest on evaluation_result (created_at desc, id desc);
create index evaluation_result_prediction_set on evaluation_result (prediction_set_id);

-- Figures of the resamples, for intervals of differences.
create table evaluation_resamples (
  evaluation_result_id uuid not null references evaluation_result (id) on delete cascade,
  category text not null check (category in ('NK', 'LK', 'PK')),
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  population_key bigint not null,      -- two results are paired if this, seed and resamples agree
  seed integer not null,
  resamples integer not null,
  proteins integer not null,
  estimates double precision[] not null,  -- one per figure, in the order of `figures`
  figures text[] not null,
  samples bytea not null,              -- float64, little-endian [figures x resamples]; NaN where there is none
  primary key (evaluation_result_id, category, aspect)
);
alter table evaluation_resamples alter column samples set storage external;
