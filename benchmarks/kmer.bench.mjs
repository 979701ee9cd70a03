// Measures the sequences a second of the k-mer models on the example proteins, in turns with the plain code that their kernel equals,
// beside a count of plain hashed 3-mers.
//   node benchmarks/kmer.bench.mjs [model ...]
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { plugin } from '@kindred/backend-kmer';
import { planFeatures } from '../plugins/backend-kmer/dist/features.js';
import { encodeLetters, Spectrum } from '../plugins/backend-kmer/dist/spectrum.js';
import { substitutionComponents } from '../plugins/backend-kmer/dist/substitution.js';
import { exampleSequences } from './example-proteins.mjs';
import { keep } from './figures.mjs';

const sequences = exampleSequences();
const residues = sequences.reduce((sum, sequence) => sum + sequence.length, 0);
const backend = await plugin.load({ dataDir: '', settings: {} });
const asked = process.argv.slice(2);
const models = (await backend.models()).filter(
  ({ model_name }) => asked.length === 0 || asked.includes(model_name),
);

/** @returns sequences per second */
async function speed(run) {
  const start = performance.now();
  await run(sequences);
  return (sequences.length * 1000) / (performance.now() - start);
}

function print(name, perSecond, ratio = '') {
  const millions = ((perSecond * residues) / sequences.length / 1e6).toFixed(2);
  console.log(
    `${name.padEnd(20)} ${perSecond.toFixed(0).padStart(7)} sequences/s ${millions.padStart(7)} M residues/s ${ratio}`,
  );
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

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
print('hashed 3-mers', await speed(async (batch) => hashedTriples(batch)));
for (const { model_name, dimension } of models) {
  const max_length = 1022;
  const session = await backend.open(completeRecipe({ model_name, model_backend: 'kmer', max_length }));
  const components = substitutionComponents();
  const spectrum = new Spectrum(components, planFeatures(components, dimension));
  const [plain, kernel] = [[], []];
  for (let turn = 0; turn < 3; turn++) {
    plain.push(await speed((batch) => batch.map((one) => spectrum.embed(encodeLetters(one), max_length))));
    kernel.push(await speed((batch) => session.embed(batch)));
  }
  keep('sequences a second', median(kernel), { model: model_name });
  print(`${model_name}, plain`, median(plain));
  print(model_name, median(kernel), `${(median(kernel) / median(plain)).toFixed(1)} x plain`);
}
