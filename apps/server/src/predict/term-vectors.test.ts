import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Memory } from '../ground/memory.js';
import { configuredTermVectors, termVectorsOf } from './term-vectors.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-term-vectors-'));
});
afterAll(() => rm(folder, { recursive: true }));

const memory = new Memory();
const contextOf = (anc2vecFile: string | null) => ({
  memory,
  settings: { cacheDir: folder, goPredictionJsonbWriteEnabled: false, producerVersion: 'test', anc2vecFile },
});
const bankOf = (goIds: string[]) => ({
  texts: { accessions: [], goIds, evidenceCodes: [], qualifiers: [], kinds: [], kindSets: [] },
});

async function file(content: string): Promise<string> {
  const path = join(folder, 'anc2vec.tsv');
  await writeFile(path, content);
  return path;
}

describe('the configured GO term vectors', () => {
  it('are none without a file', async () => {
    expect(await configuredTermVectors(contextOf(null))).toBeNull();
    expect(await termVectorsOf(bankOf(['GO:0000001']), null, contextOf(null))).toBeNull();
  });

  it('are read once, numbered as the terms of the bank, and read again when the file changed', async () => {
    const context = contextOf(await file('GO:0000003\t0\t2\nGO:0000001\t1\t0\n'));
    const first = await configuredTermVectors(context);
    expect(await configuredTermVectors(context)).toBe(first);
    const sha256 = first?.sha256 as string;
    const bank = bankOf(['GO:0000001', 'GO:0000002', 'GO:0000003']);
    const found = await termVectorsOf(bank, sha256, context);
    expect(found).toMatchObject({ dimension: 2, row: Int32Array.of(1, -1, 0) });
    expect(found?.vectors).toBe(first?.vectors);
    expect((await termVectorsOf(bank, sha256, context))?.row).toBe(found?.row);
    const other = await termVectorsOf(bankOf(['GO:0000003']), sha256, context);
    expect(other?.row).toEqual(Int32Array.of(0));
    await file('GO:0000003\t0\t2\nGO:0000001\t1\t10\n');
    expect((await configuredTermVectors(context))?.sha256).not.toBe(sha256);
    await expect(termVectorsOf(bank, sha256, context)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the same SVC_ANC2VEC_FILE'),
    });
    await expect(termVectorsOf(bank, sha256, contextOf(null))).rejects.toThrow('this worker has none');
  });

  it('that can not be read end the job with the setting and the fault, and are tried again', async () => {
    const missing = contextOf(join(folder, 'absent.npz'));
    await expect(configuredTermVectors(missing)).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringMatching(/absent\.npz \(SVC_ANC2VEC_FILE\).*ENOENT/),
    });
    const context = contextOf(await file('GO:0000001\t1\nGO:0000001\t2\n'));
    await expect(configuredTermVectors(context)).rejects.toThrow(
      "The anc2vec file anc2vec.tsv (SVC_ANC2VEC_FILE) can't be used: GO:0000001 comes twice.",
    );
    await file('GO:0000001\t1\nGO:0000002\t2\n');
    expect((await configuredTermVectors(context))?.rowOf.size).toBe(2);
  });
});
