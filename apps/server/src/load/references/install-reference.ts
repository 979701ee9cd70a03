import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { countSetTerms } from '../../predict/banks/term-counts.js';
import {
  laterTables,
  type PackManifest,
  rowsName,
  rowTables,
  statisticsName,
  vectorIndexName,
  vectorsName,
} from '../packs/format.js';
import { damaged, PackReader } from '../packs/pack-reader.js';
import { anySigner } from '../packs/signing.js';
import { setAnnotateDefaults } from '../../store/annotations/annotate-reference.repository.js';
import {
  type EmbeddingConfigRow,
  findEmbeddingConfig,
  findEqualConfig,
  insertEmbeddingConfig,
} from '../../store/embeddings/embedding-configs.repository.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { insertMappingRow } from '../../store/ontology/interpro-mapping.repository.js';
import { findSnapshotByVersion, insertSnapshotRow } from '../../store/ontology/ontology.repository.js';
import { currentTaxonomy, insertTaxonomyRow } from '../../store/ontology/taxonomy.repository.js';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import { findReferenceFile, forgetReferenceFile } from '../../store/references/reference-files.repository.js';
import {
  attachInstalledSet,
  faultOfRows,
  installAnnotations,
  installInterproPairs,
  installProteins,
  installSequences,
  installSet,
  installTaxa,
  installTerms,
  installVectors,
  isRaceOfRows,
  lockTaxonomy,
  placeVectors,
  prepareInstallation,
  stageRows,
  stageVectorIndex,
} from '../../store/references/reference-install.repository.js';
import {
  completeReference,
  findReference,
  findReferenceByName,
  insertReference,
  lockReferenceName,
} from '../../store/references/references.repository.js';
import { setReliability } from '../../store/references/reference-reliability.repository.js';
import { readAhead } from '../../ground/read-ahead.js';
import { type Operation, type OperationContext, RetryLater } from '../../work/operation/operation.js';
import { earlierContentSha256, referenceContentSha256, RowDigests } from './content-hash.js';
import { installStatistics } from './pack-statistics.js';

const name = 'install_reference';
const vectorsPerCopy = 5000;

type Payload = PayloadOf<'install_reference'>;
type Table = (typeof rowTables)[number] | (typeof laterTables)[number];
interface Installation {
  trx: Transaction;
  reader: PackReader;
  payload: Payload;
  context: OperationContext;
  /** The digests cover the rows that went into the database. */
  digests: RowDigests;
}
interface Installed {
  id: string;
  reference: string;
  skipped: boolean;
  facts: Record<string, unknown>;
}

/**
 * Reads a pack into the database in one transaction. Others see its content only after all of it was read,
 * compared with its checksums, and found to match the content hash.
 */
