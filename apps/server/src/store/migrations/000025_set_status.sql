--! compatible
-- filling: its job runs. complete: all queries are in. incomplete: the job failed or was cancelled, and what it had stored remains.
alter table prediction_set
  add column status text not null default 'complete' check (status in ('filling', 'complete', 'incomplete')),
  add column query_count bigint;
comment on column prediction_set.query_count is 'Queries that the job was to predict for; null where not known';

update prediction_set s set status = case when j.status in ('QUEUED', 'RUNNING') then 'filling' else 'incomplete' end
from job j where j.id = s.job_id and j.status <> 'SUCCEEDED';

-- Here, because jobs end in many statements: by their worker, its last batch, the reaper, a cancel.
create function end_prediction_set() returns trigger language plpgsql as $$
declare
  made record;
begin
  if new.status = 'SUCCEEDED' then
    update prediction_set set status = 'complete' where job_id = new.id;
    return null;
  end if;
  update prediction_set s set status = 'incomplete', protein_count = c.proteins, prediction_count = c.predictions
  from (select count(*) as proteins, coalesce(sum(p.prediction_count), 0) as predictions
        from prediction_set o join prediction_set_protein p on p.prediction_set_number = o.number where o.job_id = new.id) c
  where s.job_id = new.id
  returning s.id, s.protein_count, s.query_count into made;
  if found then
    insert into job_event (job_id, level, event, message, fields)
    values (new.id, 'warning', 'prediction_set.incomplete',
      'Prediction set ' || made.id || ' remains with ' || made.protein_count
        || coalesce(' of ' || made.query_count, '') || ' proteins. Delete it, or predict again.',
      jsonb_build_object('prediction_set_id', made.id, 'proteins', made.protein_count, 'of', made.query_count));
  end if;
  return null;
end $$;
create trigger job_ends after update of status on job for each row
  when (new.status in ('SUCCEEDED', 'FAILED', 'CANCELLED') and old.status is distinct from new.status)
  execute function end_prediction_set();

-- No row names a job that is gone. The set of a load that still runs keeps its job: the job cannot be deleted.
create function forget_job() returns trigger language plpgsql as $$
begin
  update prediction_set set job_id = null where job_id = old.id;
  update annotation_set set job_id = null where job_id = old.id and state = 'complete';
  update evaluation_set set job_id = null where job_id = old.id;
  update evaluation_result set job_id = null where job_id = old.id;
  update dataset set job_id = null where job_id = old.id;
  update interpro_mapping set job_id = null where job_id = old.id;
  update taxonomy set job_id = null where job_id = old.id;
  return null;
end $$;
create trigger job_is_gone after delete on job for each row execute function forget_job();

update prediction_set s set job_id = null where not exists (select from job j where j.id = s.job_id);
update annotation_set s set job_id = null where state = 'complete' and not exists (select from job j where j.id = s.job_id);
update evaluation_set s set job_id = null where not exists (select from job j where j.id = s.job_id);
update evaluation_result s set job_id = null where not exists (select from job j where j.id = s.job_id);
update dataset s set job_id = null where not exists (select from job j where j.id = s.job_id);
update interpro_mapping s set job_id = null where not exists (select from job j where j.id = s.job_id);
update taxonomy s set job_id = null where not exists (select from job j where j.id = s.job_id);
