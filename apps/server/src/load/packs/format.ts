import { configReply } from '@kindred/contracts/resources/embedding-configs';
import {
  evidenceSelections,
  referenceName,
  referenceReliability,
  referencePart,
  referenceVersion,
} from '@kindred/contracts/resources/references';
import { aspects } from '@kindred/contracts/vocabulary';
import { z } from 'zod';

/**
 * A pack is a reference as one file: a plain tar archive (ustar). It holds `manifest.json`,
 * `manifest.sha256`, in signed packs `manifest.sig`, and then the members in the order of the manifest. Rows
 * are in PostgreSQL's text format, packed by gzip, the one compression that every Node of this product and
 * every tar can read. Vectors are float16 numbers (little endian) as they are stored. The content depends
 * neither on ids of a database nor on the time: the same reference gives the same bytes.
 */
export const packFormat = 2;
/** Version 0.2.0 wrote this format and made the content hash in another way. */
const earlierFormat = 1;
export const manifestName = 'manifest.json';
export const manifestSumName = 'manifest.sha256';
export const signatureName = 'manifest.sig';
export const packExtension = '.kindred';

/** The two bounds hold for what is read before the digests are known to be right. */
export const maxManifestBytes = 4 << 20;
export const maxSignatureBytes = 1 << 10;
export const maxStatisticsBytes = 256 << 20;
/** Text that unpacks to more than this ratio counts as a trap, as in files of loads. */
export const maxRatio = 200;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
const member = z.strictObject({
  name: z.string().max(100),
  size_bytes: count,
  /** The rows take this many bytes as text. */
  unpacked_bytes: count,
  rows: count,
  sha256,
});
export type PackMember = z.infer<typeof member>;

export const packManifest = z.strictObject({
  format: z.literal([earlierFormat, packFormat]),
  /** The pack was made by this version of Kindred. */
  made_by: z.string().max(100),
  reference: z.strictObject({
    name: referenceName,
    version: referenceVersion,
    content_sha256: sha256,
    evidence: z.enum(evidenceSelections),
    protein_count: count,
    left_out: z.record(z.string(), count),
    parts: z.array(referencePart).max(1000),
    reliability: referenceReliability.nullable().default(null),
  }),
  ontology: z.strictObject({
    obo_version: z.string().min(1).max(500),
    obo_url: z.string().max(4000),
    obo_sha256: sha256,
    ia_url: z.string().max(4000).nullable(),
    term_counts: z.record(z.enum([...aspects, 'obsolete']), count),
    relationship_count: count,
    alt_id_count: count,
  }),
  annotations: z.strictObject({
    content_sha256: sha256.nullable(),
    annotation_count: count,
    protein_count: count,
    newest_annotation_date: z.string().max(20).nullable(),
    statistics: z.strictObject({
      by_aspect: z.record(z.enum(aspects), count),
      by_evidence_code: z.record(z.string().max(20), count),
      negated: count,
      terms: count,
    }),
  }),
  vectors: z
    .array(
      configReply.omit({ id: true, created_at: true, embedding_count: true }).extend({ vector_count: count }),
    )
    .min(1)
    .max(8),
  taxonomy: z
    .strictObject({
      content_sha256: sha256,
      files: z.array(
        z.strictObject({ file: z.string().max(100), url: z.string().max(4000), sha256: z.string().max(64) }),
      ),
      taxon_count: count,
      merged_count: count,
      rejected_lines: count,
    })
    .nullable(),
  interpro_mapping: z
    .strictObject({
      mapping_url: z.string().max(4000),
      content_sha256: sha256,
      pair_count: count,
      entry_count: count,
      header: z.record(z.string(), z.string()),
    })
    .nullable(),
  members: z.array(member).max(100),
});
export type PackManifest = z.infer<typeof packManifest>;

/**
 * The first tables come before the vectors, and the others after them. The members have the same names and an
 * ending.
 */
export const rowTables = [
  'ontology/terms',
  'ontology/relations',
  'ontology/alternative-ids',
  'sequences',
  'proteins',
  'annotations',
] as const;
export const laterTables = ['taxonomy/taxa', 'taxonomy/merged', 'interpro-go'] as const;
export const rowsName = (table: string) => `${table}.tsv.gz`;
export const vectorIndexName = (position: number) => `vectors/${position}.tsv.gz`;
export const vectorsName = (position: number) => `vectors/${position}.f16`;
/** The member holds the information of terms, measured reliability, taxon constraints, and re-rankers. */
export const statisticsName = 'statistics.json.gz';

/** Every pack has these members, in this order. A part that the reference lacks has an empty member. */
export function memberNames(configurations: number): string[] {
  return [
    ...rowTables.map(rowsName),
    ...Array.from({ length: configurations }, (_, i) => [vectorIndexName(i), vectorsName(i)]).flat(),
    ...laterTables.map(rowsName),
    statisticsName,
  ];
}

export const isPacked = (name: string) => name.endsWith('.gz');
