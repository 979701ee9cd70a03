import { createHash } from 'node:crypto';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddingRecipe, EmbeddingSession } from '@kindred/contracts';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { z } from 'zod';
import { badModel } from '../bad-model.js';
import type { Device } from '../inference/runtime.js';
import type { SharedScale } from '../weights/quantise.js';
import { checkProteins } from './check-proteins.js';
import { cosines, neighbourOverlap } from './compare-vectors.js';
import { type ModelFolder, type OpenOptions, openModel } from './folder.js';

/** The minimum cosine between int8 and float32 vectors, and the minimum overlap of the five nearest, to allow int8. */
export const minInt8Cosine = 0.99;
export const minInt8Overlap = 0.95;
/** The minimum cosine between the stored vector of the known sequence and the vector computed on this machine. */
const minKnownCosine = 0.9999;
const neighbours = 5;
/** The scales by device, the fastest first. Integer products run only on CPUs. */
const sharedScales: Readonly<Record<Device, readonly SharedScale[]>> = {
  cpu: ['output', 'block'],
  cuda: ['block'],
};
/** The version of the check; reports of other versions are recomputed. */
const checkVersion = 3;

export interface CheckReport {
  dimension: number;
  /** The cosine to the stored vector; null if there was none, so that the new vector was stored. */
  knownCosine: number | null;
  /** The speed of one thread with float32 weights, for the proteins of the check. */
  proteinsPerSecond: number;
  meanResidues: number;
  int8: Int8Report | null;
}
/** The loss by int8 weights: minimum cosine and mean overlap of the five nearest, relative to float32. */
export interface Int8Report {
  shared: SharedScale;
  cosine: number;
  overlap: number;
}
export interface CheckOptions {
  int8: boolean;
  device: Device;
}

/** Returns the mark of a task in the names of the optional files of a model folder, which the first check writes if they are missing. */
const taskMark = ({ task }: ModelFolder) => (task === null ? '' : `-${task.toLowerCase()}`);
const knownVectorFile = (folder: ModelFolder) => `kindred-vector${taskMark(folder)}.json`;
const reportFile = (folder: ModelFolder, options: CheckOptions) =>
  `kindred-check${taskMark(folder)}-${options.device}${options.int8 ? '-int8' : ''}.json`;

const knownVectorSchema = z.object({
  sequence: z.string().regex(/^[A-Z]{1,5000}$/),
  /** The mean of the last state over the residues. */
  vector: z.array(z.number()).min(1).max(100_000),
  source: z.string(),
});
const reportSchema = z.object({ files: z.string(), report: z.custom<CheckReport>() });

/**
 * Returns the report of the check of exactly these files on this device: a stored one, or a new one.
 * @throws ProblemError bad_file if the model fails its check; the model stays rejected
 */
export async function ensureChecked(folder: ModelFolder, options: CheckOptions): Promise<CheckReport> {
  const files = await fingerprint(folder);
  const path = join(folder.path, reportFile(folder, options));
  const kept = await readFile(path, 'utf8')
    .then((text) => reportSchema.safeParse(parsedJson(text)).data)
    .catch(() => undefined);
  if (kept?.files === files) return kept.report;
  const report = await selfCheck(folder, options);
  // The fingerprint is computed again, because the check may have stored the known vector.
  await replaceFile(path, JSON.stringify({ files: await fingerprint(folder), report }));
  return report;
}

