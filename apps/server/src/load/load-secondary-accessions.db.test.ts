import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../store/postgres/connection.js';
import type { LoadingBench } from '../testing/loading-context.js';
import { type LoadingWorld, startLoadingWorld } from '../testing/loading-world.js';
import { loadSecondaryAccessions } from './load-secondary-accessions.js';

let world: LoadingWorld;
let db: Database;
let bench: LoadingBench;
beforeAll(async () => {
  world = await startLoadingWorld();
  ({ db, bench } = world);
});
afterAll(() => world.close());

const write = (name: string, content: string | Uint8Array) => world.write(content, name);
const load = (url: string) => bench.run(loadSecondaryAccessions, { list_url: url });
const stored = () =>
  db.selectFrom('secondary_accession').selectAll().orderBy('secondary').orderBy('accession').execute();

const list = `----------------------------------------------------------------------------
        UniProt Knowledgebase: secondary accession numbers
----------------------------------------------------------------------------
Number of secondary accession numbers: 3

Secondary AC  Primary AC
____________  __________

A0A023HJ61    A0A0F7YYX3
P02023        P68871
P02023        P68872

----------------------------------------------------------------------------
Some words about who may use this list
`;
const entries = `ID   MOG_HUMAN               Reviewed;         247 AA.
AC   Q16653; O00713; O00714;
AC   O00715;
DE   RecName: Full=Something;
SQ   SEQUENCE   2 AA;  300 MW;  0000000000000000 CRC64;
     MK
//
ID   OTHER_HUMAN             Reviewed;         2 AA.
AC   P12345;
//
ID   LAST_HUMAN              Reviewed;         2 AA.
AC   P99999; Q1;
//
`;

it("loads UniProt's list, and the same list once", async () => {
  const url = await write('sec_ac.txt', list);
  expect(await load(url)).toMatchObject({ skipped: false, pairs: 3, rows_unreadable: 0 });
  expect(await stored()).toEqual([
    { secondary: 'A0A023HJ61', accession: 'A0A0F7YYX3' },
    { secondary: 'P02023', accession: 'P68871' },
    { secondary: 'P02023', accession: 'P68872' },
  ]);
  expect(await load(url)).toMatchObject({ skipped: true, pairs: 3 });
});

it('reads entries in the flat text format, in place of the list before', async () => {
  const url = await write('entries.dat.gz', gzipSync(entries));
  expect(await load(url)).toMatchObject({ skipped: false, pairs: 3, rows_unreadable: 1 });
  expect(await stored()).toEqual(
    ['O00713', 'O00714', 'O00715'].map((secondary) => ({ secondary, accession: 'Q16653' })),
  );
});

it('refuses a file that has none, and leaves what there is', async () => {
  const before = await stored();
  await expect(load(await write('other.txt', 'hello\n'))).rejects.toThrow(
    /has no secondary accessions: it has no pair/,
  );
  const broken = await write('broken.txt', 'Secondary AC  Primary AC\nP1 P2\n');
  await expect(load(broken)).rejects.toThrow(/line 2: expected two accessions/);
  expect(await stored()).toEqual(before);
});
