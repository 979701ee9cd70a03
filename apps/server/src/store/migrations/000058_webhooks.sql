--! compatible
-- Addresses that users want their ended jobs sent to. No secret is here: it is derived from the server's secret, the id and secret_number.
create table webhook (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  url text not null,
  description text,
  events text[] not null,
  operations text[],                   -- null: every operation
  secret_number integer not null default 1,
  secret_sha256 char(64) not null,     -- a worker with another server secret notices
  previous_secret_until timestamptz,   -- the secret before this one signs as well until then
  disabled_at timestamptz,
  disabled_reason text,
  failures integer not null default 0, -- attempts since the last that succeeded
  failing_since timestamptz,
  not_before timestamptz not null default clock_timestamp(),
  sending_until timestamptz,           -- lease of the process that sends
  created_at timestamptz not null default clock_timestamp()
);
create index webhook_user on webhook (user_id, created_at desc, id desc);

-- The outbox. A job's row keeps changing or is deleted, so each delivery has its job as it ended.
create table webhook_delivery (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhook (id) on delete cascade,
  event text not null,
  job jsonb,                           -- null: a test
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz default clock_timestamp(),
  response_status integer,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  last_attempt_at timestamptz,
  ended_at timestamptz
);
create index webhook_delivery_list on webhook_delivery (webhook_id, created_at desc, id desc);
create index webhook_delivery_waiting on webhook_delivery (next_attempt_at, webhook_id) where state = 'waiting';
create index webhook_delivery_of_hook on webhook_delivery (webhook_id, next_attempt_at) where state = 'waiting';
create index webhook_delivery_ended on webhook_delivery (ended_at) where ended_at is not null;

-- A trigger, so that whatever ends a job queues its deliveries in the same transaction.
create function queue_webhooks() returns trigger language plpgsql as $$
declare form constant text := 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';
begin
  insert into webhook_delivery (webhook_id, event, job)
  select w.id, 'job.' || lower(new.status), jsonb_build_object(
    'id', new.id, 'operation', new.operation, 'status', new.status, 'parent_job_id', new.parent_job_id,
    'description', left(new.description, 1000), 'tags', new.tags,
    'error_code', new.error_code, 'error_message', left(new.error_message, 4000),
    'created_at', to_char(new.created_at at time zone 'UTC', form), 'started_at', to_char(new.started_at at time zone 'UTC', form),
    'finished_at', to_char(new.finished_at at time zone 'UTC', form),
    'result', case when octet_length(new.result::text) <= 16384 then new.result end)
  from webhook w
  where w.user_id = new.owner_user_id and w.disabled_at is null and 'job.' || lower(new.status) = any(w.events)
    and (w.operations is null or new.operation = any(w.operations));
  return null;
end $$;
create trigger job_webhooks after update of status on job for each row
  when (new.owner_user_id is not null and old.status is distinct from new.status
    and new.status in ('SUCCEEDED', 'FAILED', 'CANCELLED'))
  execute function queue_webhooks();
