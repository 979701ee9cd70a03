--! compatible
-- A search asks before each run whether the bank that it has is still right. To tell, it read all vectors of the reference: six seconds for
-- those of Swiss-Prot. Now each transaction that changes something that banks are made of is noted here, and what was read is kept for as
-- long as nothing is noted.
create table bank_change (
  id bigint generated always as identity primary key,
  -- null: of all configurations
  embedding_config_number integer references embedding_config (number) on delete cascade,
  changes bigint not null default 1   -- more than one where older rows were added up
);
create index bank_change_config on bank_change (embedding_config_number);

create table bank_fingerprint (
  embedding_config_number integer not null references embedding_config (number) on delete cascade,
  annotation_set_number integer not null references annotation_set (number) on delete cascade,
  changes bigint not null,             -- those that were noted when it was read
  vectors integer not null,
  newest text,
  checksum text not null,
  primary key (embedding_config_number, annotation_set_number)
);
create index bank_fingerprint_set on bank_fingerprint (annotation_set_number);

-- Vectors of queries come and go all the time, and no bank has them. The limits make the server look for the few rows of a query by the
-- indexes, and stop at the first one.
create function note_vectors() returns trigger language plpgsql as $$
begin
  insert into bank_change (embedding_config_number)
  select n.embedding_config_number from (select distinct embedding_config_number from changed) n
  where exists (
    select from changed c cross join lateral (select from protein where sequence_id = c.sequence_id limit 1) p
    where c.embedding_config_number = n.embedding_config_number)
  or exists (
    select from changed c cross join lateral (select from reference_protein where sequence_id = c.sequence_id limit 1) m
    where c.embedding_config_number = n.embedding_config_number);
  return null;
end $$;
create trigger sequence_embedding_added after insert on sequence_embedding
  referencing new table as changed for each statement execute function note_vectors();
create trigger sequence_embedding_gone after delete on sequence_embedding
  referencing old table as changed for each statement execute function note_vectors();
create trigger sequence_embedding_replaced after update on sequence_embedding
  referencing new table as changed for each statement execute function note_vectors();
-- Rows that are written without a check of their foreign keys count too.
alter table sequence_embedding enable always trigger sequence_embedding_added;

create function note_bank_change() returns trigger language plpgsql as
  $$ begin insert into bank_change default values; return null; end $$;
create trigger protein_sequence_changes after update of sequence_id on protein
  for each row when (old.sequence_id is distinct from new.sequence_id) execute function note_bank_change();
-- From here on, the proteins of the set are those of the reference.
create trigger reference_set_changes after update of annotation_set_id on reference
  for each row when (old.annotation_set_id is distinct from new.annotation_set_id) execute function note_bank_change();
