import { pipeline } from 'node:stream/promises';
import { lineBatches } from '@kindred/kernels/formats';
import { sql } from 'kysely';
import { from as copyFrom } from 'pg-copy-streams';
import { partitionOf } from '../postgres/fragments/annotation-rows.js';
import { analyzeTerms } from '../ontology/ontology-load.repository.js';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import { copiedOut, copiedRows } from '../postgres/copied-rows.js';
import type { Transaction } from '../postgres/connection.js';
import { announceNames } from '../proteins/protein-search.repository.js';
import { literal, packedTables, type StagedTable } from './pack-tables.js';

/**
 * Errors of these classes come from the rows of a pack, and not from the server: bad data, broken
 * constraints.
 */
const dataFault = /^(22|23)/;

/** Says why the server did not take the rows; null for any other error. */
export function faultOfRows(error: unknown): string | null {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' && dataFault.test(code) ? (message ?? code) : null;
}

/**
 * Returns true if another transaction wrote one of the rows, or waits for them in the opposite order, so the
 * work can be done again.
 */
export function isRaceOfRows(error: unknown): boolean {
  const { code, table } = error as { code?: unknown; table?: string };
  return code === '40P01' || (code === '23505' && table?.startsWith(stagingPrefix) !== true);
}

/** A row has at most this many UTF-16 units, because the server takes no longer ones. */
const longestRow = 1 << 28;

const stagingPrefix = 'pack_';
const stagingOf = (table: string) => `${stagingPrefix}${table.replaceAll(/\W/g, '_')}`;

/** Reads rows of a pack into a table of this transaction, and returns how many. */
export async function stageRows(
  trx: Transaction,
  table: StagedTable,
  lines: AsyncIterable<Buffer>,
): Promise<number> {
  return stage(trx, table, packedTables[table].columns, lines);
}

async function stage(
  trx: Transaction,
  table: string,
  columns: string,
  lines: AsyncIterable<Buffer>,
): Promise<number> {
  const name = stagingOf(table);
  await trx.client.query(`create temporary table ${name} (${columns}) on commit drop`);
  const target = copyFrom(`copy ${name} from stdin`);
  await pipeline(lines, trx.client.query(target));
  await trx.client.query(`analyze ${name}`);
  return target.rowCount;
}

/** An installation sorts and joins as much as a load, so it gets more memory. */
export async function prepareInstallation(trx: Transaction): Promise<void> {
  await trx.client.query(`set local work_mem = '64MB'; set local idle_in_transaction_session_timeout = 0`);
}

/** Inserts the terms, relations and alternative ids of a new snapshot, and returns how many of each. */
export async function installTerms(
  trx: Transaction,
  snapshotId: string,
): Promise<{ terms: number; relations: number; altIds: number }> {
  const terms = await trx.client.query(
    `insert into go_term (ontology_snapshot_id, go_id, name, aspect, definition, is_obsolete, replaced_by, consider)
     select $1::uuid, go_id, name, aspect, definition, is_obsolete, replaced_by, consider from ${stagingOf('ontology/terms')} order by go_id`,
    [snapshotId],
  );
  const relations = await trx.client.query(
    `insert into go_term_relationship (ontology_snapshot_id, child_go_term_id, parent_go_term_id, relation_type)
     select $1::uuid, c.id, p.id, r.relation_type from ${stagingOf('ontology/relations')} r
     join go_term c on c.ontology_snapshot_id = $1::uuid and c.go_id = r.child
     join go_term p on p.ontology_snapshot_id = $1::uuid and p.go_id = r.parent`,
    [snapshotId],
  );
  const altIds = await trx.client.query(
    `insert into go_term_alt_id (ontology_snapshot_id, alt_id, go_term_id)
     select $1::uuid, a.alt_id, t.id from ${stagingOf('ontology/alternative-ids')} a
     join go_term t on t.ontology_snapshot_id = $1::uuid and t.go_id = a.go_id`,
    [snapshotId],
  );
  await analyzeTerms(trx);
  return { terms: terms.rowCount ?? 0, relations: relations.rowCount ?? 0, altIds: altIds.rowCount ?? 0 };
}

/**
 * Keeps rows of `table` that a staged table lists by `column` from being deleted before the commit, if
 * another transaction wrote them. Nobody else sees the rows of this transaction.
 */
