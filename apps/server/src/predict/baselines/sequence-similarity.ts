import { type NumberedSequences, numberSequences, sequenceNumber } from '../compute/reference-bank.js';
import { type SimilarityOutput, similarityTask } from '../compute/tasks/similarity.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';
import type { OperationContext } from '../../work/operation/operation.js';
import type { BaselineMethodRun, BaselinePayload } from './baseline-method.js';
import type { ReferenceTerms } from '../reference-terms.js';
import { sequenceIndex } from '../banks/sequence-index.js';
import type { ScoredTerm } from '../scored-terms.js';

/** Threads take parts of a chunk in turn. */
const queriesPerTask = 100;

/**
 * Every query gets the direct terms of the references that it aligns with, each with the score of the best
 * such alignment.
 */
export async function similarTerms(
  references: ReferenceTerms,
  payload: BaselinePayload,
  context: OperationContext,
): Promise<BaselineMethodRun> {
  const sequences = numberSequences(references.sources.map((source) => source.sequence_id));
  const index = await sequenceIndex(sequences.sequenceIds, context);
  const sourcesOf = sourcesBySequence(references, sequences);
  return async (queries) => {
    const texts = await sequenceTexts(context.db, [...new Set(queries.map((query) => query.sequence_id))]);
    const excluded = Int32Array.from(queries, (query) =>
      payload.include_self ? -1 : sequenceNumber(sequences, query.sequence_id),
    );
    const parts = Array.from({ length: Math.ceil(queries.length / queriesPerTask) }, (_, part) => ({
      from: part * queriesPerTask,
      to: Math.min(queries.length, (part + 1) * queriesPerTask),
    }));
    const found = await Promise.all(
      parts.map(({ from, to }) =>
        context.compute.run(
          similarityTask,
          {
            index,
            key: `${references.set.id} ${context.jobId}`,
            queries: queries.slice(from, to).map((query) => texts.get(query.sequence_id) as string),
            excluded: excluded.slice(from, to),
            maxTargets: payload.max_targets,
            maxLogEValue: Math.log10(payload.expect_value),
          },
          { signal: context.signal },
        ),
      ),
    );
    return parts.flatMap(({ from, to }, part) =>
      termsOfQueries(queries.slice(from, to), found[part], { references, sourcesOf, payload }),
    );
  };
}

function sourcesBySequence({ sources }: ReferenceTerms, sequences: NumberedSequences): number[][] {
  const sourcesOf = Array.from(sequences.sequenceIds, (): number[] => []);
  sources.forEach((source, number) => {
    sourcesOf[sequenceNumber(sequences, source.sequence_id)].push(number);
  });
  return sourcesOf;
}

function termsOfQueries(
  queries: readonly QueryRow[],
  found: SimilarityOutput,
  {
    references,
    sourcesOf,
    payload,
  }: { references: ReferenceTerms; sourcesOf: number[][]; payload: BaselinePayload },
): ScoredTerm[][] {
  const scoreOf = payload.score_by === 'identity' ? found.identity : found.normalisedScore;
  const best = queries.map(() => new Map<number, ScoredTerm>());
  found.query.forEach((query, hit) => {
    if (scoreOf[hit] < payload.minimum_score) return;
    for (const source of sourcesOf[found.sequence[hit]]) {
      const { accession, taxonomy_id } = references.sources[source];
      for (let at = references.direct.start[source]; at < references.direct.start[source + 1]; at++) {
        const term = references.direct.terms[at];
        const known = best[query].get(term);
        if (known !== undefined && known.score >= scoreOf[hit]) continue;
        best[query].set(term, {
          termRowId: references.termRowId[term],
          score: scoreOf[hit],
          source: { kind: 'protein', id: accession, taxonomy_id },
          distance: null,
          evidenceCode: references.evidenceCodes[references.evidence[at]],
        });
      }
    }
  });
  return best.map((terms) => {
    const inOrder = [...terms].sort(([a], [b]) => a - b).map(([, term]) => term);
    return inOrder.sort((a, b) => b.score - a.score);
  });
}
