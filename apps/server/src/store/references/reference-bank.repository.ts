import type { Aspect } from '@kindred/contracts';
import { GrowingInt32 } from '@kindred/kernels/arrays';
import { type RawBuilder, sql } from 'kysely';
import { type Database, inTransaction, type Queryable } from '../postgres/connection.js';
import { copiedRows } from '../postgres/copied-rows.js';
import { negatedRow, transferable, transferableRow } from '../postgres/fragments/annotation-rows.js';
import { proteinsOfSet } from '../postgres/fragments/references.js';

/** The fingerprint is part of the bank's key: it changes whenever its vectors or annotations change. */
export interface BankFingerprint {
  vectors: number;
  newest: string | null;
  checksum: string;
}

/** Reads all vectors of the set's proteins, unless bank_change has no note since the last reading. */
export async function bankFingerprint(
  db: Database,
  configNumber: number,
  setNumber: number,
): Promise<BankFingerprint> {
  const changes = sql`(select coalesce(sum(changes), 0)::bigint from bank_change
    where embedding_config_number = ${configNumber} or embedding_config_number is null)`;
  const { rows: kept } = await sql<BankFingerprint>`
    select vectors, newest, checksum from bank_fingerprint
    where embedding_config_number = ${configNumber} and annotation_set_number = ${setNumber} and changes = ${changes}`.execute(
    db,
  );
  if (kept.length > 0) return kept[0];
  const { noted, ...fingerprint } = await inTransaction(db, async (trx) => {
    const sequences = await sequencesOfSet(trx, setNumber);
    // The planner expects 200 sequences instead of hundreds of thousands, and would look for each of them.
    await trx.client.query(`set local enable_nestloop = off; set local work_mem = '32MB'`);
    // One statement reads both, so that they belong to the same moment.
    const { rows } = await sql<BankFingerprint & { noted: number }>`
      select ${changes} as noted, count(*)::int as vectors, max(e.created_at)::text as newest,
        coalesce(sum(e.sequence_id * (e.chunk_index_s + 1)), 0)::text as checksum
      from sequence_embedding e where e.embedding_config_number = ${configNumber} and e.sequence_id in (${sequences})`.execute(
      trx,
    );
    return rows[0];
  });
  const { vectors, newest, checksum } = fingerprint;
  await sql`
    insert into bank_fingerprint (embedding_config_number, annotation_set_number, changes, vectors, newest, checksum)
    values (${configNumber}, ${setNumber}, ${noted}, ${vectors}, ${newest}, ${checksum})
    on conflict (embedding_config_number, annotation_set_number) do update
      set (changes, vectors, newest, checksum) = (excluded.changes, excluded.vectors, excluded.newest, excluded.checksum)
      where bank_fingerprint.changes < excluded.changes`.execute(db);
  return fingerprint;
}

/**
 * Selects the sequences of the proteins of the set's reference, else of the annotated ones, because the
 * annotations of a set do not change.
 */
async function sequencesOfSet(db: Queryable, setNumber: number): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ number: number }>`
    select r.number from reference r join annotation_set s on s.id = r.annotation_set_id where s.number = ${setNumber}`.execute(
    db,
  );
  return rows.length > 0
    ? sql`select m.sequence_id from reference_protein m where m.reference_number = ${rows[0].number}`
    : sql`select p.sequence_id from protein p where p.id in (
        select a.protein_id from protein_go_annotation a where a.annotation_set_number = ${setNumber})`;
}

const changesKept = 1000;

/** Adds up the notes of each configuration that has many. */
export async function foldBankChanges(db: Queryable): Promise<void> {
  await sql`
    with gone as (
      delete from bank_change where (select count(*) from bank_change) > ${changesKept} returning embedding_config_number, changes)
    insert into bank_change (embedding_config_number, changes)
    select embedding_config_number, sum(changes) from gone group by embedding_config_number`.execute(db);
}

