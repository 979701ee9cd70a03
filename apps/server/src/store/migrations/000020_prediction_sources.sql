-- Predictions of any method in their true shape: no distance where none was measured, and the source in columns of its own.

alter table go_prediction rename column ref_protein_accession to source_id;
alter table go_prediction
  alter column distance drop not null,
  add column source_kind text not null default 'protein'
    check (source_kind in ('protein', 'interpro_entry', 'own_annotation', 'none'));
-- From now on every row says it.
alter table go_prediction alter column source_kind drop default;

-- Only predict_go_terms and the votes of its neighbours measure distances; the others stored one made from the score.
update go_prediction p set
  source_kind = case when p.source_id is null then 'none'
                     when s.method = 'interpro' then 'interpro_entry'
                     when s.method = 'non_experimental_annotations' then 'own_annotation'
                     else 'protein' end,
  distance = case when s.method = 'weighted_votes' and p.source_id is not null then p.distance end
from prediction_set s
where s.number = p.prediction_set_number and s.method <> 'knn';

update prediction_set_protein q set min_distance =
  (select min(p.distance) from go_prediction p
   where p.prediction_set_number = q.prediction_set_number and p.protein_accession = q.protein_accession)
from prediction_set s
where s.number = q.prediction_set_number and s.method <> 'knn';
