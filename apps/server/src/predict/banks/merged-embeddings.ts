import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import type { AgreementCurve } from '@kindred/kernels/merging';
import { agreementTask } from '../compute/tasks/agreement.js';
import type { MergedEmbedding } from '../compute/merged-search.js';
import { type ReferenceBank, searchedBank, sequenceNumber } from '../compute/reference-bank.js';
import { LastValue } from '../../ground/last-value.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import type { BankContext } from './bank-context.js';
import { combinedCountsOf } from './combined-reference.js';
import { bankKeeping } from './source-choice.js';
import { queryVectors } from './query-vectors.js';

/**
 * The neighbours of this embedding are merged with those of the main one; the bank holds the references in
 * it.
 */
export interface FurtherEmbedding {
  config: { id: string; number: number; dimension: number };
  bank: ReferenceBank;
}

/**
 * The neighbours of several embeddings are merged by these curves; the main embedding's curve comes first.
 */
export interface Merging {
  curves: readonly AgreementCurve[];
  further: readonly FurtherEmbedding[];
}

const common = () => new LastValue<ReferenceBank>();

/**
 * Gives the bank without the references that lack a vector in another bank, so that the choice of the main
 * embedding does not matter. The last one is kept.
 *
 * @throws ProblemError conflict if no reference is left
 */
export async function commonBank(
  bank: ReferenceBank,
  others: readonly ReferenceBank[],
  context: Pick<BankContext, 'compute' | 'memory' | 'signal'>,
): Promise<ReferenceBank> {
  if (others.length === 0) return bank;
  const { referenceSequence, sequenceIds } = bank.arrays;
  const isCommon = Uint8Array.from(sequenceIds, (id) =>
    Number(others.every(({ arrays }) => sequenceNumber(arrays, id) >= 0)),
  );
  const references = Uint8Array.from(referenceSequence, (sequence) => isCommon[sequence]);
  if (!references.includes(0)) return bank;
  if (!references.includes(1))
    throw new ProblemError(
      'conflict',
      'No protein of the annotation set has a vector in all of the embedding configurations: run compute_embeddings with each of them first.',
    );
  const banks = others.map(({ origin }) => origin.key).sort();
  const text = JSON.stringify(['common', bank.origin.key, bank.selection?.key ?? null, banks]);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return context.memory.part(common).get(key, () => bankKeeping(bank, key, references, context));
}

/**
 * If experiments have shown the functions of fewer proteins than this, proteins with other evidence are
 * compared, too.
 */
const leastByExperiment = 100;

/** Measures among the references, for each embedding, a curve from distance to agreement in function. */
export async function agreementCurves(
  bank: ReferenceBank,
  others: readonly ReferenceBank[],
  { metric, snapshotId }: { metric: 'cosine' | 'l2'; snapshotId: string },
  context: Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<{ curves: AgreementCurve[]; proteins: number }> {
  const { reference } = (await combinedCountsOf(bank, snapshotId, context)).shared;
  const { annotated, experimentalTerms, aspect, information } = reference;
  const { start } = experimentalTerms;
  const shown = start.reduce((count, from, r) => count + Number(r > 0 && from > start[r - 1]), 0);
  const rows =
    shown >= leastByExperiment ? experimentalTerms : { start: annotated.start, terms: annotated.terms };
  return context.compute.run(
    agreementTask,
    {
      bank: searchedBank(bank),
      metric,
      embeddings: [bank, ...others].map(({ vectorsFile, arrays }) => ({
        vectorsFile,
        sequenceIds: arrays.sequenceIds,
      })),
      known: { rows, aspect, weight: information },
    },
    { signal: context.signal },
  );
}

/**
 * Makes the input of a search in several embeddings: the curve of the main one, and the others with the
 * vectors of the queries in them.
 */
export async function mergedInput(
  { curves: [curve, ...curves], further }: Merging,
  queries: readonly QueryRow[],
  context: Pick<BankContext, 'db'>,
): Promise<{ curve: AgreementCurve; others: MergedEmbedding[] }> {
  const others: MergedEmbedding[] = [];
  for (const [i, { config, bank }] of further.entries())
    others.push({
      curve: curves[i],
      vectorsFile: bank.vectorsFile,
      sequenceIds: bank.arrays.sequenceIds,
      ...(await queryVectors(queries, config, context)),
    });
  return { curve, others };
}
