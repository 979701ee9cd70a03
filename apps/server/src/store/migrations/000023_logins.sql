--! compatible
-- Failed logins of an account from an address, both as keyed hashes: each failure makes the next wait longer.
create table login_failure (
  account_hash char(64) not null,
  address_hash char(64) not null,
  failures integer not null,
  blocked_until timestamptz not null,
  failed_at timestamptz not null,
  primary key (account_hash, address_hash)
);
create index login_failure_failed on login_failure (failed_at);

-- Addresses, as keyed hashes, from which the right password came: there the account is never locked.
create table login_address (
  user_id uuid not null references user_account (id) on delete cascade,
  address_hash char(64) not null,
  last_login_at timestamptz not null default clock_timestamp(),
  primary key (user_id, address_hash)
);
create index login_address_last_login on login_address (last_login_at);

-- Names that differ by case only are one name. The older account keeps it.
update user_account newer set username = newer.username || '-' || left(newer.id::text, 8)
where exists (select from user_account older where lower(older.username) = lower(newer.username)
              and (older.created_at, older.id) < (newer.created_at, newer.id));
create unique index user_account_username_any_case on user_account (lower(username));

-- The key that the command line of the service's own machine uses; a reset of the database keeps it.
alter table api_key add column for_machine boolean not null default false;
update api_key set for_machine = true where name = 'command line of this machine' and role = 'operator';
