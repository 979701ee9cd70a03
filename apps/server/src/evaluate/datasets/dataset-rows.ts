import { queriesWithVectors } from '../../store/proteins/queries.repository.js';
import { alternativeIds, labelsOf } from '../../store/evaluation/training-labels.repository.js';
import { GroupBuilder, type LabelledBatch } from './dataset-groups.js';
import { labelRows } from './dataset-labels.js';
import type { ExportPlan, SnapshotPair } from './dataset-plan.js';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { featureRows } from '../../predict/feature-rows.js';
import type { OperationContext } from '../../work/operation/operation.js';
import type { ParquetGroup } from '../../ground/parquet-stream.js';
import { predictColumns } from '../../predict/predict-columns.js';

export interface PairCounts {
  proteins: number;
  proteins_without_vector: number;
  rows: number;
  positive_rows: number;
  rows_by_category: Record<string, number>;
  /**
   * The transferred terms without a label are counted: the protein gained nothing in that aspect, or had the
   * term before.
   */
  left_out: { aspect_without_gain: number; known_before: number };
}

export interface ExportSteps {
  batchSize: number;
  /**
   * The export calls `onPair` before and after each pair, and `onProteins` after each batch with the number
   * of finished proteins.
   */
  onPair(pair: SnapshotPair, counts: PairCounts | null): Promise<void>;
  onProteins(done: number): Promise<void>;
}

/**
 * Yields the row groups of one file: pair by pair, protein by protein, term by term. One batch and one group
 * are in memory.
 */
export async function* datasetGroups(
  plan: ExportPlan,
  pairs: readonly SnapshotPair[],
  steps: ExportSteps,
  context: OperationContext,
): AsyncGenerator<ParquetGroup> {
  const builder = new GroupBuilder();
  for (const pair of pairs) {
    const counts = emptyCounts(pair);
    await steps.onPair(pair, null);
    for await (const batch of labelledBatches(plan, pair, steps.batchSize, context)) {
      countRows(counts, batch);
      yield* builder.add(batch);
      await steps.onProteins(batch.accessions.length);
    }
    await steps.onPair(pair, counts);
  }
  yield builder.take();
}

async function* labelledBatches(
  { config, choices }: ExportPlan,
  pair: SnapshotPair,
  batchSize: number,
  context: OperationContext,
): AsyncGenerator<LabelledBatch> {
  const { db, settings, signal } = context;
  const { evaluationSet, oldSet, proteins } = pair;
  const bank = await ensureReferenceBank(context, settings.cacheDir, { config, set: oldSet });
  const alternatives = await alternativeIds(db, evaluationSet.ontology_snapshot_id);
  for (let from = 0; from < proteins.length; from += batchSize) {
    signal.throwIfAborted();
    const batch = proteins.slice(from, from + batchSize);
    const accessions = batch.map((protein) => protein.accession);
    const queries = await queriesWithVectors(db, { kind: 'accessions', accessions }, [config.number]);
    const subject = { queries, bank, config, snapshotId: oldSet.ontology_snapshot_id };
    const rows = featureRows(await predictColumns(subject, choices, context), bank);
    const ids = batch.map((protein) => protein.id);
    const labels = await labelsOf(db, evaluationSet.number, ids);
    const asked = queries.map((query) => query.accession);
    yield {
      rows,
      labelled: labelRows(rows, asked, bank, { labels, alternatives }),
      accessions: asked,
      bank,
      snapshotPair: pair.name,
    };
  }
}

function emptyCounts({ proteins, withoutVector }: SnapshotPair): PairCounts {
  return {
    proteins: proteins.length,
    proteins_without_vector: withoutVector,
    rows: 0,
    positive_rows: 0,
    rows_by_category: { nk: 0, lk: 0, pk: 0 },
    left_out: { aspect_without_gain: 0, known_before: 0 },
  };
}

function countRows(counts: PairCounts, { labelled }: LabelledBatch): void {
  counts.rows += labelled.place.length;
  for (const label of labelled.label) counts.positive_rows += label;
  for (const category of labelled.category) counts.rows_by_category[category]++;
  counts.left_out.aspect_without_gain += labelled.outside;
  counts.left_out.known_before += labelled.known;
}
