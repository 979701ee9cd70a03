import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../store/postgres/connection.js';
import { listSnapshots, subgraph, termPages } from '../store/ontology/ontology.repository.js';
import { exampleUrl, type LoadingBench, loadingBench, sharedUrl } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { loadOntologySnapshot } from './load-ontology-snapshot.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
});
afterAll(() => world.close());

const counts = async () => {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from ontology_snapshot) as snapshots, (select count(*) from go_term) as terms,
           (select count(*) from go_term_relationship) as edges, (select count(*) from go_term_alt_id) as alt_ids`.execute(
    db,
  );
  return rows[0];
};
const load = (payload: Record<string, unknown>) => bench.run(loadOntologySnapshot, payload);
const write = (name: string, text: string) => world.write(text, name);

const small = (version: string, more = '') => `format-version: 1.2
data-version: ${version}

[Term]
id: GO:0000001
name: root
namespace: biological_process
alt_id: GO:0000009

[Term]
id: GO:0000002
name: "child" with \\n escapes and \\, commas
namespace: biological_process
def: "A definition\\nin two lines, with a tab\\t." [x]
is_a: GO:0000001 ! root
relationship: part_of GO:0000001 ! root

[Term]
id: GO:0000003
name: gone
namespace: molecular_function
is_obsolete: true
replaced_by: GO:0000002
replaced_by: GO:0000001
${more}`;

describe('load_ontology_snapshot', () => {
  const exampleObo = exampleUrl('go-basic-2022-07-01.obo.gz');

  it('loads the example release with the counts of its description', async () => {
    const result = await load({ obo_url: exampleObo });
    expect(result).toMatchObject({
      skipped: false,
      terms_inserted: 43_558 + 3910,
      relationships_inserted: 70_058 + 6997 + 3184 + 2732 + 2742,
      alt_ids_inserted: 3450,
      rejected_lines: 0,
    });
    const stored = result.term_counts as Record<string, number>;
    expect(stored.P + stored.F + stored.C).toBe(43_558);
    expect(stored.obsolete).toBe(3910);
    const { rows } = await sql<{ aspect: string; n: number }>`
      select aspect, count(*) as n from go_term where not is_obsolete group by aspect`.execute(db);
    for (const row of rows) expect(stored[row.aspect]).toBe(row.n);
    expect((await counts()).edges).toBe(result.relationships_inserted);
  });

  it('changes nothing the second time', async () => {
    const before = await counts();
    const [snapshot] = (await listSnapshots(db, 10)).rows;
    expect(await load({ obo_url: exampleObo })).toMatchObject({
      ontology_snapshot_id: snapshot.id,
      skipped: true,
      content_differs: false,
      terms_inserted: 0,
      alt_id_count: 3450,
    });
    expect(await counts()).toEqual(before);
  });

  it('adds the edges that are missing when asked to, and keeps the count right', async () => {
    await sql`delete from go_term_relationship where relation_type = 'regulates'`.execute(db);
    expect(await load({ obo_url: exampleObo })).toMatchObject({ skipped: true, relationships_inserted: 0 });
    const result = await load({ obo_url: exampleObo, force_relationships: true });
    expect(result).toMatchObject({
      skipped: false,
      relationships_inserted: 3184,
      relationship_count: 85_713,
    });
    expect(await load({ obo_url: exampleObo, force_relationships: true })).toMatchObject({ skipped: true });
    expect((await listSnapshots(db, 1)).rows[0].relationship_count).toBe((await counts()).edges);
  });

  it('keeps every text as it is', async () => {
    const { ontology_snapshot_id } = await load({ obo_url: await write('small.obo', small('v1')) });
    const pages = [];
    for await (const page of termPages(db, ontology_snapshot_id as string, 2)) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    const [, child, gone] = pages.flat();
    expect(child.name).toContain('"child" with');
    expect(child.definition).toMatch(/^A definition\nin two lines, with a tab\t\.$/);
    expect(gone).toMatchObject({ is_obsolete: true, replaced_by: ['GO:0000002', 'GO:0000001'] });
  });

  it('reports another file of the same release and mixes nothing', async () => {
    const before = await counts();
    const other = await write(
      'other.obo',
      small('v1', '\n[Term]\nid: GO:0000004\nname: new\nnamespace: biological_process\nis_a: GO:0000001\n'),
    );
    expect(await load({ obo_url: other })).toMatchObject({ skipped: true, content_differs: true });
    const warning = bench.events.find((one) => one.event === 'load_ontology_snapshot.content_differs');
    expect(warning).toMatchObject({ level: 'warning' });
    expect(warning?.fields.stored_sha256).not.toBe(warning?.fields.this_sha256);
    await expect(load({ obo_url: other, force_relationships: true })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await counts()).toEqual(before);
  });

  it('leaves out what is not of the Gene Ontology, by line', async () => {
    const mixed = small(
      'v2',
      '\n[Term]\nid: RO:0000004\nname: foreign\nnamespace: external\n\n[Term]\nid: GO:0000005\nname: wrong\nnamespace: biological_process\nalt_id: GO:0000009\nis_a: RO:0000004\nis_a: GO:0000001\n',
    );
    const result = await load({ obo_url: await write('mixed.obo', mixed) });
    expect(result).toMatchObject({
      terms_inserted: 4,
      relationships_inserted: 3,
      alt_ids_inserted: 1,
      rejected_lines: 3,
    });
    const rejected = bench.events.find((one) => one.event === 'load_ontology_snapshot.rejected');
    expect(JSON.stringify(rejected?.fields)).toContain('alt_id GO:0000009 belongs to GO:0000001');
  });

  it.each([
    ['no ontology', '<html>Not found</html>\n', 'bad_file'],
    ['a cycle', small('v3').replace('name: root', 'name: root\nis_a: GO:0000002'), 'bad_file'],
    ['no version', small('x').replace('data-version: x\n', ''), 'bad_file'],
    ['no GO term', small('v4').replaceAll('GO:', 'XO:'), 'bad_file'],
  ])('writes nothing of a file with %s', async (name, text, code) => {
    const before = await counts();
    await expect(load({ obo_url: await write(`${name.replace(' ', '-')}.obo`, text) })).rejects.toMatchObject(
      { code },
    );
    expect(await counts()).toEqual(before);
  });

  it('lets two jobs with the same release write it once', async () => {
    const url = await write('twice.obo', small('v5'));
    const second = loadingBench(db, { importDirs: [world.folder] });
    const results = await Promise.all([
      load({ obo_url: url }),
      second.run(loadOntologySnapshot, { obo_url: url }),
    ]);
    expect(results.map((result) => result.skipped).sort()).toEqual([false, true]);
  });

  it.skipIf(sharedUrl('ontology') === null)(
    'loads the full release of 2013 with edges between aspects',
    async () => {
      const result = await load({ obo_url: sharedUrl('ontology', 'go-2013-07-13.obo.gz') });
      expect(result).toMatchObject({
        terms_inserted: 39_616,
        alt_ids_inserted: 1700,
        term_counts: { obsolete: 1775 },
      });
      const { rows } = await sql<{ relation_type: string; n: number }>`
      select relation_type, count(*) as n from go_term_relationship
      where ontology_snapshot_id = ${result.ontology_snapshot_id} group by 1`.execute(db);
      expect(Object.fromEntries(rows.map((row) => [row.relation_type, row.n]))).toMatchObject({
        // The file has 62,186 such lines; three of them are in [Typedef] stanzas.
        is_a: 62_183,
        part_of: 7194,
        has_part: 493,
        occurs_in: 12,
      });
    },
  );
});

describe('subgraph', () => {
  it('gives the ancestors breadth first, alternative ids included', async () => {
    const url = await write('graph.obo', small('v6'));
    const { ontology_snapshot_id } = await load({ obo_url: url });
    const graph = await subgraph(db, ontology_snapshot_id as string, ['GO:0000002', 'GO:9999999'], ['is_a']);
    expect(graph.nodes.map((node) => [node.go_id, node.depth])).toEqual([
      ['GO:0000002', 0],
      ['GO:0000001', 1],
    ]);
    expect(graph.edges).toEqual([{ child: 'GO:0000002', parent: 'GO:0000001', relation_type: 'is_a' }]);
    expect(graph.unknown).toEqual(['GO:9999999']);
    const byAlternative = await subgraph(
      db,
      ontology_snapshot_id as string,
      ['GO:0000009'],
      ['is_a', 'part_of'],
    );
    expect(byAlternative.nodes.map((node) => node.go_id)).toEqual(['GO:0000001']);
  });
});
