--! compatible
-- Id of the request that a job works for: the operator finds the job of a request that a user names.
alter table job add column request_id text;
create index job_request on job (request_id, created_at desc, id desc) where request_id is not null;
