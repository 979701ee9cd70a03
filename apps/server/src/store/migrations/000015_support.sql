-- Thumbs-up of users. Who gave one is not stored.

create table support_entry (
  id uuid primary key default gen_random_uuid(),
  comment text check (char_length(comment) between 1 and 500),
  created_at timestamptz not null default clock_timestamp()
);
create index support_entry_commented on support_entry (created_at desc, id desc) where comment is not null;