/** Returns the proteins a second of the last check of a model folder on a device; null if there is no report. */
export async function keptSpeed(path: string, device: Device): Promise<number | null> {
  const text = await readFile(join(path, `kindred-check-${device}.json`), 'utf8').catch(() => null);
  const kept = text === null ? undefined : reportSchema.safeParse(parsedJson(text)).data;
  const speed: unknown = kept?.report.proteinsPerSecond;
  return typeof speed === 'number' ? speed : null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns a hash of names, sizes and times of all files except those of the check. */
async function fingerprint(folder: ModelFolder): Promise<string> {
  const { path } = folder;
  const hash = createHash('sha256').update(`check ${checkVersion}\n`);
  for (const name of (await readdir(path)).sort()) {
    if (name.startsWith('kindred-') && name !== knownVectorFile(folder)) continue;
    const { size, mtimeMs } = await stat(join(path, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * Runs the model on known proteins and rejects it unless all of these hold: all numbers are finite; different proteins get different
 * vectors; a protein's vector is the same, to the last bit, alone and among others of the same and of other lengths; the vector of the
 * known sequence is the stored one (if none is stored yet, the new one is stored, so that later checks notice a change). With int8
 * weights, their vectors are compared with those of float32: first those of the fastest kind, and if the loss is too large, those of the
 * more exact kind.
 */
export async function selfCheck(folder: ModelFolder, options: CheckOptions): Promise<CheckReport> {
  const recipe = checkRecipe(folder);
  const sequences = checkProteins.map(([, sequence]) => sequence);
  const exact = await openModel(folder, recipe, { ...options, int8: null });
  try {
    await exact.embed(sequences.slice(0, 1));
    const start = performance.now();
    const together = await vectorsOf(exact, sequences);
    const seconds = (performance.now() - start) / 1000;
    plausible(together);
    await independent(exact, sequences, together);
    const knownCosine = await compareKnown(folder, exact);
    const int8 = options.int8 ? await allowedInt8(folder, options, together) : null;
    const residues = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
    return {
      dimension: exact.dimension,
      knownCosine,
      proteinsPerSecond: sequences.length / seconds,
      meanResidues: Math.round(residues / sequences.length),
      int8,
    };
  } finally {
    await exact.close();
  }
}

function checkRecipe({ name, limits }: ModelFolder): EmbeddingRecipe {
  const { prefixTokens, suffixTokens } = limits.tokenizer;
  return completeRecipe({
    model_name: name,
    model_backend: 'plm',
    normalize: false,
    max_length: Math.min(1022, (limits.maxTokens ?? 1024) - prefixTokens - suffixTokens),
  });
}

async function vectorsOf(session: EmbeddingSession, sequences: readonly string[]): Promise<Float32Array[]> {
  const { vectors } = await session.embed(sequences);
  const { dimension } = session;
  return sequences.map((_, row) => vectors.slice(row * dimension, (row + 1) * dimension));
}

function plausible(vectors: readonly Float32Array[]): void {
  vectors.forEach((vector, row) => {
    if (!vector.every(Number.isFinite))
      throw badModel(
        `its self-check failed: the vector of ${checkProteins[row][0]} has values that are not numbers`,
      );
  });
  const distinct = new Set(vectors.map((vector) => Buffer.from(vector.buffer).toString('base64')));
  if (distinct.size < vectors.length)
    throw badModel('its self-check failed: different proteins get the same vector');
}

/** Checks independence: adds copies of the shortest and the longest protein, and runs one protein alone. */
async function independent(
  session: EmbeddingSession,
  sequences: readonly string[],
  together: readonly Float32Array[],
): Promise<void> {
  const [alone] = await vectorsOf(session, sequences.slice(0, 1));
  const twin = [...sequences[0]].reverse().join('');
  const [beside] = await vectorsOf(session, [sequences[0], twin, sequences[1]]);
  for (const vector of [alone, beside]) {
    if (Buffer.compare(Buffer.from(vector.buffer), Buffer.from(together[0].buffer)) !== 0)
      throw badModel(
        'its self-check failed: the vector of a protein depends on which others are run with it',
      );
  }
}

async function compareKnown(folder: ModelFolder, session: EmbeddingSession): Promise<number | null> {
  const file = knownVectorFile(folder);
  const path = join(folder.path, file);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) {
    const [, sequence] = checkProteins[0];
    const [vector] = await vectorsOf(session, [sequence]);
    const source = 'computed at the first check';
    await replaceFile(path, JSON.stringify({ sequence, vector: [...vector], source }));
    return null;
  }
  const known = parseKnown(text);
  if (known?.vector.length !== session.dimension)
    throw badModel(`${file} does not hold a sequence and its ${session.dimension} numbers`);
  const [vector] = await vectorsOf(session, [known.sequence]);
  const [cosine] = cosines([vector], [Float32Array.from(known.vector)]);
  if (!(cosine >= minKnownCosine))
    throw badModel(
      `its self-check failed: the vector of the known sequence has cosine ${cosine.toFixed(5)} to the stored one (${known.source}), less than ${minKnownCosine}. The weights are damaged or of another model; fetch them again, or delete ${file} if you replaced them on purpose`,
    );
  return cosine;
}

const parseKnown = (text: string) => knownVectorSchema.safeParse(parsedJson(text)).data;

async function allowedInt8(
  folder: ModelFolder,
  options: CheckOptions,
  exact: readonly Float32Array[],
): Promise<Int8Report> {
  const losses: string[] = [];
  for (const shared of sharedScales[options.device]) {
    const report = await compareInt8(folder, { ...options, int8: shared }, exact);
    const { cosine, overlap } = report;
    if (cosine >= minInt8Cosine && overlap >= minInt8Overlap) return { shared, ...report };
    losses.push(
      `with a scale for each ${shared}, cosine to float32 ${cosine.toFixed(4)} and overlap of the ${neighbours} nearest ${overlap.toFixed(3)}`,
    );
  }
  throw badModel(
    `int8 weights change it too much: ${losses.join('; ')} (at least ${minInt8Cosine} and ${minInt8Overlap}); use it without @int8`,
  );
}

async function compareInt8(
  folder: ModelFolder,
  options: OpenOptions,
  exact: readonly Float32Array[],
): Promise<{ cosine: number; overlap: number }> {
  const rounded = await openModel(folder, checkRecipe(folder), options);
  try {
    const sequences = checkProteins.map(([, sequence]) => sequence);
    const vectors = await vectorsOf(rounded, sequences);
    await independent(rounded, sequences, vectors);
    return {
      cosine: Math.min(...cosines(vectors, exact)),
      overlap: neighbourOverlap(vectors, exact, neighbours),
    };
  } finally {
    await rounded.close();
  }
}

/** Replaces the file atomically, because several processes may write it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.draft`;
  await writeFile(draft, text);
  await rename(draft, path);
}
