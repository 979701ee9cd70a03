--! compatible
-- API processes keep the answers of frequent reads, and hear of changes of the tables behind them: once a transaction and table.
create function tell_change() returns trigger language plpgsql as
  $$ begin perform pg_notify('kindred_changes', tg_table_name); return null; end $$;
create trigger annotation_set_changes after insert or update or delete or truncate on annotation_set
  for each statement execute function tell_change();
create trigger evaluation_result_changes after insert or update or delete or truncate on evaluation_result
  for each statement execute function tell_change();
create trigger go_term_changes after insert or update or delete or truncate on go_term
  for each statement execute function tell_change();
create trigger ontology_snapshot_changes after insert or update or delete or truncate on ontology_snapshot
  for each statement execute function tell_change();
create trigger prediction_set_changes after insert or update or delete or truncate on prediction_set
  for each statement execute function tell_change();
create trigger prediction_set_protein_changes after insert or update or delete or truncate on prediction_set_protein
  for each statement execute function tell_change();
create trigger protein_changes after insert or update or delete or truncate on protein
  for each statement execute function tell_change();
create trigger protein_metadata_changes after insert or update or delete or truncate on protein_metadata
  for each statement execute function tell_change();
create trigger reranker_model_changes after insert or update or delete or truncate on reranker_model
  for each statement execute function tell_change();
create trigger secondary_accession_changes after insert or update or delete or truncate on secondary_accession
  for each statement execute function tell_change();
create trigger taxon_changes after insert or update or delete or truncate on taxon
  for each statement execute function tell_change();
