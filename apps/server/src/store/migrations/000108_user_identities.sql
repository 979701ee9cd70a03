--! compatible
-- Accounts that institutions vouch for: who somebody is there, by OpenID Connect.
create table user_identity (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  institution text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz not null default clock_timestamp(),
  last_login_at timestamptz,
  unique (issuer, subject)
);
create index user_identity_user on user_identity (user_id);
