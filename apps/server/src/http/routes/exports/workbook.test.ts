import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { expect, it } from 'vitest';
import type { SelectedRows } from './select.js';
import { workbook } from './workbook.js';

const header = [['generated-by', 'Kindred']] as const;
const protein = (accession: string, terms: number): SelectedRows =>
  ({
    query: {
      protein_accession: accession,
      length: 9,
      known_accession: null,
      known_by: null,
      is_namesake: false,
      no_answer: null,
      is_sequence_only: false,
    },
    known: null,
    names: { protein_name: null, gene_name: null, organism: null },
    leftOut: 0,
    terms: Array.from({ length: terms }, (_, at) => ({
      protein_accession: accession,
      go_id: `GO:000000${at}`,
      go_name: '=name',
      go_aspect: 'F',
      score: 0.5,
      probability: 0.25,
      probability_low: null,
      probability_high: null,
      identity_sw: null,
      source_identity: null,
      supporters: null,
      similar_proteins: null,
      distance: null,
      source_kind: 'none',
      source_id: null,
      evidence_code: null,
      contradiction: null,
      ec_numbers: null,
      rhea_reactions: null,
    })),
  }) as unknown as SelectedRows;

async function files(output: Readable): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(await buffer(output));
  const found = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    found.set(entry.fileName, (await buffer(stream)).toString());
  }
  return found;
}
const rowCount = (xml = '') => xml.split('<row>').length - 1;
const sheetNames = (all: Map<string, string>) =>
  [...(all.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]+)"/g)].map(([, name]) => name);

it('has a sheet of proteins, one of terms, and one with the provenance', async () => {
  async function* pages() {
    yield [protein('A', 2), protein('B', 0)];
    yield [protein('C', 1)];
  }
  const all = await files(workbook(pages, { header }));
  expect(sheetNames(all)).toEqual(['proteins', 'terms', 'provenance']);
  const sheets = [1, 2, 3].map((number) => all.get(`xl/worksheets/sheet${number}.xml`));
  // B has no term, and one line says so.
  expect(sheets.map(rowCount)).toEqual([4, 5, 2]);
  expect(sheets[1]).toContain('>=name</t>');
  expect(sheets[2]).toContain('>generated-by</t>');
});

it('goes on in another sheet where one is full', async () => {
  async function* pages() {
    yield [protein('A', 5)];
  }
  const all = await files(workbook(pages, { header }, { rowLimit: 3 }));
  expect(sheetNames(all)).toEqual(['proteins', 'terms', 'terms 2', 'terms 3', 'provenance']);
  expect([2, 3, 4].map((number) => rowCount(all.get(`xl/worksheets/sheet${number}.xml`)))).toEqual([3, 3, 2]);
});

it('is written while it is read, and stops when the reader leaves', async () => {
  let pulled = 0;
  let closed = false;
  async function* pages() {
    try {
      for (; pulled < 20_000; pulled++)
        yield Array.from({ length: 50 }, (_, at) => protein(`${pulled * 7919 + at * Math.PI}`, 0));
    } finally {
      closed = true;
    }
  }
  const output = workbook(pages, { header });
  await once(output, 'readable');
  const early = pulled;
  expect(early).toBeLessThan(1000);
  output.destroy();
  while (!closed) await new Promise(setImmediate);
  expect(pulled).toBeLessThan(early + 1000);
});

it('ends with the fault of its rows', async () => {
  async function* pages(): AsyncGenerator<SelectedRows[]> {
    yield [protein('A', 1)];
    throw new Error('the database has gone');
  }
  await expect(buffer(workbook(pages, { header }))).rejects.toThrow('the database has gone');
});
