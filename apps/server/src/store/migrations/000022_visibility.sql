--! compatible
-- Who finds a row in a list. link: its owner, operators and administrators; whoever has the id may still read it.
-- listed: everyone. Rows that say nothing are not shown to everyone.
alter table query_set add column visibility text not null default 'link' check (visibility in ('link', 'listed'));
alter table prediction_set add column visibility text not null default 'link' check (visibility in ('link', 'listed'));
alter table job add column visibility text not null default 'link' check (visibility in ('link', 'listed'));
alter table experiment_run add column visibility text not null default 'link' check (visibility in ('link', 'listed'));

-- What was made of an upload before becomes private; work on the catalogue stays in the lists.
update prediction_set set visibility = 'listed' where query_set_id is null and owner_user_id is null;
update job set visibility = 'listed'
where payload ->> 'query_set_id' is null
  and not exists (select from prediction_set s where s.visibility = 'link' and s.id::text = payload ->> 'prediction_set_id');

create index query_set_visible on query_set (created_at desc, id desc) where listed and visibility = 'listed';
create index query_set_owner on query_set (owner_user_id, created_at desc, id desc) where listed;
create index prediction_set_visible on prediction_set (created_at desc, id desc) where listed and visibility = 'listed';
create index prediction_set_owner on prediction_set (owner_user_id, created_at desc, id desc) where listed;
create index job_visible on job (created_at desc, id desc) where visibility = 'listed';
create index experiment_run_visible on experiment_run (created_at desc, id desc) where visibility = 'listed';

-- The work on an upload, found by what its payload names.
create index job_query_set on job ((payload ->> 'query_set_id')) where payload ->> 'query_set_id' is not null;
create index job_prediction_set on job ((payload ->> 'prediction_set_id')) where payload ->> 'prediction_set_id' is not null;
