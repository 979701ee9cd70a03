import type { Input } from '@kindred/client';

/** The backgrounds of an enrichment: all queries of the run, or its reference. */
export type Against = NonNullable<
  Input<'POST', '/embeddings/prediction-sets/:id/enrichment'>['body']['compare_with']
>;
export const againsts = ['queries', 'reference'] as const satisfies readonly Against[];
