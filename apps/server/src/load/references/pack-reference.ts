import { join } from 'node:path';
import { absent, ProblemError } from '@kindred/contracts';
import {
  laterTables,
  packExtension,
  packFormat,
  type PackManifest,
  rowsName,
  rowTables,
  statisticsName,
  vectorIndexName,
  vectorsName,
} from '../packs/format.js';
import { PackWriter } from '../packs/pack-writer.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import {
  findInterproMapping,
  type InterproMappingRow,
} from '../../store/ontology/interpro-mapping.repository.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { currentTaxonomy, type TaxonomyRow } from '../../store/ontology/taxonomy.repository.js';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import {
  inPackSnapshot,
  packedRows,
  packedVectorIndex,
  packedVectors,
} from '../../store/references/reference-pack.repository.js';
import type { PackSubject } from '../../store/references/pack-tables.js';
import {
  abandonedPacks,
  forgetPack,
  replacePack,
} from '../../store/references/reference-packs.repository.js';
import { type DescribedReference, findReference } from '../../store/references/references.repository.js';
import { recipeOf } from '../../predict/embeddings/compute-embeddings-batch.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { packedStatistics } from './pack-statistics.js';

const name = 'pack_reference';

/** Writes a complete reference into one file of the artifact store. */
export const packReference: Operation<'pack_reference'> = {
  name,
  async run({ reference_id }, context) {
    const { db, artifacts, settings, jobId, signal } = context;
    const reference = await packable(reference_id, context);
    for (const old of await abandonedPacks(db, 10)) {
      await forgetPack(db, old.reference_number);
      await artifacts.delete(old.uri);
    }
    await context.emit(`${name}.start`, { reference: `${reference.name}@${reference.version}` });
    const writer = await PackWriter.in(join(settings.cacheDir, 'packs', jobId));
    try {
      const manifest = await inPackSnapshot(db, (trx) => fill(writer, trx, reference, context));
      const key = `reference-packs/${jobId}${packExtension}`;
      const stored = await artifacts.put(key, writer.archive(manifest), { signal });
      const before = await inTransaction(db, (trx) =>
        replacePack(trx, {
          reference_number: reference.number,
          uri: stored.uri,
          sha256: stored.sha256,
          size_bytes: stored.sizeBytes,
        }),
      );
      if (before !== null && artifacts.addressOf(before) !== artifacts.addressOf(stored.uri))
        await artifacts.delete(before);
      const result = {
        reference: `${reference.name}@${reference.version}`,
        content_sha256: reference.content_sha256,
        sha256: stored.sha256,
        size_bytes: stored.sizeBytes,
        members: Object.fromEntries(manifest.members.map((member) => [member.name, member.size_bytes])),
      };
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } finally {
      await writer.close();
    }
  },
};

type Packable = DescribedReference & {
  content_sha256: string;
  annotation_set_id: string;
  ontology_snapshot_id: string;
};

/** @throws ProblemError not_found, conflict */
async function packable(id: string, { db }: OperationContext): Promise<Packable> {
  const reference = await findReference(db, id);
  if (reference === undefined) throw absent('reference', id);
  const { content_sha256, annotation_set_id, ontology_snapshot_id } = reference;
  if (content_sha256 === null || annotation_set_id === null || ontology_snapshot_id === null) {
    throw new ProblemError(
      'conflict',
      `${reference.name}@${reference.version} is not a complete reference that was built; build one with "kindred reference build", then pack it.`,
    );
  }
  return { ...reference, content_sha256, annotation_set_id, ontology_snapshot_id };
}

// oxlint-disable-next-line eslint/max-params -- what is written, and where it comes from
async function fill(
  writer: PackWriter,
  trx: Transaction,
  reference: Packable,
  context: OperationContext,
): Promise<PackManifest> {
  const facts = await factsOf(trx, reference, context);
  const { subject, configs, manifest } = facts;
  const { signal } = context;
  const total = rowTables.length + 2 * configs.length + laterTables.length + 1;
  const add = async (member: string, bytes: AsyncIterable<Uint8Array>, rows: () => number) => {
    await writer.add(member, bytes, rows, signal);
    await context.progress(writer.members.length, total);
  };
  const addRows = async (table: (typeof rowTables)[number] | (typeof laterTables)[number]) => {
    const rows = packedRows(trx, table, subject);
    await add(rowsName(table), rows, () => rows.rowCount);
  };
  for (const table of rowTables) await addRows(table);
  for (const [i, config] of configs.entries()) {
    const index = packedVectorIndex(trx, config.number, reference.number);
    await add(vectorIndexName(i), index, () => index.rowCount);
    await add(vectorsName(i), packedVectors(trx, config.number, reference.number), () => index.rowCount);
  }
  for (const table of laterTables) await addRows(table);
  const of = {
    annotationSetId: reference.annotation_set_id,
    snapshotId: reference.ontology_snapshot_id,
    configIds: configs.map((config) => config.id),
  };
  const statistics = await packedStatistics(trx, of, context.artifacts);
  await add(statisticsName, chunk(Buffer.from(JSON.stringify(statistics))), () => 1);
  return { ...manifest, members: writer.members };
}

