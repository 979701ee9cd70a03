--! compatible
-- A set that no query was stored in goes with its job, unless its batches had been handed out. And a set whose job is deleted is not filled
-- any more.
create or replace function end_prediction_set() returns trigger language plpgsql as $$
declare
  made record;
begin
  if new.status = 'SUCCEEDED' then
    update prediction_set set status = 'complete' where job_id = new.id;
    return null;
  end if;
  if new.dispatched_at is null then
    delete from prediction_set s where s.job_id = new.id and s.status = 'filling'
      and not exists (select from prediction_set_protein p where p.prediction_set_number = s.number)
      and not exists (select from evaluation_result r where r.prediction_set_id = s.id);
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

create or replace function forget_job() returns trigger language plpgsql as $$
begin
  update prediction_set set job_id = null, status = case status when 'filling' then 'incomplete' else status end
  where job_id = old.id;
  update annotation_set set job_id = null where job_id = old.id and state = 'complete';
  update evaluation_set set job_id = null where job_id = old.id;
  update evaluation_result set job_id = null where job_id = old.id;
  update dataset set job_id = null where job_id = old.id;
  update interpro_mapping set job_id = null where job_id = old.id;
  update taxonomy set job_id = null where job_id = old.id;
  update reference set job_id = null where job_id = old.id;
  return null;
end $$;

create index prediction_set_filling on prediction_set (id) where status = 'filling';