export const installReference: Operation<'install_reference'> = {
  name,
  async run(payload, context) {
    const { url } = payload;
    await context.emit(`${name}.start`, { url });
    const stream = await context.sources.open(url, { signal: context.signal });
    const reader = await PackReader.open(stream.bytes, context.settings.packs ?? anySigner);
    let installed: Installed;
    try {
      const { reference } = reader.manifest;
      await context.emit(`${name}.manifest`, {
        reference: `${reference.name}@${reference.version}`,
        content_sha256: reference.content_sha256,
        signed_by: reader.signedBy,
      });
      installed = await inTransaction(context.db, (trx) =>
        install({ trx, reader, payload, context, digests: new RowDigests() }),
      );
    } catch (error) {
      throw problemOf(error);
    } finally {
      await reader.close();
    }
    await buildBanks(installed, context);
    await forgetFile(url, context);
    const result = {
      reference: installed.reference,
      content_sha256: reader.manifest.reference.content_sha256,
      signed_by: reader.signedBy,
      skipped: installed.skipped,
      ...installed.facts,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

function problemOf(error: unknown): unknown {
  if (isRaceOfRows(error)) return new RetryLater('Another job writes the same rows', 1000);
  const fault = faultOfRows(error);
  return fault === null ? error : damaged(`the database does not take its rows (${fault})`);
}

async function install(installation: Installation): Promise<Installed> {
  const { trx, reader, payload, context } = installation;
  const { manifest } = reader;
  const own = {
    name: payload.name ?? manifest.reference.name,
    version: payload.version ?? manifest.reference.version,
  };
  const version = `${own.name}@${own.version}`;
  await lockReferenceName(trx, own.name);
  const present = await equalReference(installation, own);
  if (present !== null) return { id: present, reference: version, skipped: true, facts: {} };
  await prepareInstallation(trx);
  const configs = await installConfigs(trx, manifest);
  const row = await insertReference(
    trx,
    { ...own, evidence: manifest.reference.evidence, job_id: context.jobId },
    configs.map(({ id }) => id),
  );
  for (const table of rowTables) if (table !== 'annotations') await stageMember(installation, table);
  const snapshotId = await installOntology(installation);
  const sequencesAdded = await installSequences(trx);
  const proteins = await installProteins(trx, row.number);
  if (proteins.listed !== manifest.reference.protein_count)
    throw damaged('its proteins are not those of its manifest');
  const set = await installWholeSet(installation, { referenceId: row.id, version, snapshotId });
  const vectors = await installAllVectors(installation, configs);
  const taxonomy = await installTaxonomy(installation);
  await installMapping(installation, version);
  await installStatistics(trx, reader.member(statisticsName), {
    annotationSetId: set.id,
    snapshotId,
    configIds: configs.map(({ id }) => id),
    jobId: context.jobId,
    reference: version,
  });
  await reader.finish();
  await attachInstalledSet(trx, set.number);
  await checkContent(installation, { referenceNumber: row.number, setNumber: set.number, configs });
  await complete(installation, { id: row.id, snapshotId, setId: set.id, configs });
  context.signal.throwIfAborted();
  return {
    id: row.id,
    reference: version,
    skipped: false,
    facts: {
      proteins: proteins.listed,
      proteins_added: proteins.added,
      sequences_added: sequencesAdded,
      annotations: set.rows,
      ...vectors,
      taxonomy,
    },
  };
}

/**
 * Gives the id of an equal reference that is installed already.
 * @throws ProblemError already_exists if another reference has this name
 */
async function equalReference(
  { trx, reader }: Installation,
  own: { name: string; version: string },
): Promise<string | null> {
  const present = await findReferenceByName(trx, own);
  if (present === undefined) return null;
  const isEqual = present.content_sha256 === reader.manifest.reference.content_sha256;
  if (present.status === 'complete' && isEqual) return present.id;
  throw new ProblemError(
    'already_exists',
    `${own.name}@${own.version} exists with other content. Give the pack another name or version (--name, --version), or remove that reference first.`,
  );
}

/** Installs the annotation set with its rows, which others see once it is attached. */
async function installWholeSet(
  installation: Installation,
  { referenceId, version, snapshotId }: { referenceId: string; version: string; snapshotId: string },
): Promise<{ id: string; number: number; rows: number }> {
  const { trx, context } = installation;
  const { manifest } = installation.reader;
  const { id, number } = await installSet(trx, {
    sourceVersion: version,
    snapshotId,
    contentSha256: manifest.annotations.content_sha256,
    annotationCount: manifest.annotations.annotation_count,
    proteinCount: manifest.annotations.protein_count,
    statistics: manifest.annotations.statistics,
    newestAnnotationDate: manifest.annotations.newest_annotation_date,
    jobId: context.jobId,
    meta: { reference_id: referenceId, evidence: manifest.reference.evidence, installed: true },
  });
  const rows = await readMember(installation, 'annotations', (lines) =>
    installAnnotations(trx, { setNumber: number, snapshotId }, lines),
  );
  if (rows !== manifest.annotations.annotation_count)
    throw damaged('its annotations are not those of its manifest');
  return { id, number, rows };
}

/**
 * Checks that the pack keeps its promises: the rows that were read have its hash, and the number of stored
 * rows is right.
 * @throws ProblemError bad_file
 */
async function checkContent(
  { trx, reader, digests }: Installation,
  stored: { referenceNumber: number; setNumber: number; configs: readonly EmbeddingConfigRow[] },
): Promise<void> {
  const { manifest } = reader;
  const content = {
    oboSha256: manifest.ontology.obo_sha256,
    configIds: stored.configs.map(({ id }) => id),
    parts: manifest.reference.parts,
  };
  const contentSha256 = await referenceContentSha256(trx, content, digests.finish());
  const claimed = manifest.reference.content_sha256;
  if (claimed === contentSha256 || claimed === (await earlierContentSha256(trx, content, stored))) return;
  throw damaged(`its content has the hash ${contentSha256}, and its manifest says ${claimed}`);
}

function stageMember(installation: Installation, table: Exclude<Table, 'annotations'>): Promise<number> {
  return readMember(installation, table, (lines) => stageRows(installation.trx, table, lines));
}

/** `write` takes all rows of the member and returns their number. */
async function readMember(
  { reader, context, digests }: Installation,
  table: Table,
  write: (lines: AsyncIterable<Buffer>) => Promise<number>,
): Promise<number> {
  context.signal.throwIfAborted();
  const member = rowsName(table);
  const rows = await write(digests.watch(table, reader.member(member))).catch(throwDamaged);
  const expected = reader.manifest.members.find((one) => one.name === member)?.rows;
  if (rows !== expected) throw damaged(`${member} has ${rows} rows, and its manifest says ${expected}`);
  await context.progress(reader.position, reader.sizeBytes);
  return rows;
}

/** A RangeError names the content that a pack must not have, so the pack counts as damaged. */
function throwDamaged(error: unknown): never {
  throw error instanceof RangeError ? damaged(`it has ${error.message}`) : error;
}

async function installConfigs(trx: Transaction, { vectors }: PackManifest): Promise<EmbeddingConfigRow[]> {
  const configs: EmbeddingConfigRow[] = [];
  for (const { vector_count: _, ...config } of vectors)
    configs.push((await findEqualConfig(trx, config)) ?? (await insertEmbeddingConfig(trx, config)));
  if (new Set(configs.map(({ id }) => id)).size !== configs.length)
    throw damaged('it has the same vectors twice');
  return configs;
}

/** Installs the release of the ontology, or uses a release that was loaded from the same file. */
async function installOntology({ trx, reader }: Installation): Promise<string> {
  const { ontology } = reader.manifest;
  const stored = await findSnapshotByVersion(trx, ontology.obo_version);
  if (stored !== undefined) {
    if (stored.obo_sha256 === ontology.obo_sha256) return stored.id;
    throw new ProblemError(
      'conflict',
      `The ontology release ${ontology.obo_version} is here from another file (SHA-256 ${stored.obo_sha256}, in the pack ${ontology.obo_sha256}), and a service has each release once. Nothing was installed.`,
    );
  }
  const { id } = await insertSnapshotRow(trx, {
    ...ontology,
    term_counts: JSON.stringify(ontology.term_counts),
  });
  const { relations, altIds } = await installTerms(trx, id);
  if (relations !== ontology.relationship_count || altIds !== ontology.alt_id_count)
    throw damaged('the relations of its ontology are not those of its manifest');
  return id;
}

async function installAllVectors(installation: Installation, configs: readonly EmbeddingConfigRow[]) {
  const counts = { vectors: 0, vectors_added: 0, vectors_kept_that_differ: 0 };
  for (const position of configs.keys()) {
    const { stored, different, count } = await installVectorsOf(installation, position, configs[position]);
    counts.vectors += count;
    counts.vectors_added += stored;
    counts.vectors_kept_that_differ += different;
  }
  if (counts.vectors_kept_that_differ > 0) {
    const { context } = installation;
    await context.emit(`${name}.vectors_differ`, { vectors: counts.vectors_kept_that_differ }, 'warning');
  }
  return counts;
}

async function installVectorsOf(
  { trx, reader, context }: Installation,
  position: number,
  config: EmbeddingConfigRow,
) {
  const { vector_count } = reader.manifest.vectors[position];
  const count = await stageVectorIndex(trx, reader.member(vectorIndexName(position)));
  if (count !== vector_count) throw damaged(`it has ${count} vectors, and its manifest says ${vector_count}`);
  const bytesPerVector = 2 * config.dimension;
  const placed = await placeVectors(trx, config.number, count).catch(throwDamaged);
  const sum = { stored: 0, different: 0 };
  let done = 0;
  const blocks = blocksOf(reader.member(vectorsName(position)), vectorsPerCopy * bytesPerVector);
  // The next block is read while the database takes this one.
  for await (const vectors of readAhead(blocks)) {
    context.signal.throwIfAborted();
    const rows = vectors.length / bytesPerVector;
    if (!Number.isInteger(rows) || done + rows > count) throw damaged('its vectors have another size');
    const block = { first: done, count: rows, bytesPerVector, vectors };
    const { stored, different } = await installVectors(trx, config.number, placed, block);
    sum.stored += stored;
    sum.different += different;
    done += rows;
    await context.progress(reader.position, reader.sizeBytes);
  }
  if (done !== count) throw damaged('vectors are missing');
  return { ...sum, count };
}

/** Cuts the chunks into blocks of `size` bytes; the last one may be shorter. */
async function* blocksOf(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0; ) {
      const part = rest.subarray(0, size - bytes);
      rest = rest.subarray(part.length);
      held.push(part);
      bytes += part.length;
      if (bytes < size) continue;
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
}

/** A service has one taxonomy, so an existing taxonomy stays. */
async function installTaxonomy(installation: Installation): Promise<'installed' | 'kept' | 'none'> {
  const { trx, reader, context } = installation;
  const { taxonomy } = reader.manifest;
  const taxa = await stageMember(installation, 'taxonomy/taxa');
  await stageMember(installation, 'taxonomy/merged');
  if (taxonomy === null) return 'none';
  if (taxa !== taxonomy.taxon_count) throw damaged('its taxonomy is not that of its manifest');
  await lockTaxonomy(trx);
  const current = await currentTaxonomy(trx);
  if (current !== undefined) {
    if (current.content_sha256 !== taxonomy.content_sha256)
      await context.emit(`${name}.taxonomy_kept`, { content_sha256: current.content_sha256 }, 'warning');
    return 'kept';
  }
  await installTaxa(trx);
  await insertTaxonomyRow(trx, { ...taxonomy, files: JSON.stringify(taxonomy.files), job_id: context.jobId });
  return 'installed';
}

async function installMapping(installation: Installation, version: string): Promise<void> {
  const { trx, reader, context } = installation;
  const { interpro_mapping } = reader.manifest;
  const pairs = await stageMember(installation, 'interpro-go');
  if (interpro_mapping === null) return;
  if (pairs !== interpro_mapping.pair_count)
    throw damaged('its InterPro mapping is not that of its manifest');
  const header = JSON.stringify(interpro_mapping.header);
  const row = { ...interpro_mapping, header, source_version: version, job_id: context.jobId };
  if (await insertMappingRow(trx, row)) await installInterproPairs(trx, version);
}

async function complete(
  { trx, reader, payload }: Installation,
  made: { id: string; snapshotId: string; setId: string; configs: readonly EmbeddingConfigRow[] },
): Promise<void> {
  const { reference, vectors } = reader.manifest;
  await completeReference(trx, made.id, {
    contentSha256: reference.content_sha256,
    snapshotId: made.snapshotId,
    annotationSetId: made.setId,
    parts: reference.parts,
    proteinCount: reference.protein_count,
    leftOut: reference.left_out,
    vectorCounts: vectors.map(({ vector_count }) => vector_count),
  });
  if (reference.reliability !== null) await setReliability(trx, made.id, reference.reliability);
  if (payload.make_default === true)
    await setAnnotateDefaults(trx, {
      annotation_set_id: made.setId,
      embedding_config_id: made.configs[0].id,
    });
}

/** Builds the banks, so that the first prediction need not wait. The reference is complete without them. */
async function buildBanks({ id }: Installed, context: OperationContext): Promise<void> {
  const { db, memory, settings, artifacts, emit } = context;
  const reference = await findReference(db, id);
  if (reference === undefined) return;
  const counted = await findAnnotationSet(db, reference.annotation_set_id as string);
  if (counted !== undefined) await countSetTerms(counted, context);
  for (const { embedding_config_id } of reference.vectors) {
    const config = await findEmbeddingConfig(db, embedding_config_id);
    const set = await findAnnotationSet(db, reference.annotation_set_id as string);
    if (config === undefined || set === undefined) continue;
    await ensureReferenceBank({ db, memory }, settings.cacheDir, { config, set }, { artifacts, emit });
  }
}

async function forgetFile(url: string, { db, artifacts }: OperationContext): Promise<void> {
  const sha256 = /^upload:([0-9a-f]{64})$/.exec(url)?.[1];
  const file = sha256 === undefined ? undefined : await findReferenceFile(db, sha256);
  if (file === undefined) return;
  await forgetReferenceFile(db, file.sha256);
  await artifacts.delete(file.uri);
}
