import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeRows } from '@kindred/contracts';
import { expect, it } from 'vitest';
import { resources, routesOf } from '../../features/workbench/resources.js';

/** Operations that no page uses, and why. */
const unused: Readonly<Record<string, string>> = {
  'GET /references/files/:digest': 'for programs that send large files and go on after a break',
  'DELETE /datasets/:id_or_name': 'by the API alone so far',
  'GET /embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence':
    'the page names the best source of a term; its share of the score is for programs so far',
  'GET /metrics': 'for Prometheus, not for people',
  'POST /auth/api-key-login': 'for programs: a key instead of a password',
  'GET /auth/magic-link/consume': 'the link in a mail leads there by itself',
  'GET /annotations/snapshots/:id':
    'all terms of a release at once, for programs; pages ask for single terms',
  'DELETE /experiment-runs/:run_id/members/:member_id':
    'a member is named by its id, which the list of members shows; by the API for now',
};

const methods: Readonly<Record<string, string>> = {
  get: 'GET',
  page: 'GET',
  download: 'GET',
  address: 'GET',
  post: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Routes that the modules of this folder call by name. */
function calledByName(): string[] {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  return files.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    const calls = text.matchAll(/\bapi\s*\.\s*(get|page|download|address|post|patch|delete)\(\s*'([^']+)'/g);
    return [...calls].map(([, method = '', path]) => `${methods[method]} ${path}`);
  });
}

it('uses every operation of the API, or says why not', () => {
  const all = routeRows.map(({ method, path }) => `${method} ${path}`);
  const used = new Set([...calledByName(), ...routesOf(resources)]);
  expect([...used].filter((key) => !all.includes(key))).toEqual([]);
  expect(Object.keys(unused).filter((key) => used.has(key))).toEqual([]);
  expect(all.filter((key) => !used.has(key) && unused[key] === undefined)).toEqual([]);
  expect(all.filter((key) => used.has(key)).length).toBeGreaterThanOrEqual(110);
});
