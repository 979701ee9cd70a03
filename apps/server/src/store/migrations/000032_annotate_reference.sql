--! compatible
-- What an operator wants annotations to be made with where the caller names nothing: one row at most.
create table annotate_reference (
  only_row boolean primary key default true check (only_row),
  annotation_set_id uuid references annotation_set (id) on delete set null,
  embedding_config_id uuid references embedding_config (id) on delete set null,
  set_at timestamptz not null default clock_timestamp()
);
