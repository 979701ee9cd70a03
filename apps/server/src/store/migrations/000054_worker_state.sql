--! compatible
-- What a worker process says of itself: how much it has in work, and whether it takes no more because it stops.
alter table worker_process add column working integer not null default 0;
alter table worker_process add column draining boolean not null default false;
