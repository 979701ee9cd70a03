-- Sequences, proteins, ontology, annotations: the catalogue that predictions are made from.

create table sequence (
  id bigint generated always as identity primary key,
  sequence text not null,
  sequence_md5 char(32) not null unique,
  length integer not null,
  created_at timestamptz not null default clock_timestamp()
);

create table protein (
  id integer generated always as identity primary key,
  accession text not null unique,
  canonical_accession text not null,
  isoform_index integer,
  entry_name text,
  reviewed boolean,
  protein_name text,
  gene_name text,
  organism text,
  taxonomy_id integer,
  length integer not null,
  sequence_id bigint not null references sequence (id),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index protein_canonical_accession on protein (canonical_accession);
create index protein_sequence_id on protein (sequence_id);
create index protein_organism on protein (organism, accession);
create index protein_taxonomy_id on protein (taxonomy_id, accession);
create index protein_reviewed on protein (reviewed, accession);

create table protein_metadata (
  canonical_accession text primary key,
  absorption text, active_site text, binding_site text, catalytic_activity text, cofactor text, dna_binding text,
  ec_number text, activity_regulation text, function_cc text, pathway text, kinetics text, ph_dependence text,
  redox_potential text, rhea_id text, site text, temperature_dependence text, keywords text, features text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create table ontology_snapshot (
  id uuid primary key default gen_random_uuid(),
  obo_version text not null unique,
  obo_url text not null,
  obo_sha256 char(64) not null,
  ia_url text,
  term_counts jsonb not null,          -- {"P": n, "F": n, "C": n, "obsolete": n}
  relationship_count bigint not null,
  alt_id_count bigint not null,
  loaded_at timestamptz not null default clock_timestamp()
);

create table go_term (
  id integer generated always as identity primary key,
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  go_id text not null,
  name text not null,
  aspect char(1) not null check (aspect in ('P', 'F', 'C')),
  definition text,
  is_obsolete boolean not null default false,
  replaced_by text[] not null default '{}',
  unique (ontology_snapshot_id, go_id)
);

create table go_term_relationship (
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  child_go_term_id integer not null references go_term (id) on delete cascade,
  parent_go_term_id integer not null references go_term (id) on delete cascade,
  relation_type text not null,
  primary key (child_go_term_id, parent_go_term_id, relation_type)
);
create index go_term_relationship_snapshot on go_term_relationship (ontology_snapshot_id);
create index go_term_relationship_parent on go_term_relationship (parent_go_term_id);

create table go_term_alt_id (
  ontology_snapshot_id uuid not null references ontology_snapshot (id) on delete cascade,
  alt_id text not null,
  go_term_id integer not null references go_term (id) on delete cascade,
  primary key (ontology_snapshot_id, alt_id)
);
create index go_term_alt_id_term on go_term_alt_id (go_term_id);

-- `number` is the small key that the large tables carry instead of the UUID.
create table annotation_set (
  id uuid primary key default gen_random_uuid(),
  number integer generated always as identity unique,
  source text not null check (source in ('goa', 'quickgo')),
  source_version text not null,
  ontology_snapshot_id uuid not null references ontology_snapshot (id),
  content_sha256 char(64),             -- known once the load is complete
  state text not null default 'loading' check (state in ('loading', 'complete')),
  job_id uuid,
  annotation_count bigint not null default 0,
  protein_count bigint not null default 0,
  statistics jsonb not null default '{}',
  meta jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);
create index annotation_set_created on annotation_set (created_at desc, id desc);
create index annotation_set_snapshot on annotation_set (ontology_snapshot_id);

-- One partition per annotation set: a set is filled while it is detached, attached when it is whole, and dropped at once.
create table protein_go_annotation (
  annotation_set_number integer not null,
  protein_id integer not null,
  go_term_id integer not null,
  qualifier text,
  evidence_code text not null,
  assigned_by text,
  db_reference text,
  with_from text,
  annotation_date text                 -- YYYYMMDD, verbatim
) partition by list (annotation_set_number);
create index protein_go_annotation_protein on protein_go_annotation (protein_id);
