import { absent, ProblemError } from '@kindred/contracts';
import type { AnnotationSetRow } from '../store/annotations/annotations.repository.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/** Reads the annotation sets that are searched besides that of the prediction set, in the given order. */
export async function furtherReferences(
  ids: readonly string[] | null,
  { db }: Pick<OperationContext, 'db'>,
): Promise<AnnotationSetRow[]> {
  const sets: AnnotationSetRow[] = [];
  for (const id of new Set((ids ?? []).map((one) => one.toLowerCase()))) {
    const set = await findAnnotationSet(db, id);
    if (set === undefined) throw absent('annotation set', id);
    if (set.state !== 'complete')
      throw new ProblemError(
        'conflict',
        `Annotation set ${id} is still being loaded; wait for its job to end.`,
      );
    sets.push(set);
  }
  return sets;
}
