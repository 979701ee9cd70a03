--! compatible
-- How many messages a worker process holds that it has not settled, by queue: RabbitMQ says it only to its managers.
alter table worker_process add column unsettled jsonb not null default '{}';
