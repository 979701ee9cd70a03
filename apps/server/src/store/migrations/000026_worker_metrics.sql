--! compatible
-- What all workers have counted, also those that ended: one row per sample of a Prometheus series. Workers add what is new,
-- so values only grow. A change of histogram bounds needs a migration that empties the metric.
create table worker_metric (
  metric text not null,
  -- The metric, or for a histogram <metric>_bucket, _sum or _count
  sample text not null,
  labels jsonb not null,
  value double precision not null,
  primary key (sample, labels)
) with (fillfactor = 70);

-- W3C traceparent of what created the job: a job that waits, or that the sweeper publishes, stays in its trace.
alter table job add column traceparent text;
