import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { encodeResidues, type PairAligner, plainAligner } from '@kindred/kernels/alignment';
import { parseFasta } from '@kindred/kernels/formats';
import { createPlainWalker, parseLightgbmModel } from '@kindred/kernels/reranker';
import {
  BankWriter,
  createWasmAligner,
  createWasmTreeWalker,
  loadNative,
  type NativeKernels,
  type NeighbourIndex,
  openBlockBank,
  openPlainBank,
} from '@kindred/native';
import { aspects } from '@kindred/contracts';
import { combinedModelsFolder, examplesFolder } from '../../ground/folders.js';

/**
 * Compares every fast kernel that this machine has with the plain one on the example queries.
 * @returns a text about what was compared.
 * @throws Error naming the kernel that differs
 */
export async function checkKernels(native = loadNative()): Promise<string> {
  const sequences = parseFasta(await readFile(join(examplesFolder, 'queries.fasta'))).map((record) =>
    encodeResidues(record.sequence.slice(0, 300)),
  );
  checkAligners(sequences, native);
  await checkSearch(sequences, native);
  return native === null
    ? 'WebAssembly alignment and search equal the plain ones; this machine has no native addon, and results are the same without it'
    : `native (${native.instructions}) and WebAssembly alignment and search equal the plain ones`;
}

function checkAligners(sequences: Uint8Array[], native: NativeKernels | null): void {
  const pairs = {
    sequences,
    query: Int32Array.from(sequences.keys()),
    target: Int32Array.from(sequences.keys(), (i) => (i + 1) % sequences.length),
  };
  const fast: [string, PairAligner][] = [['WebAssembly', createWasmAligner()]];
  if (native !== null) fast.push([`native ${native.instructions}`, native.createAligner()]);
  for (const mode of ['global', 'local'] as const) {
    const expected = plainAligner.align(pairs, { mode });
    for (const [name, aligner] of fast)
      if (!isDeepStrictEqual(aligner.align(pairs, { mode }), expected))
        throw new Error(`the ${name} aligner gives other alignments than the plain one (${mode})`);
  }
}

/** Counts of residues serve as vectors, which are enough for a search with ties. */
async function checkSearch(sequences: Uint8Array[], native: NativeKernels | null): Promise<void> {
  const dimension = 32;
  const vectors = new Float32Array(sequences.length * dimension);
  sequences.forEach((codes, row) => {
    for (const code of codes) vectors[row * dimension + (code % dimension)]++;
  });
  const order = Int32Array.from(sequences.keys());
  const folder = await mkdtemp(join(tmpdir(), 'kindred-selftest-'));
  try {
    const path = join(folder, 'vectors.bank');
    const writer = new BankWriter(path, {
      dimension,
      rows: sequences.length,
      reference: order,
      sequence: order,
      rank: order,
    });
    writer.append(vectors);
    writer.finish();
    const found = async (index: NeighbourIndex) => {
      const { lists } = await index.search({ vectors, sequence: order }, { k: 5, metric: 'cosine' });
      await index.close();
      return lists;
    };
    const expected = await found(openPlainBank(path));
    if (native !== null && !isDeepStrictEqual(await found(native.openBank(path)), expected))
      throw new Error(`the native ${native.instructions} search finds other neighbours than the plain one`);
    if (!isDeepStrictEqual(await found(openBlockBank(path)), expected))
      throw new Error('the WebAssembly search finds other neighbours than the plain one');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the shipped models, and compares their scores by the walker in use with those of the plain one. */
export async function checkModels(): Promise<string> {
  let trees = 0;
  for (const aspect of aspects) {
    const model = parseLightgbmModel(await readFile(join(combinedModelsFolder, `${aspect}.txt`), 'utf8'));
    const rows = 64;
    const features = Float64Array.from({ length: rows * model.featureNames.length }, (_, i) =>
      i % 11 === 0 ? Number.NaN : Math.sin(i) * 3,
    );
    if (
      !isDeepStrictEqual(
        createWasmTreeWalker(model).rawScores(features),
        createPlainWalker(model).rawScores(features),
      )
    )
      throw new Error(`the WebAssembly walker gives other scores than the plain one for the model ${aspect}`);
    trees += model.roots.length;
  }
  return `${aspects.length} models of ${trees} trees; WebAssembly scores equal the plain ones`;
}
