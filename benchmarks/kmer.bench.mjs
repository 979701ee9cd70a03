// Sequences per second of the k-mer models on the example proteins, beside a count of plain hashed 3-mers.
// Usage: node benchmarks/kmer.bench.mjs [model ...]
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { plugin } from '@kindred/backend-kmer';
import { parseFasta } from '@kindred/kernels/formats';

const file = new URL('../examples/reference.fasta.gz', import.meta.url);
const sequences = parseFasta(gunzipSync(readFileSync(file))).map((record) => record.sequence);
const residues = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
const backend = await plugin.load();
const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : (await backend.models()).map((model) => model.model_name);

async function measure(name, run) {
  await run(sequences.slice(0, 500));
  const start = performance.now();
  await run(sequences);
  const seconds = (performance.now() - start) / 1000;
  const perSecond = (sequences.length / seconds).toFixed(0).padStart(7);
  console.log(
    `${name.padEnd(20)} ${perSecond} sequences/s ${(residues / seconds / 1e6).toFixed(2).padStart(7)} M residues/s`,
  );
}

function hashedTriples(batch) {
  return batch.map((sequence) => {
    const vector = new Float32Array(1024);
    for (let i = 0; i + 3 <= sequence.length; i++) {
      let hash = 0x811c9dc5;
      for (const letter of sequence.slice(i, i + 3))
        hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
      vector[hash & 1023] += hash < 0 ? -1 : 1;
    }
    return vector;
  });
}

console.log(`${sequences.length} proteins, ${residues} residues, one thread`);
await measure('hashed 3-mers', async (batch) => hashedTriples(batch));
for (const model_name of names) {
  const session = await backend.open({
    model_name,
    model_backend: 'kmer',
    layer_indices: [0],
    layer_agg: 'mean',
    pooling: 'mean',
    normalize_residues: false,
    normalize: true,
    max_length: 1022,
    use_chunking: false,
    chunk_size: 512,
    chunk_overlap: 0,
  });
  await measure(model_name, (batch) => session.embed(batch));
}
