import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { tarEntries } from '../../predict/banks/tar-entries.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { tarOf } from '../../testing/tar.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { fillWholeWorld } from '../../testing/whole-world.js';
import { writeBackup } from './backup.js';
import { checkBackup } from './check.js';
import { type BackupContents, type BackupHeader, EntrySum } from './format.js';
import { restoreBackup } from './restore.js';

let folder: string;
let database: TestDatabase;
let db: Database;
let good: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-damage-'));
  database = await testDatabase();
  db = openDatabase(database.url, 4);
  const artifacts = createLocalArtifacts(join(folder, 'source', 'artifacts'));
  await fillWholeWorld(db, artifacts);
  await writeFile(join(folder, 'source', 'jwt-secret'), 'x'.repeat(40));
  const source = { db, artifacts, dataDir: join(folder, 'source'), version: '1.2.3' };
  await writeBackup(source, join(folder, 'good.kindred'));
  good = await readFile(join(folder, 'good.kindred'));
  await db.pool.query(
    'drop schema public cascade; drop schema broker cascade; drop schema audit cascade; create schema public',
  );
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});

type Entries = Record<string, Buffer>;

async function unpacked(): Promise<Entries> {
  const entries: Entries = {};
  async function* bytes() {
    yield gunzipSync(good);
  }
  for await (const { name, bytes: content } of tarEntries(bytes())) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    entries[name] = Buffer.concat(chunks);
  }
  return entries;
}

const packed = (entries: Entries) => gzipSync(tarOf(entries), { level: 3 });

/** Packs the entries again with a fitting checksum of all of them, as somebody who changes a backup could. */
function summed({ sha256: _old, ...entries }: Entries): Entries {
  const sum = new EntrySum();
  for (const [name, bytes] of Object.entries(entries)) sum.add(name, bytes);
  return { ...entries, sha256: Buffer.from(sum.digest()) };
}

function flipped(bytes: Buffer, at: number, bit = 1): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] ^= bit;
  return changed;
}

/** Whether an archive unpacks to what the good one holds: a copy from another place may be of the same bytes. */
function isSameContent(bytes: Buffer): boolean {
  try {
    return gunzipSync(bytes).equals(gunzipSync(good));
  } catch {
    return false;
  }
}

const json = <T>(bytes: Buffer) => JSON.parse(bytes.toString()) as T;

/** Makes the backup with another header or list of contents. */
const withHeader = async (change: (header: BackupHeader) => unknown) => {
  const entries = await unpacked();
  const header = json<BackupHeader>(entries['header.json']);
  return summed({ ...entries, 'header.json': Buffer.from(JSON.stringify(change(header))) });
};
const withContents = (entries: Entries, change: (contents: BackupContents) => unknown) => ({
  ...entries,
  'contents.json': Buffer.from(JSON.stringify(change(json<BackupContents>(entries['contents.json'])))),
});

async function numberOf(table: string): Promise<number> {
  const { tables } = json<BackupHeader>((await unpacked())['header.json']);
  return tables.findIndex(({ name }) => name === table);
}

