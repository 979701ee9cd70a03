import { afterAll, beforeAll, expect, it } from 'vitest';
import { findSlim, findSlimByName } from '../store/ontology/slims.repository.js';
import type { Database } from '../store/postgres/connection.js';
import { exampleUrl, type LoadingBench, sharedUrl } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { loadGoSlim } from './load-go-slim.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
});
afterAll(() => world.close());

async function load(text: string, more: object = {}) {
  return bench.run(loadGoSlim, { obo_url: await world.write(text, 'slim.obo'), ...more });
}

const stanza = (id: number, more = '') =>
  `\n[Term]\nid: GO:000000${id}\nname: term ${id}\nnamespace: molecular_function\n${more}`;
const slim = (version: string, stanzas: string) =>
  `format-version: 1.2\ndata-version: ${version}\nontology: go/subsets/goslim_mine\n${stanzas}`;
const mixed = `${stanza(2)}${stanza(1)}${stanza(3, 'is_obsolete: true\n')}\n[Term]\nid: RO:0000001\nname: other\n`;

it('takes the live terms of a slim, once', async () => {
  const result = await load(slim('v1', mixed));
  expect(result).toMatchObject({ name: 'goslim_mine', version: 'v1', term_count: 2, skipped: false });
  expect((await findSlim(db, result.slim_id as string))?.terms).toEqual([
    { go_id: 'GO:0000001', name: 'term 1', aspect: 'F' },
    { go_id: 'GO:0000002', name: 'term 2', aspect: 'F' },
  ]);
  expect(await load(slim('v1', mixed))).toMatchObject({ slim_id: result.slim_id, skipped: true });
});

it('names the lines that it leaves out', async () => {
  await load(slim('v0', stanza(1, 'is_a: GO:0000001 {gci_relation="part_of", gci_filler="CL:1"}\n')));
  expect(bench.events.find(({ event }) => event === 'load_go_slim.rejected')).toMatchObject({
    level: 'warning',
    fields: { total: 1, lines: [{ reason: expect.stringContaining('only in the context of CL:1') }] },
  });
});

it('keeps other versions beside it, and refuses other terms of the same version', async () => {
  const newer = await load(slim('v2', stanza(1)));
  expect(newer).toMatchObject({ version: 'v2', term_count: 1 });
  expect((await findSlimByName(db, 'goslim_mine'))?.id).toBe(newer.slim_id);
  await expect(load(slim('v2', stanza(4)))).rejects.toMatchObject({ code: 'conflict' });
});

it('takes a subset of an ontology', async () => {
  const text = slim(
    'v3',
    `${stanza(1, 'subset: goslim_a\nsubset: goslim_b\n')}${stanza(2, 'subset: goslim_b\n')}`,
  );
  expect(await load(text, { subset: 'goslim_a' })).toMatchObject({ name: 'goslim_a', term_count: 1 });
  expect(await load(text, { subset: 'goslim_b' })).toMatchObject({ name: 'goslim_b', term_count: 2 });
  await expect(load(text, { subset: 'goslim_c' })).rejects.toThrow(/no term of the subset goslim_c/);
});

it('refuses what is not a slim, and says what to do', async () => {
  await expect(load('<html></html>')).rejects.toMatchObject({ code: 'bad_file' });
  await expect(load(slim('v4', stanza(1)).replace(/ontology:.*\n/, ''))).rejects.toThrow(/give "subset"/);
  const whole = exampleUrl('go-basic-2022-07-01.obo.gz');
  await expect(bench.run(loadGoSlim, { obo_url: whole })).rejects.toThrow(
    /43558 terms.*at most 5000.*subset/,
  );
});

const generic = sharedUrl('ontology', 'goslim_generic.2026-05-19.obo');
it.skipIf(generic === null)('reads the generic slim of the Gene Ontology', async () => {
  expect(await bench.run(loadGoSlim, { obo_url: generic as string })).toMatchObject({
    name: 'goslim_generic',
    version: 'go/releases/2026-05-19/subsets/goslim_generic.owl',
    term_count: 140,
  });
});
