--! compatible
-- The donors that the scores of a query rest on, so that they can be explained without a search. Written with the predictions,
-- deleted with the row; null in sets from before, and by methods other than combined.
alter table prediction_set_protein add column donors bytea;