export interface SourceRow {
  id: number;
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
}

/**
 * Lists proteins that have a transferable annotation in the set and a vector in the configuration, by
 * accession (bytes).
 */
export function bankSources(db: Database, configNumber: number, setNumber: number): Promise<SourceRow[]> {
  return inTransaction(db, async (trx) => {
    // Millions of annotations are compared with as many proteins, which with less memory needs files.
    await trx.client.query(`set local work_mem = '64MB'`);
    const { rows } = await sql<SourceRow>`
      select p.id, p.accession, p.sequence_id, p.taxonomy_id from ${proteinsOfSet(setNumber)} p
      where p.id in (select a.protein_id from protein_go_annotation a join go_term t on t.id = a.go_term_id
                     where a.annotation_set_number = ${setNumber} and ${transferable})
        and exists (select from sequence_embedding e where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id)
      order by p.accession collate "C"`.execute(trx);
    return rows;
  });
}

/**
 * Lists proteins with a transferable annotation in the set, with or without vectors, by accession (bytes).
 */
export async function annotatedSources(db: Queryable, setNumber: number): Promise<SourceRow[]> {
  const { rows } = await sql<SourceRow>`
    select p.id, p.accession, p.sequence_id, p.taxonomy_id from ${proteinsOfSet(setNumber)} p
    where p.id in (select a.protein_id from protein_go_annotation a join go_term t on t.id = a.go_term_id
                   where a.annotation_set_number = ${setNumber} and ${transferable})
    order by p.accession collate "C"`.execute(db);
  return rows;
}

/** The evidence groups of electronic annotations depend on this method of a row `a`. */
const methodText = String.raw`case when a.evidence_code = 'IEA' and a.db_reference like 'GO\_REF:%' then split_part(a.db_reference, '|', 1) end`;
const method = sql.raw(methodText);

/** The kind of a source's row has all its facts except protein and term. */
export interface DonatedKind {
  evidence_code: string;
  qualifier: string | null;
  assigned_by: string | null;
  /**
   * An electronic annotation names its method, such as `GO_REF:0000002`; null if the source does not name it.
   */
  method: string | null;
}

/** The rows come as columns, unordered; a row may come twice. */
export interface DonatedTerms {
  proteinId: Int32Array;
  termId: Int32Array;
  /** The reader numbers the kinds, and each row has its number. */
  kind: Int32Array;
}

/**
 * Reads the rows that sources may give, including those of obsolete terms. There are millions of rows, of few
 * kinds.
 */
