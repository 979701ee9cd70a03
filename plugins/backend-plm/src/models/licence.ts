import { ProblemError } from '@kindred/contracts';
import type { CatalogueEntry } from './catalogue.js';
import { licences } from './catalogue.js';

/** The terms of a model: the name of its licence, and what it restricts; null if it restricts nothing for its users. */
export interface Terms {
  licence: string | null;
  restriction: string | null;
}

/** The licences that let everybody use a model, by the hub's names. */
const permissive = new Set([
  'mit',
  'apache-2.0',
  'afl-3.0',
  'bsd-2-clause',
  'bsd-3-clause',
  'isc',
  'cc0-1.0',
  'cc-by-4.0',
  'unlicense',
]);

/** @param stated names of licences on the hub's page of the repository */
export function termsOf(entry: CatalogueEntry | undefined, stated: readonly string[]): Terms {
  if (entry) return { licence: entry.licence, restriction: licences[entry.licence] };
  if (stated.length === 0)
    return { licence: null, restriction: 'Its page names no licence, so ask its authors before you use it.' };
  const allowed = stated.every((licence) => permissive.has(licence.toLowerCase()));
  return {
    licence: stated.join(', '),
    restriction: allowed ? null : 'It may restrict what you may do; read it on the page of the model.',
  };
}

/** @throws ProblemError validation_failed if a licence restricts use and nobody has accepted it */
export function requireAccepted({ licence, restriction }: Terms, accepted: boolean, page: string): void {
  if (restriction === null || accepted) return;
  throw new ProblemError(
    'validation_failed',
    `The licence of this model is ${licence ?? 'not stated'}. ${restriction} Read it at ${page}, and if you accept it, run the command again with --accept-licence`,
  );
}
