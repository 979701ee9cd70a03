import type { Input } from '@kindred/client';

/** Groups that the terms of some proteins of a run can be compared with. */
export type Against = NonNullable<
  Input<'POST', '/embeddings/prediction-sets/:id/enrichment'>['body']['compare_with']
>;
export const againsts = ['queries', 'reference'] as const satisfies readonly Against[];
