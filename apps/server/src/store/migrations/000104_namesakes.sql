--! compatible
-- A query is a reference protein by its name only if the sequences are the same or the alignment says so.
alter table prediction_set_protein
  add column known_identity real,
  add column known_coverage real,
  add column is_namesake boolean not null default false,
  drop constraint prediction_set_protein_known_by_check,
  add constraint prediction_set_protein_known_by_check check (known_by in ('accession', 'sequence', 'alignment'));
