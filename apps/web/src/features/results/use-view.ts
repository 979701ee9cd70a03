import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/results/$setId');

export type View = ReturnType<typeof route.useSearch>;

/**
 * Returns the state of the page of a run in the address, and a function that changes a part of it, without a step in the history and
 * without scrolling.
 */
export function useView(): [View, (part: { [Key in keyof View]?: View[Key] | undefined }) => void] {
  const navigate = route.useNavigate();
  return [
    route.useSearch(),
    (part) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false }),
  ];
}

/** Returns the value of `open` for a known term, because the same term may be open among the predicted ones. */
export function knownOpen(goId: string): string {
  return `known-${goId}`;
}
