import type { Aspect } from '@kindred/contracts';
import type {
  annotationReply,
  proteinDetailReply,
  proteinReply,
} from '@kindred/contracts/resources/proteins';
import { formatFastaRecord } from '@kindred/kernels/formats';
import type { z } from 'zod';
import type { ProteinAnnotationRow } from '../../../store/annotations/annotations.repository.js';
import type { ProteinDetail, ProteinRow } from '../../../store/proteins/proteins.repository.js';
import { tsvLine } from '../../stream.js';

export function presentProtein(row: ProteinRow): z.infer<typeof proteinReply> {
  return {
    accession: row.accession,
    canonical_accession: row.canonical_accession,
    is_canonical: row.isoform_index === null,
    isoform_index: row.isoform_index,
    entry_name: row.entry_name,
    protein_name: row.protein_name,
    gene_name: row.gene_name,
    organism: row.organism,
    taxonomy_id: row.taxonomy_id,
    length: row.length,
    reviewed: row.reviewed,
  };
}

const tsvColumns = [
  'accession',
  'entry_name',
  'protein_name',
  'gene_name',
  'organism',
  'taxonomy_id',
  'length',
  'reviewed',
  'canonical_accession',
] as const;

/** Writes proteins as a table with a header row, or as FASTA with headers as UniProt writes them. */
export async function* proteinText(
  pages: AsyncIterable<readonly (ProteinRow & { sequence: string })[]>,
  format: 'tsv' | 'fasta',
): AsyncGenerator<string> {
  if (format === 'tsv') yield tsvLine(tsvColumns);
  const line = (row: ProteinRow) =>
    tsvLine(tsvColumns.map((name) => (typeof row[name] === 'boolean' ? String(row[name]) : row[name])));
  for await (const page of pages)
    yield page
      .map((row) =>
        format === 'tsv'
          ? line(row)
          : formatFastaRecord({ header: fastaHeader(row), sequence: row.sequence }),
      )
      .join('');
}

function fastaHeader(row: ProteinRow): string {
  const { accession, entry_name, reviewed } = row;
  const token =
    entry_name === null || reviewed === null
      ? accession
      : `${reviewed ? 'sp' : 'tr'}|${accession}|${entry_name}`;
  const fields = { OS: row.organism, OX: row.taxonomy_id, GN: row.gene_name };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${value}`],
  );
  return [token, ...(row.protein_name === null ? [] : [row.protein_name]), ...given]
    .join(' ')
    .replaceAll(/[\r\n]+/g, ' ');
}

export function presentProteinDetail(row: ProteinDetail): z.infer<typeof proteinDetailReply> {
  const {
    sequence_id,
    sequence,
    sequence_md5,
    isoforms,
    secondary_accessions,
    reference_sequences,
    metadata,
    created_at,
    updated_at,
  } = row;
  return {
    ...presentProtein(row),
    sequence_id,
    sequence,
    sequence_md5,
    isoforms,
    secondary_accessions,
    reference_sequences,
    metadata,
    created_at,
    updated_at,
  };
}

export function presentAnnotation(row: ProteinAnnotationRow): z.infer<typeof annotationReply> {
  return {
    go_id: row.go_id,
    name: row.name,
    aspect: row.aspect as Aspect,
    is_obsolete: row.is_obsolete,
    qualifier: row.qualifier,
    evidence_code: row.evidence_code,
    assigned_by: row.assigned_by,
    db_reference: row.db_reference,
    with_from: row.with_from,
    annotation_date: row.annotation_date,
    annotation_set_id: row.annotation_set_id,
    annotation_set_source: row.source,
    annotation_set_version: row.source_version,
    obo_version: row.obo_version,
  };
}
