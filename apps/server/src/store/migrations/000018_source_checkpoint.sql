-- How far a job has read a paged source: written with the rows of the page, so that a job that starts anew after a crash goes on there.
create table source_checkpoint (
  job_id uuid primary key,
  checkpoint text not null,
  counts jsonb not null default '{}',
  updated_at timestamptz not null default clock_timestamp()
);

-- What a server said of a file when it was read whole, to ask next time whether it changed.
create table source_file (
  url text primary key,
  etag text,
  last_modified text,
  content_sha256 char(64) not null,
  read_at timestamptz not null default clock_timestamp()
);

-- Sequences that were handed to an InterProScan service. A row is written before the submission and gets the service's id after it.
create table interproscan_submission (
  id uuid primary key default gen_random_uuid(),
  job_id uuid not null,
  sequence_id bigint not null references sequence (id) on delete cascade,
  service_url text not null,
  remote_id text,
  state text not null default 'intended' check (state in ('intended', 'submitted', 'stored', 'failed')),
  message text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  unique (job_id, sequence_id)
);
create index interproscan_submission_sequence on interproscan_submission (sequence_id);

-- Sequences that were scanned, also those without a match: a later scan of the same release leaves them out.
create table interpro_scan (
  sequence_id bigint not null references sequence (id) on delete cascade,
  interpro_release text not null,
  scanned_at timestamptz not null default clock_timestamp(),
  primary key (sequence_id, interpro_release)
);
