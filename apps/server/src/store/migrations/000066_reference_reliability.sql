--! compatible
-- How well proteins of a reference are predicted from its others; null: not measured.
alter table reference add column reliability jsonb;
