--! compatible
-- Passkeys of accounts (WebAuthn): the public key by which a device shows that its owner is there.
create table passkey (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references user_account (id) on delete cascade,
  name text not null,
  -- The host name that the browser binds it to: it signs in nowhere else.
  host text not null,
  credential_id text not null unique,
  public_key bytea not null,
  -- Signatures so far, as the device counts them; 0 if it does not.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index passkey_user on passkey (user_id);
