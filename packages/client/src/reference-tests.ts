import { testText } from '@kindred/contracts/reference-words';
import type { Client } from './client.js';

interface NamedReference {
  name: string;
  version: string;
}

/**
 * Fetches what the tests of the references of a run found, by name@version. References that were never tested, or are deleted, have
 * none.
 *
 * @param isAbsent tells whether an error of the client means that the reference does not exist
 */
export async function testsOfReferences(
  client: Client,
  set: { method: string; reference: NamedReference | null; more_references: readonly NamedReference[] },
  isAbsent: (error: unknown) => boolean,
): Promise<(readonly [reference: string, found: string])[]> {
  // Tests are of the default method alone.
  if (set.method !== 'combined') return [];
  const named = [set.reference, ...set.more_references].filter((one) => one !== null);
  const found = await Promise.all(
    named.map(async ({ name, version }) => {
      const reference = `${name}@${version}`;
      const row = await client
        .get('/references/:reference', { params: { reference } })
        .catch((error: unknown) => {
          if (isAbsent(error)) return null;
          throw error;
        });
      const text = testText(row?.reliability ?? null);
      return text === null ? [] : [[reference, text] as const];
    }),
  );
  return found.flat();
}
