--! compatible
-- Where nobody chooses a reference, each query has the answer of the loaded one that fits it best. The others that were searched are in
-- the parameters of a set; as a column with an index they are found before an annotation set is deleted.
alter table prediction_set add column more_annotation_set_ids uuid[]
  generated always as (uuids_of(parameters -> 'more_annotation_set_ids')) stored;
create index prediction_set_more_annotations on prediction_set using gin (more_annotation_set_ids);

-- As a foreign key would: who deletes an annotation set locks its row first, and then sees this set or comes before it.
create function refuse_absent_annotations() returns trigger language plpgsql as $$
begin
  perform from annotation_set where id = any (new.more_annotation_set_ids) for key share;
  if (select count(*) from annotation_set where id = any (new.more_annotation_set_ids)) < cardinality(new.more_annotation_set_ids) then
    raise foreign_key_violation using message = 'an annotation set of prediction set ' || new.id || ' was deleted';
  end if;
  return null;
end $$;
create trigger prediction_set_annotations after insert on prediction_set
  for each row when (cardinality(new.more_annotation_set_ids) > 0) execute function refuse_absent_annotations();

-- Null: the answer is of the annotation set of the prediction set.
alter table prediction_set_protein add column annotation_set_number integer;
create index prediction_set_protein_annotations on prediction_set_protein (annotation_set_number)
  where annotation_set_number is not null;
