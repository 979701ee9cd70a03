--! compatible
-- A build is whole without its measured reliability: who cancels that does not cancel the build.
create or replace function end_reference() returns trigger language plpgsql as $$
begin
  update reference set status = 'failed',
    error = coalesce(new.error_message, 'The build was cancelled; the same request goes on where it was.')
  where id::text = new.payload ->> 'reference_id' and status = 'building'
    and (job_id = new.id or job_id = new.parent_job_id) and new.operation <> 'measure_reference';
  return null;
end $$;