async function keepListed(
  trx: Transaction,
  { table, staging, column }: { table: 'sequence' | 'protein'; staging: string; column: string },
): Promise<void> {
  await trx.client.query(
    `select count(*) from (select from ${table} t join ${staging} i on i.${column} = t.${column}
       where t.xmin <> pg_current_xact_id()::xid order by t.${column} for key share of t) kept`,
  );
}

/**
 * Writes rows whose foreign keys hold because they come from a join with the tables that they name, and these
 * rows are kept (`keepListed`). If the account may, it tells the server not to look each of them up again,
 * which takes most of the time.
 */
async function withKeysThatHold<T>(trx: Transaction, write: () => Promise<T>): Promise<T> {
  const parameter = 'session_replication_role';
  const { rows } = await trx.client.query<{ allowed: boolean }>(
    `select has_parameter_privilege('${parameter}', 'SET') as allowed`,
  );
  if (!rows[0].allowed) return write();
  await trx.client.query(`set local ${parameter} = replica`);
  const written = await write();
  await trx.client.query(`set local ${parameter} = origin`);
  return written;
}

/**
 * Inserts sequences that the catalogue lacks, and returns how many. The others are kept from being deleted
 * meanwhile.
 */
export async function installSequences(trx: Transaction): Promise<number> {
  const staging = stagingOf('sequences');
  const { rowCount } = await trx.client.query(
    `insert into sequence (sequence, sequence_md5, length)
     select sequence, sequence_md5, length(sequence) from ${staging} i
     where not exists (select from sequence s where s.sequence_md5 = i.sequence_md5) order by sequence_md5`,
  );
  await keepListed(trx, { table: 'sequence', staging, column: 'sequence_md5' });
  return rowCount ?? 0;
}

/**
 * Stores the reference's list of proteins, and returns how many are listed and new. Proteins of the catalogue
 * stay unchanged.
 */
export async function installProteins(
  trx: Transaction,
  referenceNumber: number,
): Promise<{ listed: number; added: number }> {
  const staging = stagingOf('proteins');
  await announceNames(trx);
  const added = await trx.client.query(
    `insert into protein (accession, canonical_accession, isoform_index, entry_name, reviewed, protein_name, gene_name, organism,
       taxonomy_id, length, sequence_id)
     select i.accession, i.canonical_accession, i.isoform_index, i.entry_name, i.reviewed, i.protein_name, i.gene_name, i.organism,
       i.taxonomy_id, s.length, s.id
     from ${staging} i join sequence s on s.sequence_md5 = i.sequence_md5
     where not exists (select from protein p where p.accession = i.accession) order by i.accession`,
  );
  await keepListed(trx, { table: 'protein', staging, column: 'accession' });
  const listed = await withKeysThatHold(trx, () =>
    trx.client.query(
      `insert into reference_protein (reference_number, protein_id, sequence_id, taxonomy_id)
       select $1::int, p.id, s.id, i.taxonomy_id
       from ${staging} i join protein p on p.accession = i.accession join sequence s on s.sequence_md5 = i.sequence_md5 order by p.id`,
      [referenceNumber],
    ),
  );
  await trx.client.query('analyze sequence, protein, reference_protein');
  return { listed: listed.rowCount ?? 0, added: added.rowCount ?? 0 };
}

export interface InstalledSet {
  sourceVersion: string;
  snapshotId: string;
  contentSha256: string | null;
  annotationCount: number;
  proteinCount: number;
  statistics: unknown;
  newestAnnotationDate: string | null;
  jobId: string;
  meta: Record<string, unknown>;
}

