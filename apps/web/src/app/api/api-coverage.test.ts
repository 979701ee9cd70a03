import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeRows } from '@kindred/contracts/routes';
import { expect, it } from 'vitest';
import { resources, routesOf } from '../../features/workbench/resources.js';

/** The operations that no page uses, and why. */
const unused: Readonly<Record<string, string>> = {
  'GET /references/files/:digest': 'for programs that send large files and go on after a break',
  'GET /metrics': 'for Prometheus, not for people',
  'POST /auth/api-key-login': 'for programs: a key instead of a password',
  'GET /auth/magic-link/consume': 'the link in a mail leads there by itself',
  'GET /auth/institutions/:institution/callback': 'the institution leads there by itself',
  'GET /embeddings/prediction-sets/:id/proteins/:accession':
    'all predicted rows, for programs; the page of a protein asks for its answer',
  'GET /annotations/snapshots/:id':
    'all terms of a release at once, for programs; pages ask for single terms',
  'POST /annotations/sets/:id/enrichment':
    'the page compares predicted terms; lists of annotated proteins are for the API and the command line',
  'GET /webhooks': 'webhooks are for programs, whose authors set them up by the API',
  'POST /webhooks': 'as the list of webhooks',
  'GET /webhooks/:id': 'as the list of webhooks',
  'PATCH /webhooks/:id': 'as the list of webhooks',
  'DELETE /webhooks/:id': 'as the list of webhooks',
  'POST /webhooks/:id/rotate-secret': 'as the list of webhooks',
  'POST /webhooks/:id/ping': 'as the list of webhooks',
  'GET /webhooks/:id/deliveries': 'as the list of webhooks',
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

/** Returns the routes that the modules of this folder, and those of the client that they import, call by name. */
function calledByName(): string[] {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const texts = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const ofClient = texts.flatMap((text) =>
    [...text.matchAll(/'@kindred\/client\/([\w-]+)'/g)].map(([, module]) =>
      readFileSync(join(import.meta.dirname, `../../../../../packages/client/src/${module}.ts`), 'utf8'),
    ),
  );
  return [...texts, ...ofClient].flatMap((text) => {
    const calls = text.matchAll(
      /\b(?:api|client)\s*\.\s*(get|page|download|address|post|patch|delete)\(\s*'([^']+)'/g,
    );
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
