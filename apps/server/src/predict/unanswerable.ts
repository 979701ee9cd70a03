import { checkSequence } from '@kindred/kernels/query-check';
import type { EmptyReason } from '@kindred/kernels/vocabulary';
import { type QueryRow, sequenceTexts } from '../store/proteins/queries.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import type { ScoredQuery } from './scored-terms.js';

/** The query has no prediction, for this reason. */
interface WithoutAnswer {
  no_answer: EmptyReason;
}

/**
 * Separates queries whose sequence allows no prediction from the others, each in their order. A sequence of
 * the references is accepted even if it is short or unusual.
 */
export async function partUnanswerable<Query extends QueryRow>(
  queries: readonly Query[],
  isReference: (sequenceId: number) => boolean,
  { db }: Pick<OperationContext, 'db'>,
): Promise<{ answerable: Query[]; unanswerable: (Query & WithoutAnswer)[] }> {
  const foreign = queries.map((query) => query.sequence_id).filter((id) => !isReference(id));
  const texts = await sequenceTexts(db, [...new Set(foreign)]);
  const answerable: Query[] = [];
  const unanswerable: (Query & WithoutAnswer)[] = [];
  for (const query of queries) {
    const text = texts.get(query.sequence_id);
    const no_answer = text === undefined ? null : checkSequence(text);
    if (no_answer === null) answerable.push(query);
    else unanswerable.push({ ...query, no_answer });
  }
  return { answerable, unanswerable };
}

export const withoutTerms = (query: Omit<ScoredQuery, 'terms'>): ScoredQuery => ({ ...query, terms: [] });
