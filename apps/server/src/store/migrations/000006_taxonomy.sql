-- The taxonomy in force: one release, replaced as a whole.

create table taxonomy (
  id uuid primary key default gen_random_uuid(),
  content_sha256 char(64) not null,
  files jsonb not null,                -- [{"file": "nodes.dmp", "url": ..., "sha256": ...}]
  taxon_count integer not null,
  merged_count integer not null,
  rejected_lines integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);
create unique index taxonomy_only_one on taxonomy ((true));

-- Every lineage is whole: the parent of a taxon is there, and the root (1) is its own parent.
create table taxon (
  id integer primary key,              -- as NCBI numbers them
  parent_id integer not null,
  rank text not null,
  name text                            -- scientific name
);

-- Former ids and the taxon that each belongs to now.
create table taxon_merged (
  old_id integer primary key,
  new_id integer not null
);
