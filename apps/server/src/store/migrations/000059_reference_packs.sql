--! compatible
-- The newest file of a reference, to be fetched. It can be made again at any time.
create table reference_pack (
  reference_number integer primary key references reference (number) on delete cascade,
  uri text not null,
  sha256 character(64) not null,
  size_bytes bigint not null,
  created_at timestamptz not null default clock_timestamp()
);
create index reference_pack_created on reference_pack (created_at);
