--! compatible
-- Living processes of the API and the workers, with fingerprints of the settings that all of them must share; kindred doctor
-- compares them. A fingerprint is a keyed hash: the setting cannot be read from it.
create table process_report (
  id text primary key,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  fingerprints jsonb not null,
  last_seen_at timestamptz not null default clock_timestamp()
);
