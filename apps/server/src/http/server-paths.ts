import { atLeast } from '@kindred/contracts';
import type { Principal } from '../accounts/principal.js';
import { withoutFolders } from '../ground/without-folders.js';
import type { Api } from './deps.js';

/**
 * Reply as a caller may see it: operators see all of it, others see no folder of this machine. Each file:// address in any text becomes the
 * name of the file.
 */
export function shownTo<T>(principal: Principal, value: T): T {
  return atLeast(principal.role, 'operator') ? value : withoutFolders(value);
}

/** JSON text as a caller may see it. It is parsed only if it has such an address: few replies have one. */
export function jsonShownTo(principal: Principal, text: string): string {
  return text.includes('file:/') ? JSON.stringify(shownTo(principal, JSON.parse(text))) : text;
}

/** Hides folders in every JSON reply of the scope's routes, since addresses are in payloads, results, events and messages, too. */
export function hideServerPaths(api: Api): void {
  api.addHook('onSend', (request, reply, payload, done) => {
    const isJson = typeof payload === 'string' && /[/+]json\b/.test(String(reply.getHeader('content-type')));
    done(null, isJson ? jsonShownTo(request.principal, payload) : payload);
  });
}
