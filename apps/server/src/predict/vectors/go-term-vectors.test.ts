import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { readGoTermVectors } from './go-term-vectors.js';
import { npyHeader } from './npy.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-go-vectors-'));
});
afterAll(() => rm(folder, { recursive: true }));

const goIds = ['GO:0008150', 'GO:0003674', 'GO:0005575'];
const numbers = [
  [3, 0, 4],
  [0, 0, 0],
  [-2, 1, 2],
];
const units = [
  [0.6, 0, 0.8],
  [-2 / 3, 1 / 3, 2 / 3],
];

async function text(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function npz(name: string, arrays: Record<string, Buffer>): Promise<string> {
  const zip = new yazl.ZipFile();
  for (const [entry, bytes] of Object.entries(arrays)) zip.addBuffer(bytes, `${entry}.npy`);
  zip.end();
  await pipeline(Readable.from(zip.outputStream), createWriteStream(join(folder, name)));
  return join(folder, name);
}

function texts(values: string[]): Buffer {
  const bytes = values.map((value) =>
    Buffer.from(Uint32Array.from(value, (letter) => letter.charCodeAt(0)).buffer),
  );
  return Buffer.concat([npyHeader(`<U${values[0].length}`, [values.length]), ...bytes]);
}
const doubles = (shape: number[], values: number[]): Buffer =>
  Buffer.concat([npyHeader('<f8', shape), Buffer.from(Float64Array.from(values).buffer)]);

const lines = (separator: string) => goIds.map((id, at) => [id, ...numbers[at]].join(separator)).join('\n');

describe('a file of GO term vectors', () => {
  it.each([
    [
      'an .npz of go_ids and embeddings',
      () =>
        npz('table.npz', {
          go_ids: texts(goIds),
          embeddings: doubles([3, 3], numbers.flat()),
          ontology_release: texts(['2020-10-06']),
        }),
    ],
    [
      'an .npz of one array a term',
      () => npz('each.npz', Object.fromEntries(goIds.map((id, at) => [id, doubles([3], numbers[at])]))),
    ],
    ['tabs', () => text('tabs.tsv', `go_id\ta\tb\tc\n${lines('\t')}\n`)],
    ['commas', () => text('commas.csv', lines(','))],
  ])('is read from %s as unit vectors in shared memory; zeros are not a vector', async (_, make) => {
    const path = await make();
    const found = await readGoTermVectors(path);
    expect(found.dimension).toBe(3);
    expect([...found.rowOf]).toEqual([
      ['GO:0008150', 0],
      ['GO:0005575', 1],
    ]);
    expect(found.vectors).toEqual(Float32Array.from(units.flat()));
    expect(found.vectors.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(found.sha256).toBe(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  });

  it.each([
    ['nothing', '', /no vector of a GO term.*go_ids and embeddings/],
    ['words', 'hello world\n', /Line 1: expected a key and numbers.*go_ids and embeddings/],
    ['no GO ids', 'P12345,1,2\n', /"P12345" where a GO id/],
    ['two lengths', 'GO:0008150,1,2\nGO:0003674,1\n', /GO:0003674 has 1 numbers where the first term has 2/],
    ['a term twice', 'GO:0008150,1,2\nGO:0008150,2,1\n', /GO:0008150 comes twice/],
    ['a word among the numbers', 'GO:0008150,1,2\nGO:0003674,1,nan\n', /Line 2.*"nan" in column 3/],
    ['a word in the first line', 'GO:0008150,nan,1\n', /Line 1.*"nan" in column 2/],
    ['a number beyond float32', 'GO:0008150,1,1e300\n', /GO:0008150 has a number that is not finite/],
    ['too wide a vector', `GO:0008150${',1'.repeat(4097)}\n`, /4097 numbers; expected 1 to 4096/],
  ])('of %s is refused in words', async (_, content, words) => {
    await expect(readGoTermVectors(await text('bad.csv', content))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(words),
    });
  });

  it('of another format, cut short, or with NaN, is refused in words', async () => {
    const whole = await readFile(
      await npz('whole.npz', { go_ids: texts(goIds), embeddings: doubles([3, 3], numbers.flat()) }),
    );
    await writeFile(join(folder, 'cut.npz'), whole.subarray(0, whole.length / 2));
    await expect(readGoTermVectors(join(folder, 'cut.npz'))).rejects.toThrow(/can't be read.*go_ids/);
    const nan = await npz('nan.npz', {
      go_ids: texts(goIds),
      embeddings: doubles([3, 3], [1, 2, 3, 4, Number.NaN, 6, 7, 8, 9]),
    });
    await expect(readGoTermVectors(nan)).rejects.toThrow('GO:0003674 has a number that is not finite');
    const short = await npz('short.npz', {
      go_ids: texts(goIds),
      embeddings: doubles([2, 3], [1, 2, 3, 4, 5, 6]),
    });
    await expect(readGoTermVectors(short)).rejects.toThrow(/shape \[2, 3\]; expected 3 rows/);
    await expect(readGoTermVectors(await text('a.parquet', 'PAR1....'))).rejects.toThrow(/It is parquet/);
  });
});
