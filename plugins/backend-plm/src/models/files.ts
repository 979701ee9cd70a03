import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { badModel } from '../bad-model.js';
import type { PinnedFile } from './catalogue.js';
import { weightFiles } from '../weights/weight-files.js';

/**
 * The file with the source of a model and the digests of its files. It is written when the model is added, and checked by `kindred models
 * check`.
 */
export const manifestFile = 'kindred-model.json';
const manifestSchema = z.object({
  source: z.string(),
  revision: z.string().nullable(),
  files: z.record(z.string(), z.object({ sizeBytes: z.number(), sha256: z.string() })),
});
export type ModelManifest = z.output<typeof manifestSchema>;

const wantedNames = new Set([
  'config.json',
  'vocab.txt',
  'spiece.model',
  'tokenizer.json',
  'tokenizer_config.json',
  'added_tokens.json',
  'special_tokens_map.json',
  'kindred-vector.json',
  'kindred-vector-s2s.json',
]);
const exported = /^model\.onnx(_data|\.data)?$/;

/**
 * Selects the required files of a model from the paths in a folder or repository: configuration, tokenizer, weights in one format, and a
 * prebuilt ONNX model only if there are no weights.
 * @throws ProblemError bad_file if there are neither weights nor a prebuilt model
 */
export function neededFiles(names: readonly string[]): string[] {
  const weights = weightFiles(names);
  const model = weights.length > 0 ? weights : names.filter((name) => exported.test(name));
  if (model.length === 0)
    throw badModel(
      'it has no weights: expected model.safetensors, pytorch_model.bin, their shards, esmc_*.pth, or model.onnx',
    );
  return [...names.filter((name) => wantedNames.has(name)), ...model];
}

export async function digestOf(path: string, hash: Hash = createHash('sha256')): Promise<string> {
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(block as Buffer);
  return hash.digest('hex');
}

/** Computes the digests of the files of a folder and writes its manifest. */
export async function writeManifest(
  folder: string,
  names: readonly string[],
  origin: Pick<ModelManifest, 'source' | 'revision'>,
): Promise<ModelManifest> {
  const files: ModelManifest['files'] = {};
  for (const name of names) {
    const path = join(folder, name);
    files[name] = { sizeBytes: (await stat(path)).size, sha256: await digestOf(path) };
  }
  const manifest = { ...origin, files };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/**
 * Compares the added files with the content that is known of this model.
 * @throws ProblemError bad_file, which names the file that differs
 */
export function verifyPinned({ files }: ModelManifest, pinned: Readonly<Record<string, PinnedFile>>): void {
  for (const [name, known] of Object.entries(pinned)) {
    const found = files[name] as PinnedFile | undefined;
    if (found && (found.sizeBytes !== known.sizeBytes || found.sha256 !== known.sha256))
      throw badModel(
        `${name} is not the published file: sha256 ${found.sha256}, expected ${known.sha256}. Fetch it again, or give a model of your own another name (kindred models add <folder> --name <name>)`,
      );
  }
}

/**
 * Compares the files of a folder with its manifest.
 * @returns the number of compared files; 0 without a manifest
 * @throws ProblemError bad_file, which names the file that changed
 */
export async function verifyManifest(folder: string): Promise<number> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null);
  if (text === null) return 0;
  const files = Object.entries(parseManifest(text).files);
  for (const [name, { sizeBytes, sha256 }] of files) {
    if (name !== basename(name)) throw badModel(`${manifestFile} names ${name}, which is not a file name`);
    const path = join(folder, name);
    const there = await stat(path).catch(() => null);
    if (there === null) throw badModel(`the file ${name} is missing; fetch the model again`);
    if (there.size !== sizeBytes || (await digestOf(path)) !== sha256)
      throw badModel(
        `the file ${name} is not the one that was added (sha256 differs); fetch the model again`,
      );
  }
  return files.length;
}

function parseManifest(text: string): ModelManifest {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    throw badModel(`${manifestFile} is damaged; fetch the model again`);
  }
}
