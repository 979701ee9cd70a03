--! compatible
-- What a probability is worth and rests on, and the place of a term in the answer.
alter table go_prediction
  add column probability_low real,
  add column probability_high real,
  add column calibrated_on text,
  add column answer_rank integer;

-- Queries that got no answer, and those that are a protein of the reference set.
alter table prediction_set_protein
  add column no_answer text,
  add column known_accession text,
  add column known_by text check (known_by in ('accession', 'sequence'));
