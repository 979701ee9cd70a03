import { absent, ProblemError } from '@kindred/contracts';
import { type PropagatedTerms, propagateTerms, type TermShares, termShares } from '@kindred/kernels/scoring';
import { type AnnotationSetRow, findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { annotatedSources, type SourceRow } from '../store/references/reference-bank.repository.js';
import { givenTerms } from './banks/reference-bank-content.js';
import type { OperationContext } from '../work/operation/operation.js';
import { termClosure } from './term-closure.js';

/** A set has transferable annotations, direct and propagated. The live terms are numbered by GO id. */
export interface ReferenceTerms {
  set: AnnotationSetRow;
  /** Sources are ordered by accession. */
  sources: SourceRow[];
  direct: PropagatedTerms;
  /** Each entry of `direct` has an index into evidenceCodes. */
  evidence: Int32Array;
  evidenceCodes: string[];
  /** The terms are given with all terms above, without the roots. */
  propagated: PropagatedTerms;
  shares: TermShares;
  termRowId: Int32Array;
  /** Each term has an aspect: 0 for P, 1 for F, 2 for C. */
  termAspect: Uint8Array;
}

/**
 * @throws ProblemError not_found, conflict (the set is still loading, has another snapshot, or has no term to
 * give)
 */
export async function referenceTerms(
  annotationSetId: string,
  snapshotId: string,
  { db, memory, signal }: Pick<OperationContext, 'db' | 'memory' | 'signal'>,
): Promise<ReferenceTerms> {
  const set = await findAnnotationSet(db, annotationSetId);
  if (set === undefined) throw absent('annotation set', annotationSetId);
  if (set.state !== 'complete')
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} is still being loaded; wait for its job to end.`,
    );
  if (set.ontology_snapshot_id !== snapshotId)
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} was loaded against ontology snapshot ${set.ontology_snapshot_id}; give that as ontology_snapshot_id.`,
    );
  const sources = await annotatedSources(db, set.number);
  if (sources.length === 0)
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} has no annotation that may be transferred to other proteins.`,
    );
  const { arrays, texts } = await givenTerms(db, { set }, sources);
  signal.throwIfAborted();
  const closure = await termClosure({ db, memory }, snapshotId);
  const roots = Uint8Array.from(arrays.termRowId, (_, term) =>
    closure.start[term + 1] - closure.start[term] === 1 ? 1 : 0,
  );
  const direct = { start: arrays.termStart, terms: arrays.terms };
  const propagated = propagateTerms(direct, closure, roots);
  return {
    set,
    sources,
    direct,
    evidence: arrays.evidence,
    evidenceCodes: texts.evidenceCodes,
    propagated,
    shares: termShares(propagated, arrays.termAspect),
    termRowId: arrays.termRowId,
    termAspect: arrays.termAspect,
  };
}
