// Exact search in plain TypeScript (the fallback without the native kernel) beside a naive loop over the same numbers.
// Usage: node benchmarks/knn-fallback.bench.mjs [references] [queries] [dimension]
import { search, searchNaive } from '@kindred/kernels/knn';

const [references = 20_000, queries = 64, dimension = 1024] = process.argv.slice(2).map(Number);
let state = 1;
const next = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 - 0.5;
};
const bank = {
  vectors: Float32Array.from({ length: references * dimension }, next),
  dimension,
  reference: Int32Array.from({ length: references }, (_, row) => row),
  sequence: Int32Array.from({ length: references }, (_, row) => row),
  rank: Int32Array.from({ length: references }, (_, row) => row),
};
const batch = { vectors: Float32Array.from({ length: queries * dimension }, next) };
const few = { vectors: batch.vectors.subarray(0, Math.min(4, queries) * dimension) };

function measure(name, run, nQuery, perElement) {
  run();
  const start = performance.now();
  const result = run();
  const seconds = (performance.now() - start) / 1000;
  const rate = (perElement * nQuery * references * dimension) / seconds / 1e9;
  console.log(
    `${name.padEnd(16)} ${(nQuery / seconds).toFixed(1).padStart(8)} queries/s ${rate.toFixed(2).padStart(7)} GFLOP/s`,
  );
  return { rate, result };
}

console.log(`${references} references, dimension ${dimension}, k 5, one thread`);
for (const [metric, perElement] of /** @type {const} */ ([
  ['cosine', 2],
  ['l2', 3],
])) {
  const options = { metric, k: 5 };
  const tiled = measure(`tiled ${metric}`, () => search(bank, batch, options), queries, perElement);
  const naive = measure(
    `naive ${metric}`,
    () => searchNaive(bank, few, options),
    few.vectors.length / dimension,
    perElement,
  );
  const same = naive.result[0].neighbours.every(
    (reference, i) => reference === tiled.result[0].neighbours[i],
  );
  console.log(`ratio ${(tiled.rate / naive.rate).toFixed(1)}, same neighbours: ${same}`);
}
