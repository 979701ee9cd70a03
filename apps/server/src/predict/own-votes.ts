import { absent, ProblemError } from '@kindred/contracts';
import type { OwnVote } from '@kindred/kernels/scoring';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { nonExperimentalTerms, type PredictedQueryRow } from '../store/predictions/baselines.repository.js';
import type { TermSource } from '../store/predictions/prediction-writer.js';
import { termClosure } from './term-closure.js';
import type { OperationContext } from '../work/operation/operation.js';
import { knownQueries } from './known-queries.js';
import type { ReferenceTerms } from './reference-terms.js';

/** The vote comes from annotations that a query has without an experiment, in this set. */
export interface KnownTerms {
  vote: OwnVote;
  source: TermSource;
}

/** Finds the known annotations of queries, by accession. */
export type OwnVotes = (queries: readonly PredictedQueryRow[]) => Promise<ReadonlyMap<string, KnownTerms>>;

/**
 * Reads own annotations from a set as votes of this weight. Terms are those of `references`, propagated,
 * without roots.
 * @throws ProblemError not_found, conflict (the set is still loading, or has another snapshot than the
 * predictions)
 */
export async function ownVotes(
  annotationSetId: string,
  weight: number,
  { references, snapshotId }: { references: ReferenceTerms; snapshotId: string },
  context: Pick<OperationContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<OwnVotes> {
  const { db } = context;
  const set = await findAnnotationSet(db, annotationSetId);
  if (set === undefined) throw absent('annotation set', annotationSetId);
  if (set.state !== 'complete' || set.ontology_snapshot_id !== snapshotId)
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} is still being loaded, or was loaded against another ontology snapshot than the predictions; name another as own_annotation_set_id.`,
    );
  const closure = await termClosure(context, snapshotId);
  const numberOf = new Map(Array.from(references.termRowId, (rowId, term) => [rowId, term]));
  return async (queries) => {
    const known = await knownQueries(set.number, queries, context);
    const accessions = [...new Set(known.map(({ accession }) => accession))];
    const terms = new Map<string, Set<number>>(accessions.map((accession) => [accession, new Set()]));
    for (const row of await nonExperimentalTerms(db, set.number, accessions)) {
      const term = numberOf.get(row.go_term_id);
      if (term === undefined) continue;
      const above = closure.terms.subarray(closure.start[term], closure.start[term + 1]);
      for (const each of above)
        if (closure.start[each + 1] - closure.start[each] > 1) terms.get(row.accession)?.add(each);
    }
    return new Map(
      known.map(({ query, accession, taxonomy_id }) => [
        query,
        {
          vote: { terms: Int32Array.from(terms.get(accession) ?? []).sort(), weight },
          source: { kind: 'own_annotation', id: accession, taxonomy_id },
        },
      ]),
    );
  };
}
