--! compatible
-- A query without a relative may have a distant one, which its answer names.
alter table prediction_set_protein
  add column distant_accession text,
  add column distant_e_value real;
