import type { Client } from '@kindred/client';
import { expect, it } from 'vitest';
import { type BuildChoices, finishBuild, updateReference } from './reference-build.js';
import type { Reference } from './reference-text.js';

/** The service has one reference, and records the requests that change something. */
function serviceWith(reference: Partial<Reference>) {
  const posted: [string, unknown][] = [];
  const client = {
    get: async () => ({ name: 'yeast', version: '1', status: 'complete', ...reference }),
    post: async (path: string, { params }: { params: unknown }) => {
      posted.push([path, params]);
      return { ...reference, is_default: true };
    },
  };
  return { client: client as unknown as Client, posted };
}
const vectors = [{ embedding_config_id: 'c', model_name: 'kmer-512', dimension: 512, vector_count: 1 }];
const built = { id: 'b', name: 'yeast', version: '2', status: 'complete', job_id: null } as Reference;

async function choicesOf(before: Partial<Reference>, asked = {}) {
  const { client } = serviceWith({ vectors, evidence: 'experimental', ...before });
  let given: BuildChoices | undefined;
  let keepsVectors: boolean | undefined;
  await updateReference(client, 'yeast', asked, async (choices, next) => {
    given = choices;
    keepsVectors = next.keepsVectors;
    return built;
  });
  return { ...given, keepsVectors };
}

it.each([
  [true, true],
  [false, undefined],
])('makes the next version the default where the one before is it (%s)', async (is_default, use) => {
  expect((await choicesOf({ is_default })).use).toBe(use);
});

it('takes over what is not named', async () => {
  expect(await choicesOf({ is_default: false })).toMatchObject({
    name: 'yeast',
    evidence: 'experimental',
    model: 'kmer-512',
    keepsVectors: true,
  });
  expect(await choicesOf({ is_default: false }, { evidence: 'all', model: 'esm2' })).toMatchObject({
    evidence: 'all',
    model: 'esm2',
    keepsVectors: false,
  });
  await expect(updateReference(serviceWith({}).client, 'yeast@1', {}, async () => built)).rejects.toThrow(
    'Give the name alone',
  );
});

it.each([
  ['that was asked for', { use: true, is_default: false }, 1],
  ['that is it already', { use: true, is_default: true }, 0],
  ['that was not asked for', { use: false, is_default: false }, 0],
])(
  'switches the default once the reference is complete: one %s',
  async (_, { use, is_default }, switches) => {
    const { client, posted } = serviceWith({});
    const progress = { show: () => {}, stop: () => {} };
    const done = await finishBuild(client, { ...built, is_default }, { progress, use });
    expect(posted).toEqual(
      Array.from({ length: switches }, () => ['/references/:reference/use', { reference: 'yeast@2' }]),
    );
    expect(done.is_default).toBe(is_default || switches === 1);
  },
);
