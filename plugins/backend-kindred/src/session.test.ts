import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type EmbeddingRecipe, ProblemError } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { parseFasta } from '@kindred/kernels/formats';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { plugin } from './index.js';
import { loadNetwork } from './model.js';

const recipe = completeRecipe({ model_name: 'kindred-1', model_backend: 'kindred' });
const proteins = parseFasta(
  gunzipSync(readFileSync(join(repositoryRoot(), 'examples/reference.fasta.gz'))),
).map(({ sequence }) => sequence);
const sequence = proteins.find(({ length }) => length > 150 && length < 300) ?? '';
const open = async (change: Partial<EmbeddingRecipe> = {}, native = 'on') =>
  (await plugin.load({ dataDir: '', settings: { native_kernels: native } })).open({ ...recipe, ...change });
const cosine = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, i) => sum + value * right[i], 0);

async function vectorOf(one: string, change: Partial<EmbeddingRecipe> = {}): Promise<Float32Array> {
  return (await (await open(change)).embed([one])).vectors;
}

describe('kindred-1', () => {
  it('gives the same bits with the addon and without it', async () => {
    const without = await (await open({}, 'off')).embed([sequence, proteins[0]]);
    const fast = await (await open()).embed([sequence, proteins[0]]);
    expect([...fast.vectors]).toEqual([...without.vectors]);
  });

  it('places a protein near its mutants and fragments, and far from others', async () => {
    const vector = await vectorOf(sequence);
    const mutant = [...sequence].map((letter, i) => (i % 10 === 3 ? 'A' : letter)).join('');
    const others = proteins.filter((other) => other !== sequence).slice(0, 20);
    const { vectors } = await (await open()).embed(others);
    const distant = others.map((_, i) => cosine(vector, vectors.subarray(i * 512, (i + 1) * 512)));
    const nearest = Math.max(...distant);
    expect(cosine(vector, await vectorOf(mutant))).toBeGreaterThan(nearest);
    expect(cosine(vector, await vectorOf(sequence.slice(15)))).toBeGreaterThan(nearest);
  });

  it('has a vector of zeros for fewer than 30 residues, normalised or not', async () => {
    for (const normalize of [true, false]) {
      expect((await vectorOf(sequence.slice(0, 29), { normalize })).every((value) => value === 0)).toBe(true);
      expect((await vectorOf(sequence.slice(0, 30), { normalize })).every((value) => value === 0)).toBe(
        false,
      );
    }
  });

  it('normalises only when asked, and never turns the direction', async () => {
    const unit = await vectorOf(sequence);
    const raw = await vectorOf(sequence, { normalize: false });
    expect(Math.hypot(...unit)).toBeCloseTo(1, 6);
    expect(cosine(unit, raw)).toBeCloseTo(Math.hypot(...raw), 4);
  });

  it('sees windows of max_length residues, and embeds each chunk as a sequence of its own', async () => {
    const whole = await vectorOf(sequence);
    expect([...(await vectorOf(sequence, { max_length: 2048 }))]).toEqual([...whole]);
    expect(cosine(await vectorOf(sequence, { max_length: 100 }), whole)).toBeLessThan(0.9999);
    const chunked = await (await open({ use_chunking: true, chunk_size: 60, chunk_overlap: 20 })).embed([
      sequence,
    ]);
    expect(chunked.sequenceIndex.length).toBeGreaterThan(2);
    for (let row = 0; row < chunked.sequenceIndex.length; row++) {
      const chunk = sequence.slice(chunked.chunkStart[row], chunked.chunkEnd[row]);
      expect([...chunked.vectors.subarray(row * 512, (row + 1) * 512)]).toEqual([...(await vectorOf(chunk))]);
    }
  });

  it('refuses recipes that it cannot follow, by field', async () => {
    const paths = async (change: Partial<EmbeddingRecipe>) => {
      const error = await open(change).catch((thrown: unknown) => thrown);
      return error instanceof ProblemError ? error.errors?.map(({ path }) => path) : error;
    };
    expect(await paths({ layer_indices: [1] })).toEqual(['/layer_indices']);
    expect(await paths({ pooling: 'max' })).toEqual(['/pooling']);
    expect(await paths({ normalize_residues: true })).toEqual(['/normalize_residues']);
    expect(await paths({ max_length: 29 })).toEqual(['/max_length']);
    expect(await paths({ max_length: 2049 })).toEqual(['/max_length']);
    expect(await paths({ use_chunking: true, chunk_size: 20 })).toEqual(['/chunk_size']);
    expect(await paths({ use_chunking: true, chunk_overlap: 512 })).toEqual(['/chunk_overlap']);
  });
});

describe('the files of kindred-1', () => {
  const shipped = join(repositoryRoot(), 'models/network');
  const folder = mkdtempSync(join(tmpdir(), 'kindred-model-'));
  const place = pathToFileURL(`${folder}/`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are those of this name: other weights need another name', () => {
    const { sha256 } = JSON.parse(readFileSync(join(shipped, 'provenance.json'), 'utf8'));
    expect(sha256['weights.bin']).toBe('e7c019bd198115ad2f9daa50d261675373582ab6a6e4f932a16cb769c042ce1d');
  });

  it('are refused where they are missing or damaged, with what to do', () => {
    expect(() => loadNetwork('on', place)).toThrow(/files are missing. Install Kindred again/);
    cpSync(shipped, folder, { recursive: true });
    expect(loadNetwork('on', place).dimension).toBe(512);
    const weights = readFileSync(join(folder, 'weights.bin'));
    weights[1_000_000] ^= 1;
    writeFileSync(join(folder, 'weights.bin'), weights);
    expect(() => loadNetwork('on', place)).toThrow(/does not have the hash/);
  });
});
