--! compatible
-- What the scores of a method mean among the donors of a reference, fitted by `calibrate`; at most twelve rows a reference and choice.
create table calibration_curve (
  annotation_set_id uuid not null references annotation_set (id) on delete cascade,
  embedding_config_id uuid not null references embedding_config (id) on delete cascade,
  donors integer not null,
  evidence text[] not null,            -- groups whose annotations count, in alphabetical order
  method text not null check (method in ('combined', 'untrained')),
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  known text not null check (known in ('nothing', 'other aspects', 'same aspect')),
  bins jsonb not null,
  kingdoms text[] not null,
  calibration_window text not null,    -- the two releases that the evaluation set compares
  prediction_count integer not null,
  protein_count integer not null,
  evaluation_set_id uuid not null,     -- where it came from; may be deleted
  prediction_set_id uuid not null,
  job_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (annotation_set_id, embedding_config_id, donors, evidence, method, aspect, known)
);
create index calibration_curve_config on calibration_curve (embedding_config_id);
