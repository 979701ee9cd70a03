import { operationRows } from '@kindred/contracts/operations';
import { routeRow } from '@kindred/contracts/routes';
import { atLeast } from '@kindred/contracts/roles';
import { pathOf, type RouteKey } from '../../app/api/call-route.js';
import { useAccount } from './use-account.js';

/** Returns a function that says whether the visitor may call a route, as far as the role decides. */
export function useMayCall(): (key: RouteKey, operation?: string) => boolean {
  const role = useAccount().data?.role ?? 'viewer';
  return (key, operation) => {
    const { method, path } = pathOf(key);
    const isLight =
      operation === undefined || operationRows.some((row) => row.name === operation && row.light);
    return atLeast(role, routeRow(method, path)?.floor ?? 'admin') && (isLight || atLeast(role, 'operator'));
  };
}
