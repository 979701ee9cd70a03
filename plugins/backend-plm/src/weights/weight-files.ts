import { basename, join } from 'node:path';
import { badModel } from '../bad-model.js';
import { readPytorch } from './pytorch.js';
import { readBounded } from './read-bounded.js';
import { readSafetensors, type TensorSpan, type Weights } from './safetensors.js';

/** The folder of the weights in the repositories of ESM C of December 2024. */
export const weightsFolder = 'data/weights';

interface Format {
  single: RegExp;
  sharded: { index: string; shard: RegExp } | null;
  /** The name of the format, for messages. */
  name: string;
  read(path: string): Promise<Map<string, TensorSpan>>;
}
/** The formats by preference: the first one in a folder is read. */
const formats: readonly Format[] = [
  {
    name: 'model.safetensors',
    single: /^model\.safetensors$/,
    sharded: { index: 'model.safetensors.index.json', shard: /^model-\d{5}-of-\d{5}\.safetensors$/ },
    read: readSafetensors,
  },
  {
    name: 'pytorch_model.bin',
    single: /^pytorch_model\.bin$/,
    sharded: { index: 'pytorch_model.bin.index.json', shard: /^pytorch_model-\d{5}-of-\d{5}\.bin$/ },
    read: readPytorch,
  },
  {
    name: 'esmc_*.pth',
    single: new RegExp(`^(${weightsFolder}/)?esmc_\\w+\\.pth$`),
    sharded: null,
    read: readPytorch,
  },
];
const maxIndexBytes = 50_000_000;

/** Selects the files with weights and their index from the given files; none if there are no supported weights. */
export function weightFiles(names: readonly string[]): string[] {
  for (const { single, sharded } of formats) {
    const whole = names.find((name) => single.test(name));
    if (whole !== undefined) return [whole];
    if (sharded && names.includes(sharded.index))
      return names.filter((name) => name === sharded.index || sharded.shard.test(name));
  }
  return [];
}

/**
 * Finds the locations of all weights of a model folder: in one file, or in the shards that its index lists.
 * @throws ProblemError bad_file
 */
export async function readWeights(folder: string, files: readonly string[]): Promise<Weights> {
  for (const format of formats) {
    const whole = files.find((name) => format.single.test(name));
    if (whole !== undefined) return format.read(join(folder, whole));
    if (format.sharded && files.includes(format.sharded.index))
      return readShards(folder, format.sharded, format.read);
  }
  throw badModel(`there is neither ${formats.map(({ name }) => name).join(' nor ')}`);
}

async function readShards(
  folder: string,
  { index, shard: usable }: NonNullable<Format['sharded']>,
  read: Format['read'],
): Promise<Weights> {
  const map = parseIndex(index, await readBounded(join(folder, index), maxIndexBytes));
  const shards = new Map<string, Map<string, TensorSpan>>();
  for (const shard of new Set(map.values())) {
    if (shard !== basename(shard) || !usable.test(shard))
      throw badModel(
        `the index names the shard ${JSON.stringify(shard)}, which is not a file name of this folder`,
      );
    shards.set(shard, await read(join(folder, shard)));
  }
  const weights = new Map<string, TensorSpan>();
  for (const [tensor, shard] of map) {
    const span = shards.get(shard)?.get(tensor);
    if (span) weights.set(tensor, span);
  }
  return weights;
}

function parseIndex(name: string, text: string): Map<string, string> {
  try {
    const { weight_map } = JSON.parse(text) as { weight_map: Record<string, string> };
    const rows = Object.entries(weight_map);
    if (rows.length > 0 && rows.every(([, shard]) => typeof shard === 'string')) return new Map(rows);
  } catch {
    // The error is thrown below, where an index without weight_map ends, too.
  }
  throw badModel(`${name} has no weight_map`);
}
