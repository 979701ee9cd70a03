// Makes synthetic embeddings for the search benchmark: 20,000 clusters of Zipf sizes around a common mean, low-rank structure and
// isotropic noise, written as raw float32 so that every candidate reads the same bytes.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { generator } from './alignment-data.mjs';

const clusters = 20_000;
const rank = 48;

function normalFrom(random) {
  return () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

/** Writes rows x dimension float32 to `path` unless the file exists. Queries have another seed of noise, but the same clusters. */
export function writeVectors(path, { rows, dimension, seed }) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const fixed = normalFrom(generator(1));
  const basis = Float32Array.from({ length: rank * dimension }, () => fixed() / Math.sqrt(rank));
  const mean = Float32Array.from({ length: dimension }, () => 2 * fixed());
  const weights = Float32Array.from({ length: clusters * rank }, () => fixed());
  const random = generator(seed);
  // The noise comes from a long table at random offsets, because a Box-Muller draw for each of 640 million numbers would take minutes.
  const normal = normalFrom(random);
  const table = Float32Array.from({ length: 1 << 20 }, () => 0.6 * normal());
  const file = openSync(`${path}.part`, 'w');
  const blockRows = 512;
  const centre = new Float32Array(dimension);
  for (let first = 0; first < rows; first += blockRows) {
    const count = Math.min(blockRows, rows - first);
    const block = new Float32Array(count * dimension);
    for (let r = 0; r < count; r++) {
      // The clusters follow Zipf's law, because the cluster's number is uniform on a logarithmic scale.
      const cluster = Math.floor(clusters ** random()) - 1;
      const scale = 0.5 + random();
      centre.set(mean);
      for (let b = 0; b < rank; b++) {
        const weight = weights[cluster * rank + b] + 0.3 * normal();
        for (let i = 0, at = b * dimension; i < dimension; i++, at++) centre[i] += weight * basis[at];
      }
      const at = Math.floor(random() * (table.length - dimension));
      for (let i = 0; i < dimension; i++) block[r * dimension + i] = centre[i] + scale * table[at + i];
    }
    writeSync(file, new Uint8Array(block.buffer));
  }
  closeSync(file);
  renameSync(`${path}.part`, path);
}
