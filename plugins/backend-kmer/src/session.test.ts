import { type EmbeddingRecipe, ProblemError } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { describe, expect, it } from 'vitest';
import { plugin } from './index.js';

const recipe = completeRecipe({ model_name: 'kmer-1024', model_backend: 'kmer' });
const proteins = [
  'MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR',
  'MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH',
  'MKXXBZJUOX',
];
const open = async (change: Partial<EmbeddingRecipe> = {}) =>
  (await plugin.load({ dataDir: '', settings: {} })).open({ ...recipe, ...change });
const refusal = async (change: Partial<EmbeddingRecipe>) => {
  const error = await open(change).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProblemError)) throw new Error(`not refused: ${JSON.stringify(change)}`);
  return { code: error.code, paths: error.errors?.map((fault) => fault.path) };
};

describe('KmerSession', () => {
  it('gives a sequence the same bits alone and in any company', async () => {
    const session = await open();
    const all = await session.embed(proteins);
    const again = await (await open()).embed([...proteins].reverse());
    for (let i = 0; i < 3; i++) {
      const row = [...all.vectors.subarray(i * 1024, (i + 1) * 1024)];
      expect([...(await session.embed([proteins[i]])).vectors]).toEqual(row);
      expect([...again.vectors.subarray((2 - i) * 1024, (3 - i) * 1024)]).toEqual(row);
    }
    expect([...all.sequenceIndex]).toEqual([0, 1, 2]);
    expect([...all.chunkStart]).toEqual([0, 0, 0]);
    expect([...all.chunkEnd]).toEqual([-1, -1, -1]);
  });

  it('normalises only when asked, and never turns the direction', async () => {
    const unit = (await (await open()).embed(proteins)).vectors.subarray(0, 1024);
    const raw = (await (await open({ normalize: false })).embed(proteins)).vectors.subarray(0, 1024);
    const length = Math.hypot(...raw);
    expect(Math.hypot(...unit)).toBeCloseTo(1, 6);
    expect(Math.abs(length - 1)).toBeGreaterThan(0.1);
    raw.forEach((x, i) => expect(x / length).toBeCloseTo(unit[i], 6));
  });

  it('embeds each chunk as a sequence of its own', async () => {
    const chunked = await (await open({ use_chunking: true, chunk_size: 60, chunk_overlap: 20 })).embed(
      proteins,
    );
    expect([...chunked.sequenceIndex]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2]);
    const session = await open();
    for (let r = 0; r < chunked.sequenceIndex.length; r++) {
      const part = proteins[chunked.sequenceIndex[r]].slice(chunked.chunkStart[r], chunked.chunkEnd[r]);
      expect([...chunked.vectors.subarray(r * 1024, (r + 1) * 1024)]).toEqual([
        ...(await session.embed([part])).vectors,
      ]);
    }
    expect(chunked.chunkEnd.at(-1)).toBe(proteins[2].length);
  });

  it('counts no pair across a border of max_length, and drops no residue', async () => {
    const whole = (await (await open({ max_length: 142 })).embed([proteins[0]])).vectors;
    const split = (await (await open({ max_length: 71 })).embed([proteins[0]])).vectors;
    const head = (await (await open()).embed([proteins[0].slice(0, 71)])).vectors;
    const cosine = (left: Float32Array, right: Float32Array) =>
      left.reduce((sum, x, i) => sum + x * right[i], 0);
    expect(cosine(whole, split)).toBeLessThan(1 - 1e-4);
    expect(cosine(whole, split)).toBeGreaterThan(0.8);
    expect(cosine(whole, split)).toBeGreaterThan(cosine(head, split) + 0.1);
  });

  it('refuses what it cannot follow, naming the fields', async () => {
    const failed = 'validation_failed';
    expect(await refusal({ layer_indices: [1] })).toEqual({ code: failed, paths: ['/layer_indices'] });
    expect(await refusal({ layer_indices: [0, 0] })).toEqual({ code: failed, paths: ['/layer_indices'] });
    expect(await refusal({ pooling: 'cls', normalize_residues: true })).toEqual({
      code: failed,
      paths: ['/pooling', '/normalize_residues'],
    });
    expect(await refusal({ max_length: 1 })).toEqual({ code: failed, paths: ['/max_length'] });
    expect(await refusal({ use_chunking: true, chunk_overlap: 512 })).toEqual({
      code: failed,
      paths: ['/chunk_overlap'],
    });
    expect((await refusal({ model_name: 'kmer-7' })).code).toBe('unknown_model');
    await open({ chunk_overlap: 512 });
  });

  it('names the sequence and position of a letter that it cannot read', async () => {
    const session = await open();
    await expect(session.embed(['MK', 'M-K'])).rejects.toMatchObject({
      code: 'bad_fasta',
      message: "sequence 2: position 2: '-' is not a residue letter",
    });
  });

  it('stops when aborted', async () => {
    const session = await open();
    const stop = new AbortController();
    const running = session.embed(Array(5000).fill(proteins[0]), stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});
