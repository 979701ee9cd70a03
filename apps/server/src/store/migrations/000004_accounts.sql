-- Users, credentials, quotas, the audit log.

create table user_account (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  username text not null unique,
  display_name text,
  password_hash text not null,         -- argon2id
  role text not null default 'researcher' check (role in ('guest', 'researcher', 'operator', 'admin')),
  status text not null default 'pending' check (status in ('pending', 'active', 'deactivated')),
  intended_use text,
  created_at timestamptz not null default clock_timestamp(),
  last_login_at timestamptz
);
create index user_account_created on user_account (created_at desc, id desc);

create table user_session (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  jti uuid not null unique,
  token_hash char(64) not null unique, -- sha256 of the raw token
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_seen_at timestamptz,
  user_agent text,
  client_ip_hash text
);
create index user_session_user on user_session (user_id);

create table api_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  name text not null,
  prefix char(8) not null,
  key_hash char(64) not null unique,   -- sha256 of the raw key
  role text not null check (role in ('guest', 'researcher', 'operator', 'admin')),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_user on api_key (user_id);
create index api_key_created on api_key (created_at desc, id desc);

create table quota (
  key text not null,
  resource text not null,
  period_start timestamptz not null,
  count bigint not null,
  "limit" bigint,
  primary key (key, resource, period_start)
);

create table idempotency_key (
  principal text not null,
  route text not null,
  key text not null,
  body_sha256 char(64) not null,
  status integer,
  headers jsonb,
  body jsonb,
  created_at timestamptz not null default clock_timestamp(),
  primary key (principal, route, key)
);
create index idempotency_key_created on idempotency_key (created_at);

-- Outside the public schema, so that a reset of the database leaves it whole.
create schema if not exists audit;
create table if not exists audit.audit_log (
  id bigint generated always as identity primary key,
  actor_user_id uuid,
  action text not null,
  target text,
  payload jsonb not null default '{}',
  occurred_at timestamptz not null default clock_timestamp()
);
create index if not exists audit_log_occurred on audit.audit_log (occurred_at desc, id desc);
create or replace function audit.refuse_change() returns trigger language plpgsql as
  $$ begin raise exception 'the audit log is append-only'; end $$;
create or replace trigger audit_log_append_only before update or delete or truncate on audit.audit_log
  for each statement execute function audit.refuse_change();
