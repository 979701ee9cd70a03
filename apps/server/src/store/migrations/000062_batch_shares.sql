--! compatible
-- The next batches of each parent, and those in work: found whenever a batch ends, also in a job of many thousands.
create index job_batch_waiting on job_batch (parent_job_id, batch_index) where state = 'pending' and published_at is null;
create index job_batch_outstanding on job_batch (parent_job_id) where state = 'pending' and published_at is not null;
drop index job_batch_unpublished;
