import { join } from 'node:path';
import { type EncoderConfig, esmcOfWeights, parseConfig } from './config.js';
import { esmcWeights } from './esmc-names.js';
import { readBounded } from './read-bounded.js';
import type { Weights } from './safetensors.js';
import { readWeights, weightFiles } from './weight-files.js';

const maxConfigBytes = 1_000_000;

/**
 * Reads the shape of the encoder in a model folder from config.json. For ESM C of December 2024, whose config.json is of no use, the
 * shape comes from the weights.
 * @throws ProblemError bad_file
 */
export async function readConfig(folder: string, files: readonly string[]): Promise<EncoderConfig> {
  const text = () => readBounded(join(folder, 'config.json'), maxConfigBytes);
  if (!weightFiles(files).some((name) => name.endsWith('.pth'))) return parseConfig(await text());
  const stated = files.includes('config.json') ? await text() : '{}';
  return esmcOfWeights(stated, esmcWeights(await readWeights(folder, files)));
}

/**
 * Finds the locations of the weights of an encoder, under the names that its graph uses.
 * @throws ProblemError bad_file
 */
export async function readEncoderWeights(
  folder: string,
  files: readonly string[],
  { family }: EncoderConfig,
): Promise<Weights> {
  const weights = await readWeights(folder, files);
  return family === 'esmc' ? esmcWeights(weights) : weights;
}
