-- Jobs, their timeline, the ledger of batches, worker processes, the embedded broker.

create table job (
  id uuid primary key default gen_random_uuid(),
  operation text not null,
  queue_name text not null,
  payload jsonb not null default '{}',
  meta jsonb not null default '{}',
  status text not null default 'QUEUED' check (status in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  parent_job_id uuid references job (id) on delete set null,
  -- A job that waits for another is published when that one has succeeded.
  waits_for_job_id uuid references job (id) on delete set null,
  owner_user_id uuid,
  progress_current bigint not null default 0,
  progress_total bigint,
  description text,
  findings text,
  tags text[] not null default '{}',
  result jsonb,
  error_code text,
  error_message text,
  attempts integer not null default 0,
  retry_count integer not null default 0,
  lease_losses integer not null default 0,
  lease_owner text,
  lease_expires_at timestamptz,
  -- Set when a coordinator has handed its batches out: the ledger closes the job, not a lease.
  dispatched_at timestamptz,
  not_before timestamptz,
  published_at timestamptz,
  deadline_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz
);
create index job_created on job (created_at desc, id desc);
create index job_status_created on job (status, created_at desc, id desc);
create index job_operation_created on job (operation, created_at desc, id desc);
create index job_parent on job (parent_job_id);
create index job_waits_for on job (waits_for_job_id);
create index job_owner on job (owner_user_id, created_at desc);
create index job_unpublished on job (created_at) where status = 'QUEUED' and published_at is null;
create index job_lease on job (lease_expires_at) where status = 'RUNNING';

create table job_event (
  id bigint generated always as identity primary key,
  job_id uuid not null references job (id) on delete cascade,
  ts timestamptz not null default clock_timestamp(),
  level text not null default 'info' check (level in ('info', 'warning', 'error')),
  event text not null,
  message text,
  fields jsonb not null default '{}'
);
create index job_event_job on job_event (job_id, ts desc, id desc);

create table job_comment (
  id uuid primary key default gen_random_uuid(),
  job_id uuid not null references job (id) on delete cascade,
  author text,
  body text not null check (body <> ''),
  created_at timestamptz not null default clock_timestamp()
);
create index job_comment_job on job_comment (job_id, created_at, id);

-- The ledger: a batch is computed at least once and stored exactly once.
create table job_batch (
  parent_job_id uuid not null references job (id) on delete cascade,
  batch_index integer not null,
  queue_name text not null,
  operation text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'stored', 'failed')),
  attempts integer not null default 0,
  published_at timestamptz,
  stored_at timestamptz,
  error_message text,
  primary key (parent_job_id, batch_index)
);
create index job_batch_unpublished on job_batch (parent_job_id) where state = 'pending' and published_at is null;

create table worker_process (
  id text primary key,
  role text not null,
  host text not null,
  pid integer not null,
  queues text[] not null,
  version text not null,
  started_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp()
);

create schema broker;
create table broker.message (
  id bigint generated always as identity primary key,
  queue text not null,
  body bytea not null,
  headers jsonb not null default '{}',
  ready_at timestamptz not null default clock_timestamp(),
  deliveries integer not null default 0,
  locked_by text,
  locked_until timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
-- Bodies are vectors or small JSON: compressing costs and gains nothing. Rows live for a moment: clean up by count, not by share.
alter table broker.message alter column body set storage external;
alter table broker.message set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, fillfactor = 70);
create index message_ready on broker.message (queue, ready_at, id);
create index message_locked on broker.message (locked_by) where locked_by is not null;
