import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enrichCommand } from './enrich.js';

let folder: string;
const at = (name: string) => join(folder, name);
const term = (id: number, parent?: number) =>
  `\n[Term]\nid: GO:000000${id}\nname: term ${id}\nnamespace: molecular_function\n${parent === undefined ? '' : `is_a: GO:000000${parent} ! x\n`}`;
const line = (accession: string, id: number, qualifier = 'enables') =>
  `UniProtKB\t${accession}\t${accession}\t${qualifier}\tGO:000000${id}\tGO_REF:1\tIDA\t\tF\t\t\tprotein\ttaxon:1\t20260101\tX\t\t\n`;

/** Term 3 is below 2, that below 1; A and B of A to J have it, J has it denied. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-enrich-'));
  await writeFile(at('go.obo'), `format-version: 1.2\ndata-version: x\n${term(1)}${term(2, 1)}${term(3, 2)}`);
  await writeFile(at('slim.obo'), `format-version: 1.2\ndata-version: x\n${term(1)}${term(2)}`);
  const others = [...'CDEFGHIJ'].map((accession) => line(accession, 1)).join('');
  await writeFile(
    at('x.gaf'),
    `!gaf-version: 2.2\n${line('A', 3)}${line('B', 3)}${others}${line('J', 3, 'NOT|enables')}`,
  );
  await writeFile(at('list.txt'), 'A\nB\nunknown\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function enriched(...options: string[]): Promise<string[][]> {
  const args = [
    at('list.txt'),
    '--annotations',
    at('x.gaf'),
    '--ontology',
    at('go.obo'),
    '-o',
    at('out.tsv'),
  ];
  await enrichCommand().parseAsync([...args, ...options], { from: 'user' });
  const text = await readFile(at('out.tsv'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((one) => one.split('\t'));
}

it('finds what the list has more often, with ancestors, and without what is denied', async () => {
  const rows = await enriched('--max-rate', '1');
  const counts = rows.map(([goId, , , direction, ...cells]) => [goId, direction, ...cells.slice(0, 4)]);
  expect(counts.slice(0, 2)).toEqual([
    ['GO:0000002', 'more', '2', '2', '2', '10'],
    ['GO:0000003', 'more', '2', '2', '2', '10'],
  ]);
  // One of the 45 pairs of ten proteins.
  expect(Number(rows[0][8])).toBeCloseTo(1 / 45, 6);
  expect(Number(rows[0][9])).toBeCloseTo(1 / 30, 6);
  expect((await enriched()).length).toBe(2);
});

it('tests the terms of a slim alone, and a term among the proteins of its parents', async () => {
  expect((await enriched('--slim', at('slim.obo'), '--max-rate', '1')).map(([goId]) => goId)).toEqual([
    'GO:0000002',
    'GO:0000001',
  ]);
  const rows = await enriched('--method', 'parent_child', '--max-rate', '1');
  expect(rows.find(([goId]) => goId === 'GO:0000003')?.slice(4, 9)).toEqual(['2', '2', '2', '2', '1']);
});

it('refuses a list of other accessions', async () => {
  await writeFile(at('list.txt'), 'sp|A|x\n');
  await expect(enriched()).rejects.toThrow(/No protein of .*list\.txt is in the population/);
});
