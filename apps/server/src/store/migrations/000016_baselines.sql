-- A term that is predicted because it is frequent has no donor.
alter table go_prediction alter column ref_protein_accession drop not null;
