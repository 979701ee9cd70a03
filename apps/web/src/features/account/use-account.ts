import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { getAccount, noteVisitor } from '../../app/api/account.js';

const accountKey = ['account'] as const;
const channelName = 'kindred-account';

/** Returns the signed-in account; null if nobody is signed in. */
export function useAccount() {
  return useQuery({ queryKey: accountKey, queryFn: getAccount, staleTime: 300_000 });
}

/**
 * Returns a function that reloads, in this tab and in every other one, everything that was loaded with the old account. It is told whether
 * nobody is signed in now.
 */
export function useAccountChanged(): (isVisitor: boolean) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    (isVisitor) => {
      const channel = new BroadcastChannel(channelName);
      channel.postMessage(isVisitor);
      channel.close();
      noteVisitor(isVisitor);
      return queries.resetQueries();
    },
    [queries],
  );
}

/** Follows a sign-in or sign-out in another tab. Returns a function that ends the following. */
export function followOtherTabs(queries: Pick<QueryClient, 'resetQueries'>): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<boolean>) => {
    noteVisitor(data);
    void queries.resetQueries();
  };
  return () => channel.close();
}

export function useOtherTabs(): void {
  const queries = useQueryClient();
  useEffect(() => followOtherTabs(queries), [queries]);
}