/** Makes the annotation set, which its commit completes. */
export async function installSet(
  trx: Transaction,
  set: InstalledSet,
): Promise<{ id: string; number: number }> {
  return trx
    .insertInto('annotation_set')
    .values({
      source: 'reference',
      source_version: set.sourceVersion,
      ontology_snapshot_id: set.snapshotId,
      state: 'complete',
      content_sha256: set.contentSha256,
      annotation_count: set.annotationCount,
      protein_count: set.proteinCount,
      statistics: JSON.stringify(set.statistics),
      newest_annotation_date: set.newestAnnotationDate,
      job_id: set.jobId,
      meta: JSON.stringify(set.meta),
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
}

/** The ids have the form that COPY writes, so that they can be compared as they come. */
type WrittenIds = ReadonlyMap<string, string>;

async function writtenIds(trx: Transaction, query: string): Promise<WrittenIds> {
  const ids = new Map<string, string>();
  for await (const { lines } of lineBatches(copiedOut(trx, `copy (${query}) to stdout`)))
    for (const line of lines) {
      const tab = line.indexOf('\t');
      ids.set(line.slice(0, tab), line.slice(tab + 1));
    }
  return ids;
}

/**
 * Inserts the rows of the set, and returns how many. A pack has them protein by protein, so they need no
 * sorting. The accession and the GO id of each are replaced on the way; the server would have to stage and
 * join millions of rows for that.
 * @throws RangeError for a protein or a term that the pack does not have
 */
export async function installAnnotations(
  trx: Transaction,
  { setNumber, snapshotId }: { setNumber: number; snapshotId: string },
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const partition = partitionOf(setNumber);
  const set = Number(setNumber);
  await trx.client.query(
    `create table ${partition} (like protein_go_annotation including defaults, check (annotation_set_number = ${set}))`,
  );
  const proteins = await writtenIds(
    trx,
    `select p.accession, p.id from ${stagingOf('proteins')} i join protein p on p.accession = i.accession`,
  );
  const terms = await writtenIds(
    trx,
    `select go_id, id from go_term where ontology_snapshot_id = ${literal(snapshotId)}`,
  );
  const target = copyFrom(
    `copy ${partition} (annotation_set_number, protein_id, go_term_id, qualifier, evidence_code, assigned_by, db_reference,
       with_from, annotation_date) from stdin`,
  );
  await pipeline(withIds(rows, { set, proteins, terms }), trx.client.query(target));
  await trx.client.query(`create index on ${partition} (protein_id); analyze ${partition}`);
  return target.rowCount;
}

async function* withIds(
  rows: AsyncIterable<Buffer>,
  { set, proteins, terms }: { set: number; proteins: WrittenIds; terms: WrittenIds },
): AsyncGenerator<Buffer> {
  let accession = '';
  let protein: string | undefined;
  for await (const { lines } of lineBatches(rows, { maxLineLength: longestRow })) {
    let text = '';
    for (const line of lines) {
      const first = line.indexOf('\t');
      const second = line.indexOf('\t', first + 1);
      if (protein === undefined || first !== accession.length || !line.startsWith(accession)) {
        accession = line.slice(0, first);
        protein = proteins.get(accession);
      }
      const term = terms.get(line.slice(first + 1, second));
      if (protein === undefined || term === undefined)
        throw new RangeError('annotations of proteins or terms that it does not have');
      text += `${set}\t${protein}\t${term}${line.slice(second)}\n`;
    }
    yield Buffer.from(text);
  }
}

/** Readers of annotations wait from here to the commit, so the attachment comes last. */
export async function attachInstalledSet(trx: Transaction, setNumber: number): Promise<void> {
  await trx.client.query(
    `alter table protein_go_annotation attach partition ${partitionOf(setNumber)} for values in (${Number(setNumber)})`,
  );
}

const indexColumns = `position bigint generated always as identity primary key, sequence_md5 char(32) not null,
  chunk_index_s integer not null, chunk_index_e integer`;

/** Stages the sequence and chunk of each vector that follows, and returns how many. */
export async function stageVectorIndex(trx: Transaction, lines: AsyncIterable<Buffer>): Promise<number> {
  const name = stagingOf('vectors');
  await trx.client.query(`drop table if exists ${name}`);
  await trx.client.query(`create temporary table ${name} (${indexColumns}) on commit drop`);
  const target = copyFrom(`copy ${name} (sequence_md5, chunk_index_s, chunk_index_e) from stdin`);
  await pipeline(lines, trx.client.query(target));
  await trx.client.query(`analyze ${name}`);
  return target.rowCount;
}

/** The vectors of the staged index have these places, in its order. */
export interface PlacedVectors {
  sequenceId: Float64Array;
  chunkStart: Int32Array;
  /** `toTheEnd` stands for a chunk without its own end. */
  chunkEnd: Int32Array;
  /** The value 1 says that the database already has a vector there. */
  isPresent: Uint8Array;
}

const toTheEnd = -1;

/** @throws RangeError if the index names a sequence that the pack does not have */
export async function placeVectors(
  trx: Transaction,
  configNumber: number,
  count: number,
): Promise<PlacedVectors> {
  const rows = await copiedRows(
    trx,
    `select s.id, v.chunk_index_s, coalesce(v.chunk_index_e, ${toTheEnd}), (e.sequence_id is not null)::int
     from ${stagingOf('vectors')} v join sequence s on s.sequence_md5 = v.sequence_md5
     left join sequence_embedding e on e.embedding_config_number = ${Number(configNumber)} and e.sequence_id = s.id
       and e.chunk_index_s = v.chunk_index_s
     order by v.position`,
  );
  const placed: PlacedVectors = {
    sequenceId: new Float64Array(count),
    chunkStart: new Int32Array(count),
    chunkEnd: new Int32Array(count),
    isPresent: new Uint8Array(count),
  };
  let found = 0;
  for (; rows.next(); found++) {
    placed.sequenceId[found] = rows.int8();
    placed.chunkStart[found] = rows.int4();
    placed.chunkEnd[found] = rows.int4();
    placed.isPresent[found] = rows.int4();
  }
  if (found !== count) throw new RangeError('vectors of sequences that it does not have');
  return placed;
}

/** A block has consecutive vectors of the index, float16, little-endian. */
export interface VectorBlock {
  first: number;
  count: number;
  bytesPerVector: number;
  vectors: Buffer;
}

/**
 * Stores the vectors of the block. A vector that exists stays. The result says how many were stored, and how
 * many of the existing ones have other numbers.
 */
export async function installVectors(
  trx: Transaction,
  configNumber: number,
  placed: PlacedVectors,
  block: VectorBlock,
): Promise<{ stored: number; different: number }> {
  const { first, count, bytesPerVector, vectors } = block;
  const bytesOf = (at: number) =>
    vectors.subarray((at - first) * bytesPerVector, (at - first + 1) * bytesPerVector);
  const present: number[] = [];
  const fresh: number[] = [];
  for (let at = first; at < first + count; at++) (placed.isPresent[at] === 1 ? present : fresh).push(at);
  const columns = ['embedding_config_number', 'sequence_id', 'chunk_index_s', 'chunk_index_e', 'embedding'];
  await withKeysThatHold(trx, () =>
    copyRowsWhileWriting(trx, { table: 'sequence_embedding', columns }, fresh.length, (out, n) => {
      const at = fresh[n];
      out.row();
      out.int4(configNumber);
      out.int8(placed.sequenceId[at]);
      out.int4(placed.chunkStart[at]);
      if (placed.chunkEnd[at] === toTheEnd) out.null();
      else out.int4(placed.chunkEnd[at]);
      out.bytea(bytesOf(at));
    }),
  );
  const different =
    present.length === 0 ? 0 : await countDifferent(trx, configNumber, { placed, present, bytesOf });
  return { stored: fresh.length, different };
}

async function countDifferent(
  trx: Transaction,
  configNumber: number,
  {
    placed,
    present,
    bytesOf,
  }: { placed: PlacedVectors; present: readonly number[]; bytesOf: (at: number) => Buffer },
): Promise<number> {
  const { rows } = await trx.client.query<{ number: string; embedding: Buffer }>(
    `select i.number, e.embedding from unnest($2::bigint[], $3::int[]) with ordinality as i (sequence_id, chunk_index_s, number)
     join sequence_embedding e on e.embedding_config_number = $1 and e.sequence_id = i.sequence_id and e.chunk_index_s = i.chunk_index_s`,
    [configNumber, present.map((at) => placed.sequenceId[at]), present.map((at) => placed.chunkStart[at])],
  );
  return rows.filter(({ number, embedding }) => !embedding.equals(bytesOf(present[Number(number) - 1])))
    .length;
}

/** Inserts taxa and former ids, if no taxonomy is loaded. */
export async function installTaxa(trx: Transaction): Promise<void> {
  await trx.client.query(`
    insert into taxon (id, parent_id, rank, name) select id, parent_id, rank, name from ${stagingOf('taxonomy/taxa')} order by id;
    insert into taxon_merged (old_id, new_id) select old_id, new_id from ${stagingOf('taxonomy/merged')} order by old_id;
    analyze taxon, taxon_merged`);
}

/** Locks the taxonomy, so that only one job at a time decides whether one exists. */
export async function lockTaxonomy(trx: Transaction): Promise<void> {
  await sql`lock table taxonomy in share row exclusive mode`.execute(trx);
}

/** Inserts the pairs of a mapping whose row exists. */
export async function installInterproPairs(trx: Transaction, sourceVersion: string): Promise<void> {
  await trx.client.query(
    `insert into interpro_go_mapping (source_version, interpro_accession, go_id)
     select $1, interpro_accession, go_id from ${stagingOf('interpro-go')}`,
    [sourceVersion],
  );
}