export class DonatedTermReader {
  readonly kinds: DonatedKind[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #db: Database;
  readonly #setNumber: number;

  constructor(db: Database, setNumber: number) {
    this.#db = db;
    this.#setNumber = setNumber;
  }

  /** Reads the terms of the proteins with ids `fromId` to `toId` (exclusive). */
  async read(fromId: number, toId: number): Promise<DonatedTerms> {
    const columns = 'a.protein_id, a.go_term_id, a.evidence_code, a.qualifier, a.assigned_by';
    const rows = await inTransaction(this.#db, (trx) =>
      copiedRows(
        trx,
        `select ${columns}, ${methodText} from protein_go_annotation a
         where a.annotation_set_number = ${Number(this.#setNumber)} and a.protein_id >= ${Number(fromId)}
           and a.protein_id < ${Number(toId)} and ${transferableRow}`,
      ),
    );
    const given = { proteinId: new GrowingInt32(), termId: new GrowingInt32(), kind: new GrowingInt32() };
    while (rows.next()) {
      given.proteinId.push(rows.int4());
      given.termId.push(rows.int4());
      const key = rows.key(4);
      let kind = this.#numbers.get(key);
      if (kind === undefined) {
        rows.back();
        const [evidence_code, qualifier, assigned_by, method] = [0, 1, 2, 3].map(() => rows.text());
        kind =
          this.kinds.push({ evidence_code: evidence_code as string, qualifier, assigned_by, method }) - 1;
        this.#numbers.set(key, kind);
      }
      given.kind.push(kind);
    }
    return { proteinId: given.proteinId.view(), termId: given.termId.view(), kind: given.kind.view() };
  }
}

export interface NegatedTermRow extends Pick<DonatedKind, 'evidence_code' | 'assigned_by' | 'method'> {
  go_term_id: number;
  accession: string;
}

/** Reads live terms that a curator denied to these proteins (NOT). */
export async function negatedTerms(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<NegatedTermRow[]> {
  const { rows } = await sql<NegatedTermRow>`
    select distinct p.accession, a.go_term_id, a.evidence_code, a.assigned_by, ${method} as method
    from protein p join protein_go_annotation a on a.protein_id = p.id and a.annotation_set_number = ${setNumber}
    where p.accession = any(${accessions}::text[]) and ${sql.raw(negatedRow('a'))}`.execute(db);
  return rows;
}

export interface BankTermRow {
  id: number;
  go_id: string;
  aspect: Aspect;
}

/** Reads the live terms of the snapshot, by GO id. */
export async function bankTerms(db: Queryable, snapshotId: string): Promise<BankTermRow[]> {
  return db
    .selectFrom('go_term')
    .select(['id', 'go_id', 'aspect'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .where('is_obsolete', '=', false)
    .orderBy(sql`go_id collate "C"`)
    .execute() as Promise<BankTermRow[]>;
}

export interface VectorRow {
  sequence_id: number;
  embedding: Buffer;
}

/** Reads the vectors of the given sequences, by sequence id and chunk. */
export async function vectorsOf(
  db: Queryable,
  configNumber: number,
  sequenceIds: number[],
): Promise<VectorRow[]> {
  return db
    .selectFrom('sequence_embedding')
    .select(['sequence_id', 'embedding'])
    .where('embedding_config_number', '=', configNumber)
    .where('sequence_id', '=', sql<number>`any(${sequenceIds}::bigint[])`)
    .orderBy('sequence_id')
    .orderBy('chunk_index_s')
    .execute();
}

/**
 * Reads the float16 bits of the vectors of these sequences, one after the other: in the order of the ids,
 * then by chunk.
 */
export async function vectorBitsOf(
  db: Database,
  configNumber: number,
  { sequenceIds, dimension }: { sequenceIds: Float64Array; dimension: number },
): Promise<Uint16Array> {
  const rows = await inTransaction(db, (trx) =>
    copiedRows(
      trx,
      `select e.embedding from unnest('{${sequenceIds.join(',')}}'::bigint[]) with ordinality as asked (id, place)
         join sequence_embedding e on e.embedding_config_number = ${Number(configNumber)} and e.sequence_id = asked.id
         order by asked.place, e.chunk_index_s`,
    ),
  );
  const vectors: Buffer[] = [];
  while (rows.next()) vectors.push(rows.bytea());
  const bits = new Uint16Array(vectors.length * dimension);
  const bytes = new Uint8Array(bits.buffer);
  vectors.forEach((vector, i) => {
    bytes.set(vector, i * dimension * 2);
  });
  return bits;
}

/**
 * Lists sequences with several vectors (chunks) in the configuration, and how many; in most configurations
 * each has one.
 */
export async function severalVectors(
  db: Database,
  configNumber: number,
): Promise<{ sequenceId: number; count: number }[]> {
  const rows = await inTransaction(db, (trx) =>
    copiedRows(
      trx,
      `select sequence_id, count(*)::int from sequence_embedding where embedding_config_number = ${Number(configNumber)}
       group by sequence_id having count(*) > 1`,
    ),
  );
  const several: { sequenceId: number; count: number }[] = [];
  while (rows.next()) several.push({ sequenceId: rows.int8(), count: rows.int4() });
  return several;
}
