--! compatible
-- What remains of visits after their rows are deleted: how many, and of how many visitors, on a day (UTC).
create table visitor_day (
  day date primary key,
  visits bigint not null,
  visitors bigint not null
);
-- Found by the retention of ended jobs, which looks every half a minute.
create index job_finished on job (finished_at) where finished_at is not null;
