import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../store/postgres/connection.js';
import { currentTaxonomy, lineagesOf } from '../store/ontology/taxonomy.repository.js';
import { exampleUrl, type LoadingBench, loadingBench, sharedUrl } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { tarOf } from '../testing/tar.js';
import { loadTaxonomy } from './load-taxonomy.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
});
afterAll(() => world.close());

const write = (name: string, content: string | Uint8Array) => world.write(content, name);
const load = (payload: Record<string, unknown>) => bench.run(loadTaxonomy, payload);
const example = { nodes_url: exampleUrl('nodes.dmp.gz'), names_url: exampleUrl('names.dmp.gz') };
const exampleText = async (url: string) => gunzipSync(await readFile(fileURLToPath(url)));

/** Gives everything that is stored as one value. */
const stored = async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select (select to_jsonb(t) from taxonomy t) as taxonomy, (select count(*) from taxon) as taxa,
           (select md5(string_agg(format('%s %s %s %s', id, parent_id, rank, name), ',' order by id)) from taxon) as digest,
           (select count(*) from taxon_merged) as merged`.execute(db);
  return rows[0];
};

const dump = (nodes: string[], names: string[] = []) => ({
  nodes: nodes.map((node) => `${node.split(' ').join('\t|\t')}\t|\n`).join(''),
  names: names.map((name) => `${name.split('/').join('\t|\t')}\t|\t\t|\tscientific name\t|\n`).join(''),
});
let serial = 0;
const write2 = async ({ nodes, names }: { nodes: string; names: string }) => ({
  nodes_url: await write(`nodes-${++serial}.dmp`, nodes),
  names_url: await write(`names-${serial}.dmp`, names),
});

describe('load_taxonomy', () => {
  it('loads the example dump', async () => {
    const result = await load(example);
    expect(result).toMatchObject({
      skipped: false,
      taxon_count: 185,
      merged_count: 0,
      rejected_lines: 0,
      other_names: 610 - 185,
      lines: { 'nodes.dmp': 185, 'names.dmp': 610, 'merged.dmp': 0 },
    });
    expect(await currentTaxonomy(db)).toMatchObject({
      id: result.taxonomy_id,
      content_sha256: result.content_sha256,
      taxon_count: 185,
      files: [
        { file: 'nodes.dmp', url: example.nodes_url },
        { file: 'names.dmp', url: example.names_url },
      ],
    });
    const { rows } = await sql`
      select id, parent_id, rank, name from taxon where id in (1, 9606) order by id`.execute(db);
    expect(rows).toEqual([
      { id: 1, parent_id: 1, rank: 'no rank', name: 'root' },
      { id: 9606, parent_id: 9605, rank: 'species', name: 'Homo sapiens' },
    ]);
    const unnamed = await sql<{ n: number }>`select count(*) as n from taxon where name is null`.execute(db);
    expect(unnamed.rows[0].n).toBe(0);
  });

  it('changes nothing when the same content comes again, from files or from the archive of them', async () => {
    const before = await stored();
    expect(await load(example)).toMatchObject({ skipped: true, taxon_count: 185 });
    const archive = tarOf({
      'citations.dmp': Buffer.alloc(5000, 'x'),
      'names.dmp': await exampleText(example.names_url),
      'nodes.dmp': await exampleText(example.nodes_url),
    });
    const taxdump_url = await write('taxdump.tar.gz', gzipSync(archive));
    expect(await load({ taxdump_url })).toMatchObject({ skipped: true, taxon_count: 185 });
    expect(await stored()).toEqual(before);
  });

  it('replaces it by other content, former ids included', async () => {
    const small = dump(['1 1 x', '20 1 genus', '30 20 species'], ['1/root', '30/Ünïque 生物', '99/nobody']);
    const urls = await write2(small);
    const merged_url = await write('merged.dmp', '7\t|\t30\t|\n8\t|\t7\t|\n9\t|\t55\t|\n');
    expect(await load({ ...urls, merged_url })).toMatchObject({
      skipped: false,
      taxon_count: 3,
      merged_count: 2,
      rejected_lines: 1,
    });
    const { rows } = await sql`select id, name from taxon order by id`.execute(db);
    expect(rows).toEqual([
      { id: 1, name: 'root' },
      { id: 20, name: null },
      { id: 30, name: 'Ünïque 生物' },
    ]);
    const part = await lineagesOf(db, [8, 20, 4711]);
    expect(part?.taxonomy.arrays.ids).toEqual(Int32Array.of(1, 20, 30));
    expect(part?.taxonomy.indexOf(8)).toBe(2);
    expect((await lineagesOf(db, [4711]))?.taxonomy.indexOf(4711)).toBe(-1);
  });

  it('skips faulty lines and names them, or fails with the first', async () => {
    const faulty = dump(['1 1 x', 'x 1 genus', '3 99 genus', '4 1 genus'], ['4/four']);
    const urls = await write2(faulty);
    expect(await load(urls)).toMatchObject({ taxon_count: 2, rejected_lines: 2 });
    const lines = bench.events
      .filter(({ event }) => event === 'load_taxonomy.rejected_nodes')
      .flatMap(({ fields }) => fields.lines as { line: number }[]);
    expect(lines.map(({ line }) => line)).toEqual([2, 3]);
    const before = await stored();
    await expect(load({ ...urls, on_bad_line: 'fail' })).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('Line 2'),
    });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['a file that is not a dump', async () => write2({ nodes: '<html>no</html>\n', names: '' }), 'no root'],
    ['no root', async () => write2(dump(['2 3 x', '3 2 x'])), 'no root'],
    [
      'an archive without nodes',
      async () => archived(tarOf({ 'names.dmp': Buffer.from('') })),
      'no nodes.dmp',
    ],
    [
      'an archive that ends early',
      async () => archived(tarOf({ 'a.dmp': Buffer.alloc(900) }).subarray(0, 1000)),
      'ends early',
    ],
    ['no archive', async () => archived(Buffer.alloc(600, 'a')), 'not a tar archive'],
    ['a NUL character in a name', async () => write2(dump(['1 1 x'], ['1/ro\0ot'])), 'NUL'],
  ])('keeps what is loaded when given %s', async (_, payload, message) => {
    const before = await stored();
    await expect(load(await payload())).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining(message),
    });
    expect(await stored()).toEqual(before);
  });
  const archived = async (bytes: Uint8Array) => ({
    taxdump_url: await write(`archive-${++serial}.tar`, bytes),
  });

  it('lets two loads of one content write it once, and is never half when cancelled', async () => {
    const urls = await write2(dump(['1 1 x', '5 1 genus']));
    const second = loadingBench(db, { importDirs: [world.folder] });
    const results = await Promise.all([load(urls), second.run(loadTaxonomy, urls)]);
    expect(results.map(({ skipped }) => skipped).sort()).toEqual([false, true]);
    const before = await stored();
    const abort = new AbortController();
    const cancelled = bench.run(loadTaxonomy, example, {
      signal: abort.signal,
      onEvent: (event) => {
        if (event === 'load_taxonomy.parsed') abort.abort();
      },
    });
    await expect(cancelled).rejects.toThrow();
    expect(await stored()).toEqual(before);
  });

  it.each([[{}], [{ nodes_url: 'file:///n' }], [{ taxdump_url: 'file:///t', merged_url: 'file:///m' }]])(
    'refuses the addresses %j',
    async (payload) => {
      await expect(load(payload)).rejects.toThrow('give either taxdump_url, or nodes_url and names_url');
    },
  );

  it.skipIf(sharedUrl('taxonomy') === null)('loads 16,026 taxa and their former ids', async () => {
    const url = (name: string) => sharedUrl('taxonomy', name) as string;
    const result = await load({
      nodes_url: url('nodes.dmp.gz'),
      names_url: url('names.dmp.gz'),
      merged_url: url('merged.dmp.gz'),
    });
    expect(result).toMatchObject({
      taxon_count: 16_026,
      merged_count: 421,
      rejected_lines: 0,
      lines: { 'nodes.dmp': 16_026, 'names.dmp': 22_275, 'merged.dmp': 421 },
    });
    const part = await lineagesOf(db, [557, 4932]);
    expect(part?.taxonomy.indexOf(557)).toBe(part?.taxonomy.indexOf(549));
    // The lineage has 14 taxa: cellular organisms, Eukaryota, Opisthokonta, Fungi, Dikarya, ... down to
    // baker's yeast.
    expect(part?.taxonomy.lineage(part.taxonomy.indexOf(4932)).length).toBe(14);
  });
});
