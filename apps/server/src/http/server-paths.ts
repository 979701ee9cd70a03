import { atLeast } from '@kindred/contracts';
import type { Principal } from '../accounts/principal.js';
import type { Api } from './deps.js';

/**
 * What a caller may see of a reply: operators all of it, others no folder of this machine. Of each file:// address in any
 * text they get the name of the file.
 */
export function shownTo<T>(principal: Principal, value: T): T {
  return atLeast(principal.role, 'operator') ? value : withoutFolders(value);
}

/** On every JSON reply, since addresses are in payloads, results, events and messages, too. */
export function hideServerPaths(api: Api): void {
  api.addHook('preSerialization', async (request, _reply, payload) => shownTo(request.principal, payload));
}

/** The value itself where nothing in it is hidden; else a copy, since the original may be in a cache. */
function withoutFolders<T>(value: T): T {
  if (typeof value === 'string') {
    return (value.includes('file:/') ? value.replaceAll(/file:\/[^\s"'<>|,;()]*/g, fileName) : value) as T;
  }
  if (Array.isArray(value)) {
    const shown = value.map(withoutFolders);
    return shown.some((item, i) => item !== value[i]) ? (shown as T) : value;
  }
  if (!isPlain(value)) return value;
  const shown = Object.entries(value).map(([key, item]) => [key, withoutFolders(item)] as const);
  return shown.some(([key, item]) => item !== value[key]) ? (Object.fromEntries(shown) as T) : value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** `go.obo` of `file:///data/import/go.obo`. */
function fileName(address: string): string {
  const parts = address.slice('file:'.length).split('/');
  return parts.findLast((part) => part !== '') ?? 'file';
}