/** A file is damaged in these ways, each with its message. */
const damages: Record<string, [said: RegExp, made: () => Promise<Buffer>]> = {
  'cut at 60 %': [/unexpected end of file/, async () => good.subarray(0, good.length * 0.6)],
  'cut by its last byte': [/unexpected end of file/, async () => good.subarray(0, -1)],
  'no backup at all': [/does not begin as a backup/, async () => Buffer.from('%PDF-1.7 and more')],
  'an empty file': [/does not begin as a backup/, async () => Buffer.alloc(0)],
  'another archive': [
    /has README where header.json is expected/,
    async () => packed({ README: Buffer.from('x') }),
  ],
  'a row with another digit, packed again': [
    /rows of public.sequence have another checksum/,
    async () => {
      const entries = await unpacked();
      const name = `tables/${await numberOf('public.sequence')}/0`;
      return packed(summed({ ...entries, [name]: flipped(entries[name], entries[name].lastIndexOf('M')) }));
    },
  ],
  'a secret with another letter, packed again': [
    /entries together have another checksum/,
    async () => {
      const entries = await unpacked();
      return packed({ ...entries, 'files/jwt-secret': flipped(entries['files/jwt-secret'], 3) });
    },
  ],
  'another value of a sequence, packed again': [
    /entries together have another checksum/,
    async () =>
      packed(
        withContents(await unpacked(), ({ sequences: [first, ...rest], ...contents }) => ({
          ...contents,
          sequences: [{ ...first, value: first.value + 1 }, ...rest],
        })),
      ),
  ],
  'an artifact with another byte': [
    /artifact references\/1\/whole.pack has another checksum/,
    async () => {
      const entries = await unpacked();
      const name = Object.keys(entries).find((key) => entries[key].length > 4_000_000) as string;
      return packed(summed({ ...entries, [name]: flipped(entries[name], 17) }));
    },
  ],
  'a table without its rows': [
    /has tables\/4\/0 where tables\/3\/0 is expected/,
    async () => {
      const { 'tables/3/0': _lost, ...entries } = await unpacked();
      return packed(summed(entries));
    },
  ],
  'a table that is not listed': [
    /has tables\/\d+\/0 where contents.json is expected/,
    async () =>
      packed(await withHeader(({ tables, ...header }) => ({ ...header, tables: tables.slice(0, -1) }))),
  ],
  'a table that is not there at all': [
    /the rows of public.visitor_day are missing/,
    async () => {
      const number = await numberOf('public.visitor_day');
      const entries = await withHeader(({ tables, ...header }) => ({
        ...header,
        tables: tables.filter((_, i) => i !== number),
      }));
      const kept = Object.entries(entries).filter(([name]) => !name.startsWith(`tables/${number}/`));
      const renamed = kept.map(([name, bytes]) => {
        const [, n, part] = /^tables\/(\d+)\/(\d+)$/.exec(name) ?? [];
        return [
          n !== undefined && Number(n) > number ? `tables/${Number(n) - 1}/${part}` : name,
          bytes,
        ] as const;
      });
      return packed(
        summed(
          withContents(Object.fromEntries(renamed), ({ tables, ...contents }) => ({
            ...contents,
            tables: tables.filter((_, i) => i !== number),
          })),
        ),
      );
    },
  ],
  'an artifact that leads out of the store': [
    /an artifact has the key "..\/..\/outside"/,
    async () => packed(summed({ ...(await unpacked()), 'artifacts/0/key': Buffer.from('../../outside') })),
  ],
  'an artifact that is missing': [
    /the artifact \S+ is missing/,
    async () => {
      const entries = Object.entries(await unpacked()).filter(([name]) => !name.startsWith('artifacts/1/'));
      return packed(summed(Object.fromEntries(entries)));
    },
  ],
  'no checksum at its end': [
    /has no more entries where sha256 is expected/,
    async () => {
      const { sha256: _sum, ...entries } = await unpacked();
      return packed(entries);
    },
  ],
  'more after its end': [
    /has more after its end/,
    async () => packed({ ...(await unpacked()), more: Buffer.from('x') }),
  ],
  'another format': [
    /has the format 99.*reads 1 to 2: install the version/,
    async () => packed(await withHeader((header) => ({ ...header, format: 99 }))),
  ],
  'a schema of a newer version': [
    /made by a newer version of Kindred \(1.2.3\).*999999_x.sql/,
    async () =>
      packed(
        await withHeader(({ migrations, ...header }) => ({
          ...header,
          migrations: [...migrations, { version: 999_999, name: '999999_x.sql' }],
        })),
      ),
  ],
  'a header that is no JSON': [
    /header.json is not a JSON object/,
    async () => packed(summed({ ...(await unpacked()), 'header.json': Buffer.from('{') })),
  ],
  'a header whose names are statements': [
    /header.json has something else at \/tables\/0\/name/,
    async () =>
      packed(
        await withHeader(({ tables: [first, ...rest], ...header }) => ({
          ...header,
          tables: [{ ...first, name: 'public.job; drop table job' }, ...rest],
        })),
      ),
  ],
  'rows that do not fit their columns': [
    /rows do not fit the schema \(missing data for column/,
    async () => {
      const number = await numberOf('public.sequence');
      const rows = Buffer.from('1\n');
      const { createHash } = await import('node:crypto');
      const sum = createHash('sha256').update(rows).digest('hex');
      const entries = { ...(await unpacked()), [`tables/${number}/0`]: rows };
      return packed(
        summed(
          withContents(entries, ({ tables, ...contents }) => ({
            ...contents,
            tables: tables.with(number, sum),
          })),
        ),
      );
    },
  ],
};

async function refusal(bytes: Buffer): Promise<unknown> {
  const file = join(folder, 'damaged.kindred');
  await writeFile(file, bytes);
  const artifacts = createLocalArtifacts(join(folder, 'target', 'artifacts'));
  const target = { db, artifacts, dataDir: join(folder, 'target') };
  return checkBackup(file)
    .then((backup) => restoreBackup(backup, target))
    .catch((error: unknown) => error);
}

async function expectNothingLeft(): Promise<void> {
  const { rows } =
    await db.pool.query(`select relname from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname in ('public', 'broker', 'audit')`);
  expect(rows).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(['damaged.kindred', 'good.kindred', 'source']);
}

it.each(Object.entries(damages))('refuses a backup that is damaged: %s', async (_name, [said, make]) => {
  const error = await refusal(await make());
  expect(error).toMatchObject({ code: 'bad_file', message: expect.stringMatching(said) });
  await expectNothingLeft();
});

it('notices every flipped bit that changes what it holds', async () => {
  // The tenth byte names the system that packed it, and means nothing.
  const start = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11].flatMap((at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => [at, bit]),
  );
  const spread = Array.from({ length: 40 }, (_, i) => [Math.floor(((i + 0.5) / 40) * good.length), i % 8]);
  const end = Array.from({ length: 8 }, (_, i) => [good.length - 1 - i, i]);
  const changing = spread.filter(([at, bit]) => !isSameContent(flipped(good, at, 1 << bit)));
  expect(changing.length).toBeGreaterThan(30);
  for (const [at, bit] of [...start, ...changing, ...end])
    expect(await refusal(flipped(good, at, 1 << bit)), `bit ${bit} of byte ${at}`).toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(
        /^The backup is damaged: .* Nothing was restored; use another backup\.$/s,
      ),
    });
  await expectNothingLeft();
});
