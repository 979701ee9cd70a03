import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { PartSearch } from '../../app/part-search.js';

interface Change {
  /** Whether the page before stays in the history. */
  keepsHistory?: boolean;
  /** Whether the page stays where it is scrolled to. */
  staysInPlace?: boolean;
}

/** Returns the state of the part that is open, which the address holds, and a function that changes it. */
export function usePartSearch() {
  const search: PartSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (part: Partial<PartSearch>, { keepsHistory = false, staysInPlace = true }: Change = {}) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...part }),
      replace: !keepsHistory,
      resetScroll: !staysInPlace,
    });
  return { search, change };
}

/** Returns the key of the part in the address; undefined for the first part of a page. */
export const usePartKey = (): string | undefined => useParams({ strict: false }).part;
