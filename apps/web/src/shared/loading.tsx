import { Button, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isTransient } from '../app/api/problem.js';
import styles from './page.module.css';
import { ProblemNote } from './problem-note.js';

interface Asked<T> extends Pick<UseQueryResult<T>, 'data' | 'error'> {
  isFetching?: boolean;
  refetch?: () => unknown;
}

/**
 * Shows the result of a query, or that it is loading, or why it failed. A result stays on the page while it is loaded again. Its room is
 * kept from the start, so that nothing below jumps far.
 */
export function Loaded<T>({ query, children }: { query: Asked<T>; children: (data: T) => ReactNode }) {
  const { data, error } = query;
  if (data !== undefined) {
    return (
      <>
        {error !== null && <Refusal query={query} error={error} title="Could not refresh" />}
        {children(data)}
      </>
    );
  }
  if (error !== null) return <Refusal query={query} error={error} />;
  return (
    <div className={styles.waiting}>
      <Loader role="status" aria-label="Loading" size="sm" />
    </div>
  );
}

function Refusal<T>({ query, error, title }: { query: Asked<T>; error: Error; title?: string }) {
  const { refetch, isFetching } = query;
  return (
    <div className={styles.refusal}>
      <ProblemNote error={error} title={title} />
      {refetch !== undefined && isTransient(error) && (
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          Try again
        </Button>
      )}
    </div>
  );
}
