import { atLeast } from '@kindred/contracts';
import type { Principal } from '../accounts/principal.js';
import { withoutFolders } from '../ground/without-folders.js';
import type { Api } from './deps.js';

/**
 * Gives a reply as a caller may see it. Operators see all of it, and others see no folder of this machine:
 * each file:// address in any text becomes the name of the file.
 */
export function shownTo<T>(principal: Principal, value: T): T {
  return atLeast(principal.role, 'operator') ? value : withoutFolders(value);
}

/**
 * Gives JSON text as a caller may see it. The text is parsed only if it has such an address, which is rare.
 */
export function jsonShownTo(principal: Principal, text: string): string {
  return text.includes('file:/') ? JSON.stringify(shownTo(principal, JSON.parse(text))) : text;
}

/**
 * Hides folders in every JSON reply of the scope's routes, because addresses are in payloads, results, events
 * and messages, too.
 */
export function hideServerPaths(api: Api): void {
  api.addHook('onSend', (request, reply, payload, done) => {
    const isJson = typeof payload === 'string' && /[/+]json\b/.test(String(reply.getHeader('content-type')));
    done(null, isJson ? jsonShownTo(request.principal, payload) : payload);
  });
}
