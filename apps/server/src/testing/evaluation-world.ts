import { sql } from 'kysely';
import type { Database } from '../store/postgres/connection.js';
import { inTransaction, type Transaction } from '../store/postgres/connection.js';
import { storeSequences } from '../store/proteins/sequences.repository.js';

type Term = [id: string, aspect: 'P' | 'F' | 'C', parents: string[], altIds?: string[]];
type Annotation = [protein: string, term: string, evidence?: string, qualifier?: string];
type Prediction = [protein: string, term: string, score: number];

/** Gives GO:0000001 and so on short names. */
export const termId = (number: number): string => `GO:${String(number).padStart(7, '0')}`;

/**
 * Function has 1 > 2 > 3, 1 > 4 > 5, and binding 5488 > 5515; process has 10 > 11 > 12, 10 > 13; component
 * has 20 > 21.
 */
const terms: Term[] = [
  [termId(1), 'F', []],
  [termId(2), 'F', [termId(1)]],
  [termId(3), 'F', [termId(2)], [termId(33)]],
  [termId(4), 'F', [termId(1)]],
  [termId(5), 'F', [termId(4), termId(2)]],
  [termId(5488), 'F', [termId(1)]],
  [termId(5515), 'F', [termId(5488)]],
  [termId(10), 'P', []],
  [termId(11), 'P', [termId(10)]],
  [termId(12), 'P', [termId(11)]],
  [termId(13), 'P', [termId(10)]],
  [termId(20), 'C', []],
  [termId(21), 'C', [termId(20)]],
];
const oldAnnotations: Annotation[] = [
  ['L1', termId(2)],
  ['L2', termId(13)],
  ['K1', termId(2)],
  ['K2', termId(4)],
  ['K3', termId(11)],
  // The annotation is not experimental, so N1 has no known term.
  ['N1', termId(5), 'IEA'],
  ['N2', termId(11), 'ISS'],
];
const newAnnotations: Annotation[] = [
  ...oldAnnotations,
  ['N1', termId(3)],
  ['N1', termId(12)],
  ['N2', termId(12)],
  ['N2', termId(13), 'IDA', 'NOT|involved_in'],
  ['N3', termId(5)],
  // A NOT removes all terms below it, whatever their evidence.
  ['N3', termId(12)],
  ['N3', termId(11), 'IBA', 'NOT|involved_in'],
  ['N4', termId(5515), 'IPI'],
  ['L1', termId(12), 'IMP'],
  ['L2', termId(3)],
  ['L2', termId(21)],
  ['K1', termId(3), 'TAS'],
  ['K1', termId(13)],
  ['K2', termId(5)],
  ['K3', termId(12)],
  ['K3', termId(5515), 'IPI'],
];
const predictions: Prediction[] = [
  ['N1', termId(3), 0.9],
  ['N1', termId(4), 0.75],
  ['N1', termId(2), 0.31],
  ['N1', termId(12), 0.4],
  ['N2', termId(11), 0.82],
  ['N2', termId(13), 0.6],
  ['N3', termId(5), 0.55],
  ['N3', termId(2), 0.2],
  ['L1', termId(12), 0.66],
  ['L1', termId(13), 0.5],
  ['L2', termId(3), 0.2],
  ['L2', termId(21), 0.915],
  ['K1', termId(3), 0.7],
  ['K1', termId(5), 0.45],
  ['K1', termId(13), 0.35],
  ['K2', termId(5), 0.3],
  ['K2', termId(3), 0.8],
  ['K3', termId(13), 0.95],
  ['K3', termId(12), 0.25],
  // X1 is not a target.
  ['X1', termId(3), 1],
];

export interface EvaluationWorld {
  snapshotId: string;
  oldSetId: string;
  newSetId: string;
  predictionSetId: string;
}

/** Makes a small ontology, two annotation sets and a prediction set, with a case for every rule. */
export async function fillEvaluationWorld(db: Database): Promise<EvaluationWorld> {
  return inTransaction(db, async (trx) => {
    await addProteins(trx, ['N1', 'N2', 'N3', 'N4', 'L1', 'L2', 'K1', 'K2', 'K3', 'X1']);
    const snapshotId = await addSnapshot(trx, 'releases/2025-01-01', terms);
    const oldSetId = await addAnnotations(trx, { snapshotId, version: 'old', rows: oldAnnotations });
    const newSetId = await addAnnotations(trx, { snapshotId, version: 'new', rows: newAnnotations });
    const predictionSetId = await addPredictions(trx, { snapshotId, rows: predictions });
    return { snapshotId, oldSetId, newSetId, predictionSetId };
  });
}

