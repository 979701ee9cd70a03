-- Links sent by mail, visits, and what the filters of the audit log need.

create table mail_token (
  token_hash char(64) primary key,     -- sha256 of what the mail carries
  user_id uuid not null references user_account (id) on delete cascade,
  purpose text not null check (purpose in ('magic_link', 'password_reset')),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_token_user on mail_token (user_id);
create index mail_token_expires on mail_token (expires_at);

-- The hash means nothing after its day: the salt is deleted.
create table visitor_event (
  id bigint generated always as identity primary key,
  visitor_hash char(16) not null,
  occurred_at timestamptz not null
);
create index visitor_event_occurred on visitor_event using brin (occurred_at);

create index if not exists audit_log_action on audit.audit_log (action, occurred_at desc, id desc);
create index if not exists audit_log_actor on audit.audit_log (actor_user_id, occurred_at desc, id desc);
create index if not exists audit_log_target on audit.audit_log (target, occurred_at desc, id desc);
