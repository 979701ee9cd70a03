import { useQuery } from '@tanstack/react-query';
import { getAccount } from '../../app/api/account.js';

export const accountKey = ['account'] as const;

/** The signed-in account; null when nobody is signed in. */
export function useAccount() {
  return useQuery({ queryKey: accountKey, queryFn: getAccount, staleTime: 300_000 });
}
