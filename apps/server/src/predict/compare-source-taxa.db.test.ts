import { TaxonomyBuilder, taxonomicRelations } from '@kindred/kernels/taxonomy';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, decodeFrame } from '@kindred/kernels/arrays';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { TransferOutput } from './compute/tasks/transfer.js';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../store/postgres/connection.js';
import { storePredictions } from '../store/predictions/prediction-writer.js';
import { replaceTaxonomy } from '../store/ontology/taxonomy.repository.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { type ComparedTaxa, compareSourceTaxa } from './compare-source-taxa.js';
import type { BatchProduct, OperationContext } from '../work/operation/operation.js';
import { packPredictions, unpackPredictions } from './prediction-frame.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 3);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

/** The tree is 1 - 10 - 20 - 21 and 10 - 30; 7 is a former id of 21. */
async function install(sha256: string): Promise<void> {
  const builder = new TaxonomyBuilder();
  for (const [id, parentId] of [
    [1, 1],
    [10, 1],
    [20, 10],
    [21, 20],
    [30, 10],
  ])
    builder.addNode({ id, parentId, rank: 'clade', line: id });
  builder.addMerged({ oldId: 7, newId: 21, line: 1 });
  const { taxonomy } = builder.finish();
  const about = { contentSha256: sha256, files: [], rejectedLines: 0, jobId: crypto.randomUUID() };
  await inTransaction(db, (trx) =>
    replaceTaxonomy(trx, { taxonomy, nameOf: () => null, ...about }, async () => {}),
  );
}

const queryTaxa = [21, 7, null, 404];
const referenceTaxa = [21, 20, 10, 1, 30, 0, 404];
function everyPair(taxonomySha256: string): ComparedTaxa {
  const count = queryTaxa.length * referenceTaxa.length;
  const ints = (of: (row: number) => number) => Int32Array.from({ length: count }, (_, row) => of(row));
  const rows = {
    query: ints((row) => Math.floor(row / referenceTaxa.length)),
    term: ints(() => 0),
    reference: ints((row) => row % referenceTaxa.length),
    distance: new Float32Array(count),
    score: new Float32Array(count),
    term_rank: ints(() => 1),
    is_nearest: new Uint8Array(count),
    evidence_code: ints(() => 0),
    qualifier: new Uint8Array(count),
  } as unknown as TransferOutput;
  const bank = {
    texts: { accessions: referenceTaxa.map((_, at) => `R${at}`) },
    arrays: {
      referenceTaxon: Int32Array.from(referenceTaxa),
      termRowId: Int32Array.of(5),
      termAspect: Uint8Array.of(1),
    },
  } as unknown as ReferenceBank;
  const queries = queryTaxa.map((taxonomy_id, at) => ({
    accession: `Q${at}`,
    sequence_id: at,
    taxonomy_id,
    length: 9,
  }));
  return { rows, queries, bank, taxonomySha256 };
}
const first = 'a'.repeat(64);

describe('taxonomic columns of a batch', () => {
  it('reach the table through the frame, former ids as what they are now', async () => {
    await install(first);
    const input = everyPair(first);
    const taxonomy = await compareSourceTaxa(input, { db } as unknown as OperationContext);
    const { rows } = input;
    const { query: _query, term: _term, reference: _reference, ...transferred } = rows;
    const texts = { qualifier: ['enables'], evidence_code: ['IDA'], taxonomic_relation: taxonomicRelations };
    const product = packPredictions(
      { rows, hasFeatures: false, columns: { ...transferred, ...taxonomy }, texts },
      { ...input, setNumber: 1, jsonb: false },
    );
    const batch = unpackPredictions(decodeFrame(encodeFrame(product.header, product.blocks)) as BatchProduct);
    await inTransaction(db, (trx) => storePredictions(trx, batch));
    const { rows: stored } = await sql<Record<string, unknown>>`
      select protein_accession as q, ref_taxonomy_id as r, taxonomic_lca as lca, taxonomic_distance as d,
             taxonomic_common_ancestors as n, taxonomic_relation as relation
      from go_prediction order by protein_accession, source_id`.execute(db);
    const known = [
      { r: 21, lca: 21, d: 0, n: 1, relation: 'same' },
      { r: 20, lca: 20, d: 1, n: 3, relation: 'child' },
      { r: 10, lca: 10, d: 2, n: 2, relation: 'descendant' },
      { r: 1, lca: 1, d: 3, n: 1, relation: 'descendant' },
      { r: 30, lca: 10, d: 3, n: 2, relation: 'distant' },
    ];
    const none = { lca: null, d: null, n: null, relation: null };
    const missing = [null, 404].map((r) => ({ r, ...none }));
    expect(stored).toEqual([
      ...[...known, ...missing].map((row) => ({ q: 'Q0', ...row })),
      ...[...known, ...missing].map((row) => ({ q: 'Q1', ...row })),
      ...[...known, ...missing].map(({ r }) => ({ q: 'Q2', r, ...none })),
      ...[...known, ...missing].map(({ r }) => ({ q: 'Q3', r, ...none })),
    ]);
  });

  it('are not made with another taxonomy than the rest of the set', async () => {
    await install('b'.repeat(64));
    await expect(
      compareSourceTaxa(everyPair(first), { db } as unknown as OperationContext),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('predict again') });
  });
});
