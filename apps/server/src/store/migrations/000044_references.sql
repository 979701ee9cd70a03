--! compatible
-- A named, versioned whole to annotate with. It never changes once it is complete.
create table reference (
  id uuid primary key default gen_random_uuid(),
  number integer not null unique generated always as identity,
  name text not null check (length(name) between 1 and 64),
  version text not null check (length(version) between 1 and 64),
  status text not null default 'building' check (status in ('building', 'complete', 'failed')),
  content_sha256 character(64),
  evidence text not null default 'all' check (evidence in ('all', 'experimental')),
  -- What the caller asked for: sources in order, and the digest by which the same request finds it
  inputs jsonb not null default '{}',
  inputs_sha256 character(64),
  ontology_snapshot_id uuid references ontology_snapshot (id),
  annotation_set_id uuid unique references annotation_set (id),
  make_default boolean not null default false,
  parts jsonb not null default '[]',
  protein_count bigint not null default 0,
  left_out jsonb not null default '{}',
  job_id uuid,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  unique (name, version)
);
create index reference_created on reference (created_at desc, id desc);
create index reference_inputs on reference (name, inputs_sha256);
create index reference_snapshot on reference (ontology_snapshot_id);

-- Its proteins with the sequences and taxa of its own release: a later one may change those of the catalogue.
create table reference_protein (
  reference_number integer not null references reference (number) on delete cascade,
  protein_id integer not null references protein (id),
  sequence_id bigint not null references sequence (id),
  taxonomy_id integer,
  primary key (reference_number, protein_id)
);
create index reference_protein_sequence on reference_protein (sequence_id);
create index reference_protein_protein on reference_protein (protein_id);

-- Configurations whose vectors it has, in order.
create table reference_vectors (
  reference_number integer not null references reference (number) on delete cascade,
  position integer not null,
  embedding_config_id uuid not null references embedding_config (id),
  vector_count bigint not null default 0,
  primary key (reference_number, position),
  unique (reference_number, embedding_config_id)
);
create index reference_vectors_config on reference_vectors (embedding_config_id);

-- Sources that were sent and wait for their build.
create table reference_file (
  sha256 character(64) primary key,
  size_bytes bigint not null,
  uri text not null,
  created_at timestamptz not null default clock_timestamp()
);

alter table annotation_set drop constraint annotation_set_source_check,
  add constraint annotation_set_source_check check (source in ('goa', 'quickgo', 'reference'));

-- Here, because jobs end in many statements: the first step that fails ends the build.
create function end_reference() returns trigger language plpgsql as $$
begin
  update reference set status = 'failed',
    error = coalesce(new.error_message, 'The build was cancelled; the same request goes on where it was.')
  where id::text = new.payload ->> 'reference_id' and status = 'building'
    and (job_id = new.id or job_id = new.parent_job_id);
  return null;
end $$;
create trigger reference_step_ends after update of status on job for each row
  when (new.status in ('FAILED', 'CANCELLED') and old.status is distinct from new.status
    and new.payload ? 'reference_id')
  execute function end_reference();

create or replace function forget_job() returns trigger language plpgsql as $$
begin
  update prediction_set set job_id = null where job_id = old.id;
  update annotation_set set job_id = null where job_id = old.id and state = 'complete';
  update evaluation_set set job_id = null where job_id = old.id;
  update evaluation_result set job_id = null where job_id = old.id;
  update dataset set job_id = null where job_id = old.id;
  update interpro_mapping set job_id = null where job_id = old.id;
  update taxonomy set job_id = null where job_id = old.id;
  update reference set job_id = null where job_id = old.id;
  return null;
end $$;
create index reference_job on reference (job_id);

-- What an operator chose before there were references.
with chosen as (
  insert into reference (name, version, status, ontology_snapshot_id, annotation_set_id, protein_count, completed_at)
  select 'default', left(regexp_replace(s.source_version, '[^A-Za-z0-9._-]+', '-', 'g'), 60), 'complete',
    s.ontology_snapshot_id, s.id, s.protein_count, clock_timestamp()
  from annotate_reference d join annotation_set s on s.id = d.annotation_set_id
  where d.embedding_config_id is not null and s.state = 'complete' and s.source_version ~ '^[A-Za-z0-9]'
  returning number)
insert into reference_vectors (reference_number, position, embedding_config_id)
select chosen.number, 0, d.embedding_config_id from chosen, annotate_reference d;
