import { QueryClient } from '@tanstack/react-query';
import { isTransient } from './api/problem.js';

/** Refusals are answers and are shown at once; only a service that does not answer is asked again. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && isTransient(error),
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