async function* chunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function factsOf(trx: Transaction, reference: Packable, { settings }: OperationContext) {
  const set = await findAnnotationSet(trx, reference.annotation_set_id);
  const snapshot = await findSnapshot(trx, reference.ontology_snapshot_id);
  if (set === undefined || snapshot === undefined)
    throw new ProblemError('conflict', 'The annotations or the ontology of the reference were deleted.');
  const configs = [];
  for (const { embedding_config_id, vector_count } of reference.vectors) {
    const config = await findEmbeddingConfig(trx, embedding_config_id);
    if (config === undefined) throw new ProblemError('conflict', 'Vectors of the reference were deleted.');
    configs.push({ ...config, vector_count });
  }
  const version = `${reference.name}@${reference.version}`;
  const mapping = reference.parts.some(({ kind }) => kind === 'interpro_mapping')
    ? await findInterproMapping(trx, version)
    : undefined;
  const taxonomy = await currentTaxonomy(trx);
  const subject: PackSubject = {
    referenceNumber: reference.number,
    setNumber: set.number,
    snapshotId: snapshot.id,
    mappingVersion: mapping === undefined ? null : version,
  };
  const manifest = manifestOf(reference, { set, snapshot, configs, mapping, taxonomy, settings });
  return { subject, configs, manifest };
}

type Subject<Find extends (...input: never[]) => Promise<unknown>> = NonNullable<Awaited<ReturnType<Find>>>;
interface Found {
  set: Subject<typeof findAnnotationSet>;
  snapshot: Subject<typeof findSnapshot>;
  configs: readonly (EmbeddingConfigRow & { vector_count: number })[];
  mapping: InterproMappingRow | undefined;
  taxonomy: TaxonomyRow | undefined;
  settings: Pick<OperationContext['settings'], 'producerVersion'>;
}

function manifestOf(
  reference: Packable,
  { set, snapshot, configs, mapping, taxonomy, settings }: Found,
): Omit<PackManifest, 'members'> {
  return {
    format: packFormat,
    made_by: settings.producerVersion,
    reference: {
      name: reference.name,
      version: reference.version,
      content_sha256: reference.content_sha256,
      evidence: reference.evidence,
      protein_count: reference.protein_count,
      left_out: reference.left_out as Record<string, number>,
      parts: reference.parts as PackManifest['reference']['parts'],
      reliability: reference.reliability,
    },
    ontology: {
      obo_version: snapshot.obo_version,
      obo_url: snapshot.obo_url,
      obo_sha256: snapshot.obo_sha256,
      ia_url: snapshot.ia_url,
      term_counts: snapshot.term_counts,
      relationship_count: snapshot.relationship_count,
      alt_id_count: snapshot.alt_id_count,
    },
    annotations: {
      content_sha256: set.content_sha256,
      annotation_count: set.annotation_count,
      protein_count: set.protein_count,
      newest_annotation_date: set.newest_annotation_date,
      statistics: set.statistics,
    },
    vectors: configs.map((config) => ({
      ...recipeOf(config),
      dimension: config.dimension,
      display_name: config.display_name,
      family: config.family,
      param_count: config.param_count,
      description: config.description,
      vector_count: config.vector_count,
    })),
    taxonomy: taxonomy === undefined ? null : taxonomyFacts(taxonomy),
    interpro_mapping: mapping === undefined ? null : mappingFacts(mapping),
  };
}

function taxonomyFacts(row: TaxonomyRow): PackManifest['taxonomy'] {
  const { content_sha256, files, taxon_count, merged_count, rejected_lines } = row;
  return { content_sha256, files, taxon_count, merged_count, rejected_lines };
}

function mappingFacts(row: InterproMappingRow): PackManifest['interpro_mapping'] {
  const { mapping_url, content_sha256, pair_count, entry_count, header } = row;
  return { mapping_url, content_sha256, pair_count, entry_count, header };
}
