import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemNote } from './problem-note.js';

/** Shows what a query brought, or that it is on its way, or why not. What was shown stays while it is asked again. */
export function Loaded<T>({
  query,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error'>;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error !== null && <ProblemNote error={query.error} title="Could not refresh" />}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <ProblemNote error={query.error} />;
  return <Loader aria-label="Loading" size="sm" />;
}
