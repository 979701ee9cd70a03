--! compatible
-- Configurations whose neighbours were merged with those of the main one. They are in the parameters of a set; as a column with an
-- index they are found before a configuration is deleted.
create function uuids_of(list jsonb) returns uuid[] language sql immutable parallel safe as $$
  select coalesce(array_agg(value::uuid order by value), '{}')
  from jsonb_array_elements_text(case jsonb_typeof(list) when 'array' then list else '[]' end)
$$;
alter table prediction_set add column more_embedding_config_ids uuid[]
  generated always as (uuids_of(parameters -> 'more_embedding_config_ids')) stored;
create index prediction_set_more_configs on prediction_set using gin (more_embedding_config_ids);

-- As a foreign key would: who deletes a configuration locks its row first, and then sees this set or comes before it.
create function refuse_absent_configs() returns trigger language plpgsql as $$
begin
  perform from embedding_config where id = any (new.more_embedding_config_ids) for key share;
  if (select count(*) from embedding_config where id = any (new.more_embedding_config_ids)) < cardinality(new.more_embedding_config_ids) then
    raise foreign_key_violation using message = 'an embedding configuration of prediction set ' || new.id || ' was deleted';
  end if;
  return null;
end $$;
create trigger prediction_set_configs after insert on prediction_set
  for each row when (cardinality(new.more_embedding_config_ids) > 0) execute function refuse_absent_configs();

-- Curves of several embeddings together: the first by id is `embedding_config_id`, the others are here in order.
alter table calibration_curve add column more_embedding_config_ids uuid[] not null default '{}';
alter table calibration_curve drop constraint calibration_curve_pkey,
  add primary key (annotation_set_id, embedding_config_id, more_embedding_config_ids, donors, evidence, method, aspect, known);
create index calibration_curve_more_configs on calibration_curve using gin (more_embedding_config_ids);
