import type { PairFeatures, TermVectors } from '@kindred/kernels/features';
import { pairFeaturesTask } from './compute/tasks/pair-features.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { TransferOutput } from './compute/tasks/transfer.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import type { RowTaxonomy } from './compare-source-taxa.js';
import { ensureProjection, projectionOf } from './embeddings/embedding-projection.js';
import { knownProteins } from './banks/known-proteins.js';
import { knownTerms } from './known-terms.js';
import type { OperationContext } from '../work/operation/operation.js';
import { termClosure } from './term-closure.js';

export interface PairFeatureSources {
  rows: TransferOutput;
  queries: QueryRow[];
  /** The vectors are Float32 [vectors x dimension], and each names its query. */
  vectors: { vectors: Float32Array; queryOfRow: Int32Array };
  config: { number: number; dimension: number };
  /** The annotation set has this snapshot. */
  snapshotId: string;
  bank: ReferenceBank;
  taxonomy: RowTaxonomy | null;
  /** The vectors have the numbers of the bank's terms; null if no file of them was configured. */
  termVectors: TermVectors | null;
}

/**
 * Computes the features of the (query, term) pairs of a batch that are not columns of their nearest source.
 */
export async function computePairFeatures(
  { rows, queries, vectors, config, snapshotId, bank, taxonomy, termVectors }: PairFeatureSources,
  context: OperationContext,
): Promise<PairFeatures> {
  const { referenceSequence, termAspect } = bank.arrays;
  return context.compute.run(
    pairFeaturesTask,
    {
      rows: {
        query: rows.query,
        term: rows.term,
        sequence: rows.reference.map((reference) => referenceSequence[reference]),
        distance: rows.distance,
      },
      queryCount: queries.length,
      termAspect,
      known: knownTerms(await knownProteins(queries, bank, context), bank),
      closure: await termClosure(context, snapshotId),
      projection: projectionOf(await ensureProjection(config, context), config.dimension),
      vectors: vectors.vectors,
      queryOfVector: vectors.queryOfRow,
      taxa: taxonomy && {
        relation: taxonomy.taxonomic_relation,
        commonAncestors: taxonomy.taxonomic_common_ancestors,
      },
      termVectors,
    },
    { signal: context.signal },
  );
}