async function addProteins(trx: Transaction, accessions: readonly string[]): Promise<void> {
  const texts = accessions.map((_, i) => `MKTAYIAK${'AG'.repeat(i + 1)}`);
  const { ids } = await storeSequences(trx, texts);
  await trx
    .insertInto('protein')
    .values(
      accessions.map((accession, i) => ({
        accession,
        canonical_accession: accession,
        entry_name: `${accession}_TEST`,
        protein_name: 'A protein',
        organism: 'Escherichia coli',
        taxonomy_id: 83333,
        gene_name: `gen${i}`,
        reviewed: i % 2 === 0,
        length: texts[i].length,
        sequence_id: ids[i],
      })),
    )
    .execute();
}

export async function addSnapshot(trx: Transaction, version: string, list: readonly Term[]): Promise<string> {
  const { id } = await trx
    .insertInto('ontology_snapshot')
    .values({
      obo_version: version,
      obo_url: 'https://example.org/go.obo',
      obo_sha256: '0'.repeat(64),
      term_counts: JSON.stringify({ P: 4, F: 7, C: 2, obsolete: 0 }),
      relationship_count: 0,
      alt_id_count: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = await trx
    .insertInto('go_term')
    .values(list.map(([go_id, aspect]) => ({ ontology_snapshot_id: id, go_id, name: go_id, aspect })))
    .returning(['id', 'go_id'])
    .execute();
  const rowOf = new Map(rows.map((row) => [row.go_id, row.id]));
  const edges = list.flatMap(([child, , parents]) =>
    parents.map((parent) => ({
      ontology_snapshot_id: id,
      child_go_term_id: rowOf.get(child) as number,
      parent_go_term_id: rowOf.get(parent) as number,
      relation_type: 'is_a',
    })),
  );
  await trx.insertInto('go_term_relationship').values(edges).execute();
  const alternatives = list.flatMap(([term, , , ids = []]) =>
    ids.map((alt_id) => ({
      ontology_snapshot_id: id,
      alt_id,
      go_term_id: rowOf.get(term) as number,
    })),
  );
  if (alternatives.length > 0) await trx.insertInto('go_term_alt_id').values(alternatives).execute();
  return id;
}

export async function addAnnotations(
  trx: Transaction,
  set: { snapshotId: string; version: string; rows: readonly Annotation[] },
): Promise<string> {
  const { id, number } = await trx
    .insertInto('annotation_set')
    .values({
      source: 'goa',
      source_version: set.version,
      ontology_snapshot_id: set.snapshotId,
      state: 'complete',
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  await sql
    .raw(
      `create table protein_go_annotation_s${number} partition of protein_go_annotation for values in (${number})`,
    )
    .execute(trx);
  for (const [protein, term, evidence = 'IDA', qualifier = 'enables'] of set.rows) {
    await sql`
      insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code, qualifier)
      select ${number}, p.id, t.id, ${evidence}, ${qualifier} from protein p, go_term t
      where p.accession = ${protein} and t.go_id = ${term} and t.ontology_snapshot_id = ${set.snapshotId}`.execute(
      trx,
    );
  }
  return id;
}

/** The distance of a row is 2 (1 - score), as of a cosine. */
export async function addPredictions(
  trx: Transaction,
  set: { snapshotId: string; rows: readonly Prediction[] },
): Promise<string> {
  const { id, number } = await trx
    .insertInto('prediction_set')
    .values({
      method: 'test',
      visibility: 'listed',
      ontology_snapshot_id: set.snapshotId,
      limit_per_entry: 5,
      prediction_count: set.rows.length,
      protein_count: new Set(set.rows.map(([protein]) => protein)).size,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  const columns = {
    protein: set.rows.map(([protein]) => protein),
    term: set.rows.map(([, term]) => term),
    score: set.rows.map(([, , score]) => score),
  };
  await sql`
    insert into go_prediction (prediction_set_number, protein_accession, go_term_id, source_kind, source_id, distance, score, term_rank, is_nearest)
    select ${number}, r.protein, t.id, 'protein', 'REF', 2 * (1 - r.score), r.score,
           row_number() over (partition by r.protein order by r.score desc, r.term), true
    from unnest(${columns.protein}::text[], ${columns.term}::text[], ${columns.score}::real[]) r (protein, term, score)
    join go_term t on t.go_id = r.term and t.ontology_snapshot_id = ${set.snapshotId}`.execute(trx);
  return id;
}
