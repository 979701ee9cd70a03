import { QueryClient } from '@tanstack/react-query';
import { isTransient } from './api/problem.js';

/** The time after which a service that did not answer is asked again, while a page waits for it. */
const awayMs = 5000;

/**
 * Makes the client of all queries. Refusals are answers and are shown at once. Only a service that does not answer is asked again: at
 * once, when the network is back, and every few seconds.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && isTransient(error),
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchInterval: ({ state }) => (state.error !== null && isTransient(state.error) ? awayMs : false),
      },
      mutations: { networkMode: 'always' },
    },
  });
}
