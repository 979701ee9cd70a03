--! compatible
-- When each daily chore of the workers was begun last, so that one process a day does it.
create table maintenance_run (
  name text primary key,
  started_at timestamptz not null default clock_timestamp()
);
