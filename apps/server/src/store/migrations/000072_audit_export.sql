--! compatible
-- Old rows leave the audit log in files. The database itself refuses to delete a row that is younger than a year or in no file.
-- A reset of the database keeps this schema and applies this again.
create table if not exists audit.audit_export (
  first_id bigint primary key,
  last_id bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  row_count bigint not null,
  uri text not null,
  sha256 char(64) not null,
  size_bytes bigint not null,
  exported_at timestamptz not null default clock_timestamp(),
  check (last_id >= first_id and last_at >= first_at and row_count > 0)
);
create or replace trigger audit_export_append_only before update or delete or truncate on audit.audit_export
  for each statement execute function audit.refuse_change();
create or replace function audit.refuse_early_delete() returns trigger language plpgsql as $$
begin
  if old.occurred_at < clock_timestamp() - interval '365 days'
    and exists (select from audit.audit_export e where old.id between e.first_id and e.last_id) then
    return old;
  end if;
  raise exception 'the audit log is append-only: a row may go when it is a year old and exported';
end $$;
create or replace trigger audit_log_append_only before update or truncate on audit.audit_log
  for each statement execute function audit.refuse_change();
create or replace trigger audit_log_delete before delete on audit.audit_log
  for each row execute function audit.refuse_early_delete();
