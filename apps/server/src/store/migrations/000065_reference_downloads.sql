--! compatible
-- Files that were downloaded for references: a file that its server has in the same state is not downloaded twice.
create table reference_download (
  -- Address, search or member of an archive that the file is.
  source text primary key,
  -- What the server said of its state.
  state text not null,
  sha256 text not null,
  size_bytes bigint not null,
  downloaded_at timestamptz not null default clock_timestamp()
);
