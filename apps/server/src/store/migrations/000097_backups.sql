--! compatible
-- When backups were made, and when each was last restored to see that it can be.
create table backup (
  made_at timestamptz primary key,
  version text not null,
  size_bytes bigint not null,
  verified_at timestamptz
);
