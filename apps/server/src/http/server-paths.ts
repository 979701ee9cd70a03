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

/** The same of JSON text, which is parsed only if it has such an address: few replies have one. */
export function jsonShownTo(principal: Principal, text: string): string {
  return text.includes('file:/') ? JSON.stringify(shownTo(principal, JSON.parse(text))) : text;
}

/** On every JSON reply of the scope's routes, since addresses are in payloads, results, events and messages, too. */
export function hideServerPaths(api: Api): void {
  api.addHook('onSend', async (request, reply, payload) => {
    const isJson = typeof payload === 'string' && /[/+]json\b/.test(String(reply.getHeader('content-type')));
    return isJson ? jsonShownTo(request.principal, payload) : payload;
  });
}

/** A copy without folders. */
function withoutFolders<T>(value: T): T {
  if (typeof value === 'string') {
    return (value.includes('file:/') ? value.replaceAll(/file:\/[^\s"'<>|,;()]*/g, fileName) : value) as T;
  }
  if (Array.isArray(value)) return value.map(withoutFolders) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutFolders(item)])) as T;
}

/** `go.obo` of `file:///data/import/go.obo`. */
function fileName(address: string): string {
  const parts = address.slice('file:'.length).split('/');
  return parts.findLast((part) => part !== '') ?? 'file';
}
