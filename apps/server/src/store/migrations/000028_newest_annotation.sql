--! compatible
-- Date of the newest row of a set (YYYY-MM-DD); null: the source has no dates. It tells which of two releases is the newer.
alter table annotation_set add column newest_annotation_date text;
update annotation_set s set newest_annotation_date = (
  select to_char(to_date(max(replace(annotation_date, '-', '')), 'YYYYMMDD'), 'YYYY-MM-DD')
  from protein_go_annotation a
  where a.annotation_set_number = s.number and annotation_date ~ '^\d{4}-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d)$');
