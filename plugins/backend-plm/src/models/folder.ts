import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { EmbeddingRecipe } from '@kindred/contracts';
import { badModel } from '../bad-model.js';
import { buildEncoder } from '../graph/encoder.js';
import { type Encoder, openEncoder } from '../inference/encoder.js';
import { openExport } from '../inference/export.js';
import { pooledDimension } from '../inference/pooling.js';
import { type ModelLimits, statesOf } from '../inference/recipe.js';
import type { Device } from '../inference/runtime.js';
import { LanguageModelSession, tokenBudget } from '../inference/session.js';
import { loadRuntime } from '../runtime/load.js';
import { readTokenizer, type ResidueTokenizer, type Task } from '../tokens/tokenizer.js';
import type { EncoderConfig } from '../weights/config.js';
import { quantisedWeights, type SharedScale } from '../weights/quantise.js';
import { readConfig, readEncoderWeights } from '../weights/read-config.js';
import { weightFiles } from '../weights/weight-files.js';

/** A model folder whose small files are loaded, but not the weights. */
export interface ModelFolder {
  name: string;
  path: string;
  files: readonly string[];
  /** The kind of the model: with `weights` the graph is built from weights; `export` is a prebuilt model.onnx. */
  kind: 'weights' | 'export';
  config: EncoderConfig;
  /** The task; null means the model's default. */
  task: Task | null;
  tokenizer: ResidueTokenizer;
  limits: ModelLimits & { hidden: number };
  describe: string;
}
export interface OpenOptions {
  /** The scale of int8 weights; null if the weights are float32. */
  int8: SharedScale | null;
  device: Device;
  /** Whether all sessions of the machine share one copy of the weights. @default false */
  shared?: boolean;
  /** The measurements for the job's result. */
  measured?: Record<string, number>;
}

const familyNames = { esm: 'ESM', esmc: 'ESM C', e1: 'E1', bert: 'BERT encoder', t5: 'T5 encoder' } as const;

/** @throws ProblemError bad_file */
export async function readModelFolder(path: string, task: Task | null = null): Promise<ModelFolder> {
  const files = await readdir(path).catch(() => {
    throw badModel(`there is no folder ${path}`);
  });
  const config = await readConfig(path, files);
  const tokenizer = await readTokenizer(path, files, config, task);
  const isExport = weightFiles(files).length === 0 && files.includes('model.onnx');
  return {
    name: basename(path),
    path,
    files,
    kind: isExport ? 'export' : 'weights',
    config,
    task,
    tokenizer,
    limits: {
      hidden: config.hidden,
      layers: config.layers,
      maxTokens: config.maxTokens,
      tokenizer,
    },
    describe: `${familyNames[config.family]} of ${config.hidden} dimensions${isExport ? ', ONNX export' : ''}`,
  };
}

/** @throws ProblemError validation_failed, bad_file, backend_unavailable */
export async function openModel(
  folder: ModelFolder,
  recipe: EmbeddingRecipe,
  { int8, device, shared = false, measured }: OpenOptions,
): Promise<LanguageModelSession> {
  const { path, files, config, tokenizer, limits } = folder;
  const states = statesOf(recipe, limits);
  const runtime = loadRuntime(dirname(path));
  const session = (encoder: Encoder) =>
    new LanguageModelSession(
      { encoder, tokenizer, hidden: limits.hidden, layers: states.length, measured },
      recipe,
    );
  if (folder.kind === 'export') {
    refuseInt8(int8 !== null);
    return session(await openExport({ runtime, path: join(path, 'model.onnx'), config, states, device }));
  }
  const weights = await readEncoderWeights(path, files, config);
  const quantised = int8 ? await quantisedWeights(path, config, weights, int8) : null;
  const residues = recipe.use_chunking ? recipe.chunk_size : recipe.max_length;
  const maxTokens = Math.max(tokenBudget, residues + tokenizer.prefixTokens + tokenizer.suffixTokens);
  return session(
    await openEncoder({
      runtime,
      folder: path,
      config,
      weights,
      states,
      quantised,
      device,
      shared,
      maxTokens,
    }),
  );
}

/** Checks recipe and weights as `openModel` does, but reads only the headers. */
export async function inspectModel(
  { path, files, kind, config, limits }: ModelFolder,
  recipe: EmbeddingRecipe,
  int8: boolean,
): Promise<{ dimension: number }> {
  const states = statesOf(recipe, limits);
  if (kind === 'export') refuseInt8(int8);
  else buildEncoder(config, await readEncoderWeights(path, files, config), states);
  return { dimension: pooledDimension(recipe, states.length, limits.hidden) };
}

function refuseInt8(int8: boolean): void {
  if (int8)
    throw badModel('int8 weights are made from published weights; this folder has a ready-made ONNX model');
}
