--! compatible
-- Calibrated probability that the term is right; null: not calibrated.
alter table go_prediction add column probability real;
