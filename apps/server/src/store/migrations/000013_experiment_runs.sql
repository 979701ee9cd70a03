-- Experiment runs: what was tried, why, and what came of it, with the rows that belong to it.

create table experiment_run (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (length(name) between 1 and 255),
  description text,
  hypothesis text,
  findings text,
  status text not null default 'planned' check (status in ('planned', 'running', 'done', 'abandoned')),
  config jsonb not null default '{}',
  provenance jsonb not null default '{}',
  tags text[] not null default '{}',
  owner_user_id uuid references user_account (id) on delete set null,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index experiment_run_created on experiment_run (created_at desc, id desc);
create index experiment_run_status on experiment_run (status, created_at desc, id desc);
create index experiment_run_owner on experiment_run (owner_user_id);

-- A member that is deleted leaves its runs. kind tells what member_id is of: a job, an evaluation result or a re-ranker.
create table experiment_run_member (
  experiment_run_id uuid not null references experiment_run (id) on delete cascade,
  kind text not null check (kind in ('job', 'evaluation_result', 'reranker_model')),
  member_id uuid not null,
  attached_at timestamptz not null default clock_timestamp(),
  primary key (experiment_run_id, kind, member_id)
);
create index experiment_run_member_of on experiment_run_member (kind, member_id);
