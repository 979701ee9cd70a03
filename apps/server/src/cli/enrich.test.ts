import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { enrichCommand } from './enrich.js';

let folder: string;
const at = (name: string) => join(folder, name);
const term = (id: number, parent?: number) =>
  `\n[Term]\nid: GO:000000${id}\nname: term ${id}\nnamespace: molecular_function\n${parent === undefined ? '' : `is_a: GO:000000${parent} ! x\n`}`;
const line = (accession: string, id: number, qualifier = 'enables') =>
  `UniProtKB\t${accession}\t${accession}\t${qualifier}\tGO:000000${id}\tGO_REF:1\tIDA\t\tF\t\t\tprotein\ttaxon:1\t20260101\tX\t\t\n`;

/** Term 3 is below 2, which is below 1. Of A to J, A and B have term 3, and for J it is denied. */
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
  // The list is one of the 45 pairs of ten proteins.
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

it('says which lines of the annotations it left out', async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  await writeFile(
    at('faulty.gaf'),
    `!gaf-version: 2.2\n${line('A', 3)}${line('B', 3)}${line('C', 1, 'mostly')}${line('D', 9)}${line('D', 1)}`,
  );
  const options = ['--annotations', at('faulty.gaf'), '--max-rate', '1'];
  await enriched(...options).finally(() => write.mockRestore());
  expect(said.join('')).toMatch(
    /faulty\.gaf: 1 unreadable lines are left out\n {2}line 4 \(C\): qualifier: /,
  );
  expect(said.join('')).toContain('faulty.gaf: 1 lines name a term that the ontology lacks; left out');
});

it('says what of the ontology and of the slim it left out', async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const obo = await readFile(at('go.obo'), 'utf8');
  const inContext = 'relationship: part_of GO:0000001 {gci_relation="part_of", gci_filler="CL:1"}';
  await writeFile(at('context.obo'), `${obo}${inContext}\n`);
  await writeFile(at('other.obo'), `${await readFile(at('slim.obo'), 'utf8')}${term(9)}${inContext}\n`);
  await enriched('--ontology', at('context.obo'), '--slim', at('other.obo'));
  write.mockRestore();
  const text = said.join('');
  expect(text).toMatch(
    /context.obo: 1 unreadable lines are left out\n {2}line \d+ \(GO:0000003\): holds only/,
  );
  expect(text).toMatch(/other.obo: 1 unreadable lines are left out/);
  expect(text).toContain('other.obo: 1 terms of the slim are not in the ontology; left out');
});

it.each([
  ['one a line', 'P00001\nP00002\n'],
  ['a heading, versions and Windows line ends', 'Entry\r\nP00001.2\r\nP00002.1\r\n'],
  ['quotes, commas and a byte order mark', '\ufeff"P00001","P00002"'],
  ['the database before them', '# mine\nUniProtKB:P00001\nsp|P00002|X_HUMAN\n'],
  ['a table of other columns', 'gene\tEntry\tscore\nx\tP00001\t1\ny\tp00002\t2\n'],
  ['old line ends of a Mac', 'P00001\rP00002\r'],
  ['names of a proteome, with scores', 'protein_id\tscore\ng1.t1\t1\ng2.t1\t2\n', ['g1.t1', 'g2.t1']],
  ['names in quotes', '"g1.t1"\n"g2.t1"\n', ['g1.t1', 'g2.t1']],
])('reads a list with %s', async (_name, list, names = ['P00001', 'P00002']) => {
  await writeFile(at('form.txt'), list);
  const gaf = [...names, ...'CDEFGHIJ'].map((name, i) => line(name, i < 2 ? 3 : 1)).join('');
  await writeFile(at('form.gaf'), `!gaf-version: 2.2\n${gaf}`);
  const given = [
    at('form.txt'),
    '--annotations',
    at('form.gaf'),
    '--ontology',
    at('go.obo'),
    '-o',
    at('f.tsv'),
  ];
  await enrichCommand().parseAsync(given, { from: 'user' });
  expect(await readFile(at('f.tsv'), 'utf8')).toMatch(/^GO:0000003\t.*\tmore\t2\t2\t2\t10\t/m);
});

it('refuses a list of other accessions', async () => {
  await writeFile(at('list.txt'), 'sp|A|x\n');
  await expect(enriched()).rejects.toThrow(/No protein of .*list\.txt is in the population/);
});

describe('with a service', () => {
  let service: Server;
  let asked: { path: string; body: Record<string, unknown> };
  const id = '00000000-0000-4000-8000-000000000001';
  const term = {
    go_id: 'GO:0000002',
    go_name: 'term 2',
    aspect: 'F',
    direction: 'more',
    list_with_term: 2,
    list: 2,
    population_with_term: 2,
    population: 10,
    p_value: 1 / 45,
    false_discovery_rate: 1 / 30,
  };
  beforeAll(async () => {
    service = createServer(async (request, response) => {
      asked = { path: request.url ?? '', body: JSON.parse(await text(request)) };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          list: 2,
          population: 10,
          tested: 3,
          absent_count: 1,
          absent: ['unknown'],
          terms: [term],
          reference: null,
          of_other_references: [],
        }),
      );
    });
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    await writeFile(at('list.txt'), 'A\nB\nunknown\n');
  });
  afterAll(() => void service.close());

  async function rows(...options: string[]): Promise<string[]> {
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const args = [at('list.txt'), '--url', url, '--api-key', 'k', '-o', at('out.tsv'), ...options];
    await enrichCommand().parseAsync(args, { from: 'user' });
    return (await readFile(at('out.tsv'), 'utf8')).trimEnd().split('\n');
  }

  it('asks for a list among the queries of a prediction set', async () => {
    const [header, row] = await rows('--set', id);
    expect(header.split('\t')).toEqual(Object.keys(term));
    expect(row).toBe('GO:0000002\tterm 2\tF\tmore\t2\t2\t2\t10\t0.0222222\t0.0333333');
    expect(asked.path).toBe(`/v1/embeddings/prediction-sets/${id}/enrichment`);
    expect(asked.body).toEqual({
      accessions: ['A', 'B', 'unknown'],
      population: null,
      method: 'classic',
      max_rate: 0.05,
      limit: 10_000,
      min_probability: null,
    });
  });

  it('passes every option on', async () => {
    await writeFile(at('population.txt'), 'A\nB\nC\n');
    const lists = ['--population', at('population.txt'), '--slim', 'goslim_yeast'];
    await rows('--annotation-set', id, ...lists, '--method', 'parent_child', '--max-rate', '0.5');
    expect(asked.path).toBe(`/v1/annotations/sets/${id}/enrichment`);
    expect(asked.body).toMatchObject({
      population: ['A', 'B', 'C'],
      slim: 'goslim_yeast',
      method: 'parent_child',
      max_rate: 0.5,
    });
    await rows('--set', id, '--min-probability', '0.7');
    expect(asked.body).toMatchObject({ min_probability: 0.7 });
  });

  it('refuses what does not fit together', async () => {
    const files = ['--annotations', at('x.gaf'), '--ontology', at('go.obo')];
    for (const options of [
      [],
      files.slice(0, 2),
      [...files, '--set', id],
      ['--set', id, '--annotation-set', id],
    ])
      await expect(rows(...options)).rejects.toThrow(/Give --annotations with --ontology, or --set/);
    await expect(rows(...files, '--min-probability', '0.5')).rejects.toThrow(/goes with --set/);
  });
});
