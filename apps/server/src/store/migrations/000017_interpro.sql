-- InterPro: which entries stand for which GO terms, and where they were found in sequences.

create table interpro_mapping (
  source_version text primary key,
  mapping_url text not null,
  content_sha256 char(64) not null,
  pair_count integer not null,
  entry_count integer not null,
  header jsonb not null default '{}',
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);

create table interpro_go_mapping (
  source_version text not null references interpro_mapping (source_version) on delete cascade,
  interpro_accession text not null,
  go_id text not null,
  primary key (source_version, interpro_accession, go_id)
);

-- A match belongs to the sequence, so that all proteins and queries of that sequence share it.
create table interpro_annotation (
  sequence_id bigint not null references sequence (id) on delete cascade,
  interpro_release text not null,
  source_db text not null,              -- the member database of the signature; INTERPRO where only the entry is known
  signature_accession text not null default '',
  interpro_accession text,              -- null: a signature that no entry has taken up
  start_position integer,               -- 1-based, inclusive; null where the source gives none
  end_position integer,
  score text,                           -- verbatim: an E-value or a score, as the member database reports it
  check (start_position >= 1 and end_position >= start_position)
);
-- A second load of the same matches changes nothing.
create unique index interpro_annotation_match on interpro_annotation (
  sequence_id, interpro_release, source_db, signature_accession, coalesce(interpro_accession, ''),
  coalesce(start_position, 0), coalesce(end_position, 0));

-- How a set was made. Sets without neighbours have no embedding configuration, those without annotated donors no annotation set.
alter table prediction_set add column if not exists method text not null default 'knn';
alter table prediction_set alter column embedding_config_id drop not null;
alter table prediction_set alter column annotation_set_id drop not null;
