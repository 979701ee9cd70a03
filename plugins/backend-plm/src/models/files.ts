import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { badModel } from '../bad-model.js';

/** Where a model came from and the digests of its files; written when it is added, compared by `kindred models check`. */
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
  'model.safetensors',
  'model.safetensors.index.json',
  'kindred-vector.json',
]);
const shard = /^model-\d{5}-of-\d{5}\.safetensors$/;
const exported = /^model\.onnx(_data|\.data)?$/;

/**
 * The files of a model that are needed, among those that a folder or repository has: configuration, tokenizer, weights;
 * a ready-made ONNX model only where there are no safetensors.
 * @throws ProblemError bad_file when there are no weights that can be read
 */
export function neededFiles(names: readonly string[]): string[] {
  const plain = names.filter((name) => wantedNames.has(name) || shard.test(name) || exported.test(name));
  const single = plain.includes('model.safetensors');
  const sharded = plain.includes('model.safetensors.index.json');
  if (!single && !sharded && !plain.includes('model.onnx'))
    throw badModel(
      names.includes('pytorch_model.bin') || names.some((name) => /^pytorch_model-.*\.bin$/.test(name))
        ? 'it offers its weights as pickle files (pytorch_model.bin) alone, which can hold code and are not read; save the model as safetensors with transformers (save_pretrained) and use "kindred models add"'
        : 'it has neither model.safetensors nor model.onnx',
    );
  return plain.filter(
    (name) =>
      !(exported.test(name) && (single || sharded)) &&
      !(single && (shard.test(name) || name === 'model.safetensors.index.json')),
  );
}

export async function digestOf(path: string, hash: Hash = createHash('sha256')): Promise<string> {
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(block as Buffer);
  return hash.digest('hex');
}

/** Digests the files of a folder and writes its manifest. */
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
 * Compares the files of a folder with its manifest.
 * @returns how many files were compared; 0 without a manifest
 * @throws ProblemError bad_file naming the file that changed
 */
export async function verifyManifest(folder: string): Promise<number> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => null);
  if (text === null) return 0;
  const files = Object.entries(parseManifest(text).files);
  for (const [name, { sizeBytes, sha256 }] of files) {
    if (name !== basename(name)) throw badModel(`${manifestFile} names ${name}, which is no file name`);
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
