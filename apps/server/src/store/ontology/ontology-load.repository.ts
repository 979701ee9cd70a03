import type { Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { OntologySnapshotRow, TermCounts } from './ontology.repository.js';

export interface NewTerm {
  goId: string;
  name: string;
  aspect: Aspect;
  definition: string | null;
  isObsolete: boolean;
  replacedBy: readonly string[];
  consider: readonly string[];
  altIds: readonly string[];
  parents: readonly { id: string; relation: string }[];
}

export interface NewSnapshot {
  oboVersion: string;
  oboUrl: string;
  oboSha256: string;
  termCounts: TermCounts;
  terms: readonly NewTerm[];
  /** The map leads from each alternative id, given once, to the GO id of its term. */
  altIds: ReadonlyMap<string, string>;
}

/** Writes a whole snapshot, and returns its row. Parents must be terms of the snapshot. */
export async function insertSnapshot(trx: Transaction, snapshot: NewSnapshot): Promise<OntologySnapshotRow> {
  const row = await trx
    .insertInto('ontology_snapshot')
    .values({
      obo_version: snapshot.oboVersion,
      obo_url: snapshot.oboUrl,
      obo_sha256: snapshot.oboSha256,
      term_counts: JSON.stringify(snapshot.termCounts),
      relationship_count: snapshot.terms.reduce((sum, term) => sum + term.parents.length, 0),
      alt_id_count: snapshot.altIds.size,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const ids = await copyTerms(trx, row.id, snapshot.terms);
  await copyRelationships(trx, row.id, edgesOf(snapshot.terms, ids));
  await copyAltIds(trx, row.id, snapshot.altIds, ids);
  await analyzeTerms(trx);
  return row;
}

/**
 * Renews the statistics after many new terms. Otherwise, the planner may believe that the tables are empty
 * and join all terms with all terms, which takes minutes.
 */
export async function analyzeTerms(trx: Transaction): Promise<void> {
  await sql`analyze go_term, go_term_relationship, go_term_alt_id`.execute(trx);
}

async function copyTerms(
  trx: Transaction,
  snapshotId: string,
  terms: readonly NewTerm[],
): Promise<Map<string, number>> {
  // The ids are taken first, so that the edges can be copied, too, and nothing is read back.
  const { rows: reserved } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('go_term', 'id')) as id from generate_series(1, ${terms.length}::int)`.execute(
    trx,
  );
  const rows = new BinaryRows(9);
  const ids = new Map<string, number>();
  terms.forEach((term, i) => {
    ids.set(term.goId, reserved[i].id);
    rows.row();
    rows.int4(reserved[i].id);
    rows.bytea(uuidBytes(snapshotId));
    rows.text(term.goId);
    rows.text(term.name);
    rows.text(term.aspect);
    rows.text(term.definition);
    rows.boolean(term.isObsolete);
    rows.bytea(textArray(term.replacedBy));
    rows.bytea(textArray(term.consider));
  });
  const columns = [
    'id',
    'ontology_snapshot_id',
    'go_id',
    'name',
    'aspect',
    'definition',
    'is_obsolete',
    'replaced_by',
    'consider',
  ];
  await copyBinaryRows(trx, 'go_term', columns, rows);
  return ids;
}

interface EdgeRow {
  child: number;
  parent: number;
  relation: string;
}

function* edgesOf(terms: readonly NewTerm[], ids: ReadonlyMap<string, number>): Generator<EdgeRow> {
  for (const term of terms) {
    const child = ids.get(term.goId) as number;
    for (const { id, relation } of term.parents) yield { child, parent: ids.get(id) as number, relation };
  }
}

async function copyRelationships(
  trx: Transaction,
  snapshotId: string,
  edges: Iterable<EdgeRow>,
): Promise<void> {
  const rows = new BinaryRows(4);
  for (const edge of edges) {
    rows.row();
    rows.bytea(uuidBytes(snapshotId));
    rows.int4(edge.child);
    rows.int4(edge.parent);
    rows.text(edge.relation);
  }
  const columns = ['ontology_snapshot_id', 'child_go_term_id', 'parent_go_term_id', 'relation_type'];
  await copyBinaryRows(trx, 'go_term_relationship', columns, rows);
}

async function copyAltIds(
  trx: Transaction,
  snapshotId: string,
  altIds: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = new BinaryRows(3);
  for (const [altId, goId] of altIds) {
    rows.row();
    rows.bytea(uuidBytes(snapshotId));
    rows.text(altId);
    rows.int4(ids.get(goId) as number);
  }
  await copyBinaryRows(trx, 'go_term_alt_id', ['ontology_snapshot_id', 'alt_id', 'go_term_id'], rows);
}

/**
 * Adds the edges of `terms` that the snapshot lacks and corrects its stored count. Terms that the snapshot
 * lacks are skipped.
 */
export async function addMissingRelationships(
  trx: Transaction,
  snapshotId: string,
  terms: readonly NewTerm[],
): Promise<{ added: number; total: number }> {
  const ids = await termIds(trx, snapshotId);
  const stored = await trx
    .selectFrom('go_term_relationship')
    .select(['child_go_term_id', 'parent_go_term_id', 'relation_type'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .execute();
  const known = new Set(stored.map((e) => `${e.child_go_term_id} ${e.parent_go_term_id} ${e.relation_type}`));
  const missing = [
    ...edgesOf(
      terms.filter((term) => ids.has(term.goId)),
      ids,
    ),
  ].filter((e) => e.parent !== undefined && !known.has(`${e.child} ${e.parent} ${e.relation}`));
  await copyRelationships(trx, snapshotId, missing);
  const total = stored.length + missing.length;
  await trx
    .updateTable('ontology_snapshot')
    .set({ relationship_count: total })
    .where('id', '=', snapshotId)
    .execute();
  return { added: missing.length, total };
}

async function termIds(db: Queryable, snapshotId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('go_term')
    .select(['id', 'go_id'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .execute();
  return new Map(rows.map((row) => [row.go_id, row.id]));
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** PostgreSQL reads a text[] without nulls in this binary form. */
function textArray(texts: readonly string[]): Buffer {
  const textOid = 25;
  const head = Buffer.alloc(texts.length === 0 ? 12 : 20);
  head.writeInt32BE(texts.length === 0 ? 0 : 1, 0);
  head.writeInt32BE(textOid, 8);
  if (texts.length === 0) return head;
  head.writeInt32BE(texts.length, 12);
  head.writeInt32BE(1, 16);
  const elements = texts.map((text) => {
    const bytes = Buffer.from(text, 'utf8');
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return Buffer.concat([head, ...elements]);
}
