import { expectTypeOf, it } from 'vitest';
import type { Input, PathOf, Reply } from './types.js';

it('types what is sent and what is replied by the contracts', () => {
  expectTypeOf<Reply<'GET', '/jobs/:id'>['queue_position']>().toEqualTypeOf<number | null>();
  expectTypeOf<Reply<'GET', '/annotations/snapshots'>[number]['term_counts']['P']>().toEqualTypeOf<number>();
  expectTypeOf<Reply<'GET', '/jobs/:id/events'>[number]['level']>().toEqualTypeOf<
    'info' | 'warning' | 'error'
  >();
  expectTypeOf<Input<'POST', '/auth/login'>['body']>().toEqualTypeOf<{ email: string; password: string }>();
  expectTypeOf<NonNullable<Input<'POST', '/annotate'>['query']>['save_history']>().toEqualTypeOf<
    'true' | 'false' | '1' | '0' | boolean | undefined
  >();
  expectTypeOf<Input<'GET', '/jobs/:id'>['params']>().toEqualTypeOf<{ id: string }>();
  // @ts-expect-error: a job has an id, and no number
  ({ params: { number: 1 } }) satisfies Input<'GET', '/jobs/:id'>;
  expectTypeOf<'/nowhere'>().not.toExtend<PathOf<'GET'>>();
});
