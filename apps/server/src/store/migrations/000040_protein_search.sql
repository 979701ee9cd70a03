--! compatible
-- The words of a protein's accession and names, for search. Workers fill it after a load, so that loads need not wait for its index.
create table protein_search (
  accession text primary key references protein (accession) on delete cascade,
  words tsvector not null
);
create index protein_search_words on protein_search using gin (words);

-- Proteins up to this id are in protein_search; searches read those above it themselves.
create table protein_search_state (
  only_row boolean primary key default true check (only_row),
  indexed_to bigint not null default 0
);
insert into protein_search_state default values;

-- Accessions that UniProt gave up when it merged or split entries, and the entries that have them now.
create table secondary_accession (
  secondary text not null,
  accession text not null,
  primary key (secondary, accession)
);
create index secondary_accession_accession on secondary_accession (accession);

-- Where the list came from: one row at most.
create table secondary_accession_source (
  only_row boolean primary key default true check (only_row),
  source_url text not null,
  content_sha256 text not null,
  pair_count integer not null,
  job_id uuid,
  loaded_at timestamptz not null default clock_timestamp()
);
