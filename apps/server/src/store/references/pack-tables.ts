/** A pack's parts have these ids in this database. */
export interface PackSubject {
  referenceNumber: number;
  setNumber: number;
  snapshotId: string;
  /** The version is null if the reference has no mapping of InterPro entries. */
  mappingVersion: string | null;
}

interface Table {
  /**
   * An installation reads the rows into a table with these columns: names, types and constraints. If absent,
   * rows go into their own table.
   */
  columns?: string;
  select(subject: PackSubject): string;
}

/** Quotes a literal for COPY, which takes no parameters. */
export const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The rows of a reference come without ids of the database, in the order of a pack. */
export const packedTables = {
  'ontology/terms': {
    columns:
      'go_id text not null unique, name text not null, aspect char(1) not null, definition text, is_obsolete boolean not null, replaced_by text[] not null, consider text[] not null',
    select: ({ snapshotId }) => `
      select go_id, name, aspect, definition, is_obsolete, replaced_by, consider from go_term
      where ontology_snapshot_id = ${literal(snapshotId)} order by go_id collate "C"`,
  },
  'ontology/relations': {
    columns: 'child text not null, parent text not null, relation_type text not null',
    select: ({ snapshotId }) => `
      select c.go_id, p.go_id, r.relation_type from go_term_relationship r
      join go_term c on c.id = r.child_go_term_id join go_term p on p.id = r.parent_go_term_id
      where r.ontology_snapshot_id = ${literal(snapshotId)}
      order by c.go_id collate "C", p.go_id collate "C", r.relation_type collate "C"`,
  },
  'ontology/alternative-ids': {
    columns: 'alt_id text not null unique, go_id text not null',
    select: ({ snapshotId }) => `
      select a.alt_id, t.go_id from go_term_alt_id a join go_term t on t.id = a.go_term_id
      where a.ontology_snapshot_id = ${literal(snapshotId)} order by a.alt_id collate "C"`,
  },
  sequences: {
    columns: `sequence_md5 char(32) not null unique, sequence text not null check (sequence <> '' and md5(sequence) = sequence_md5)`,
    select: ({ referenceNumber }) => `
      select s.sequence_md5, s.sequence from sequence s
      where s.id in (select sequence_id from reference_protein where reference_number = ${Number(referenceNumber)})
      order by s.sequence_md5 collate "C"`,
  },
  proteins: {
    columns: `accession text not null unique check (length(accession) between 1 and 100), canonical_accession text not null, isoform_index integer, entry_name text, reviewed boolean,
      protein_name text, gene_name text, organism text, taxonomy_id integer, sequence_md5 char(32) not null`,
    select: ({ referenceNumber }) => `
      select p.accession, p.canonical_accession, p.isoform_index, p.entry_name, p.reviewed, p.protein_name, p.gene_name, p.organism,
        m.taxonomy_id, s.sequence_md5
      from reference_protein m join protein p on p.id = m.protein_id join sequence s on s.id = m.sequence_id
      where m.reference_number = ${Number(referenceNumber)} order by p.accession collate "C"`,
  },
  annotations: {
    select: ({ setNumber }) => `
      select p.accession, t.go_id, a.qualifier, a.evidence_code, a.assigned_by, a.db_reference, a.with_from, a.annotation_date
      from protein_go_annotation a join protein p on p.id = a.protein_id join go_term t on t.id = a.go_term_id
      where a.annotation_set_number = ${Number(setNumber)}
      order by p.accession collate "C", t.go_id collate "C", a.evidence_code collate "C", a.qualifier collate "C",
        a.assigned_by collate "C", a.db_reference collate "C", a.with_from collate "C", a.annotation_date collate "C"`,
  },
  'taxonomy/taxa': {
    columns: 'id integer not null unique, parent_id integer not null, rank text not null, name text',
    select: () => 'select id, parent_id, rank, name from taxon order by id',
  },
  'taxonomy/merged': {
    columns: 'old_id integer not null unique, new_id integer not null',
    select: () => 'select old_id, new_id from taxon_merged order by old_id',
  },
  'interpro-go': {
    columns: 'interpro_accession text not null, go_id text not null',
    select: ({ mappingVersion }) => `
      select interpro_accession, go_id from interpro_go_mapping
      where source_version = ${mappingVersion === null ? 'null' : literal(mappingVersion)}
      order by interpro_accession collate "C", go_id collate "C"`,
  },
} as const satisfies Record<string, Table>;
export type PackedTable = keyof typeof packedTables;
export type StagedTable = Exclude<PackedTable, 'annotations'>;
