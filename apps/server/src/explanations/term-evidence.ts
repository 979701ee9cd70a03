import { type Aspect, aspects, ProblemError } from '@kindred/contracts';
import { type EvidenceGroup, evidenceGroups } from '@kindred/kernels/combined';
import { indexOfSorted } from '@kindred/kernels/arrays';
import { z } from 'zod';
import type { BankContext } from '../banks/bank-context.js';
import { combinedInput } from '../banks/combined-input.js';
import { ensureReferenceBank } from '../banks/ensure-reference-bank.js';
import type { ReferenceBank } from '../compute/reference-bank.js';
import { type TermEvidenceOutput, termEvidenceTask } from '../compute/term-evidence-tasks.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../store/embeddings/embedding-configs.repository.js';
import type { NamedPredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import { queryOfSet } from '../store/predictions/term-evidence.repository.js';

export interface AskedTerm {
  accession: string;
  goId: string;
  /** As it was stored. */
  score: number;
  /** The donor whose alignment is wanted. */
  alignWith: string | null;
}

export interface TermEvidence extends TermEvidenceOutput {
  bank: ReferenceBank;
}

/** Scores are stored as float32. */
const scoreTolerance = 1e-6;

const choices = z.looseObject({
  evidence: z
    .array(z.enum(evidenceGroups as readonly [EvidenceGroup, ...EvidenceGroup[]]))
    .nullable()
    .default(null),
  aspect: z
    .enum(aspects as readonly [Aspect, ...Aspect[]])
    .nullable()
    .default(null),
});

/**
 * What the score of a term of a set by the method combined rests on, computed again from the set's reference.
 *
 * @throws ProblemError conflict where the reference was deleted or has changed since, so that the score is another now
 */
export async function explainTerm(
  set: NamedPredictionSetRow,
  { accession, goId, score, alignWith }: AskedTerm,
  { cacheDir, ...context }: BankContext & { cacheDir: string },
): Promise<TermEvidence> {
  const { db } = context;
  const config =
    set.embedding_config_id === null ? undefined : await findEmbeddingConfig(db, set.embedding_config_id);
  const annotations =
    set.annotation_set_id === null ? undefined : await findAnnotationSet(db, set.annotation_set_id);
  const query = await queryOfSet(db, set, accession);
  if (config === undefined || annotations === undefined || query === undefined)
    throw new ProblemError(
      'conflict',
      `What prediction set ${set.id} was made from was deleted, so its evidence cannot be computed. Predict again with a reference that is there.`,
    );
  const subject = { config, set: annotations };
  const bank = await ensureReferenceBank(db, cacheDir, subject);
  const { evidence, aspect } = choices.parse(set.parameters);
  const { input } = await combinedInput(
    { queries: [query], bank, ...subject },
    { k: set.limit_per_entry, evidence, aspect },
    context,
  );
  const found = await context.compute.run(
    termEvidenceTask,
    {
      ...input,
      curves: [],
      term: indexOfSorted(bank.texts.goIds, goId),
      alignWith: alignWith === null ? -1 : referenceOf(bank, alignWith),
    },
    { signal: context.signal },
  );
  if (found.explanation === null || Math.abs(found.explanation.score - score) > scoreTolerance)
    throw new ProblemError(
      'conflict',
      `The reference of prediction set ${set.id} has changed since it was made: ${goId} of ${accession} would score ${found.explanation?.score.toFixed(4) ?? 'nothing'} now, not ${score.toFixed(4)}. Predict again to see the evidence.`,
    );
  return { ...found, bank };
}

function referenceOf(bank: ReferenceBank, accession: string): number {
  const reference = indexOfSorted(bank.texts.accessions, accession);
  if (reference < 0)
    throw new ProblemError(
      'not_found',
      `Protein ${accession} is not among the references of this prediction set.`,
    );
  return reference;
}
