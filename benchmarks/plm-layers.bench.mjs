// Comparing all layers of a model in one pass of embedding beside a run of its own for each: the same table, and what it costs.
//
//   node benchmarks/plm-layers.bench.mjs [--size 8m] [--max-proteins 1000] [--alone 0,3 | --alone all]
//
// The reference is E. coli of 2020 from the shared data (KINDRED_SHARED, default ../shared beside the checkout), as `kindred models layers` reads it.
// The model has a shape of ESM-2 and random weights, in KINDRED_BENCH_DATA (default: a temporary folder). `--alone` names the candidates that get a
// run of their own as well. Compared is processor time; the run of the last layer alone is 1. Ends with 1 where a figure differs.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { chooseLayers, parseCandidates } from '@kindred/backend-plm/layers/choose';
import { layerCandidates } from '@kindred/backend-plm/layers/compare';
import { readReference } from '@kindred/backend-plm/layers/reference';
import { layerTable } from '@kindred/backend-plm/layers/table';
import { shapes, writeModel } from './plm-data.mjs';

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '8m' },
    'max-proteins': { type: 'string', default: '1000' },
    alone: { type: 'string', default: '0' },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const data = join(process.env.KINDRED_SHARED ?? join(dirname(root), 'shared'), 'data');
const modelsDir = join(process.env.KINDRED_BENCH_DATA ?? join(tmpdir(), 'kindred-bench'), 'models');
mkdirSync(modelsDir, { recursive: true });
const model = writeModel(modelsDir, options.size);
/** @type {{ modelsDir: string; modelDevice: 'cpu'; sharedWeights: boolean }} */
const place = { modelsDir, modelDevice: 'cpu', sharedWeights: true };
const readSample = (maxProteins) =>
  readReference({
    fasta: join(data, 'ecoli-k12', 'UP000000625_83333.fasta.gz'),
    annotations: join(data, 'ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'),
    obo: join(data, 'ontology', 'go-2022-07-01.obo.gz'),
    maxProteins,
    seed: 1,
  });
const reference = await readSample(Number(options['max-proteins']));
console.log(`${model}, ${reference.accessions.length} proteins`);

/** The figures of these candidates, with the processor seconds of embedding and of the rest. */
async function run(candidates, of = reference) {
  const seconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const before = seconds();
  let embedded = before;
  const { figures } = await chooseLayers(place, of, {
    ...{ model, candidates, k: 5, resamples: 1000, seed: 1 },
    progress: () => (embedded = seconds()),
  });
  return { figures, embedding: embedded - before, comparing: seconds() - embedded };
}

// The first session of a process loads the runtime.
await run([[0]], await readSample(20));
const all = layerCandidates(shapes[options.size].layers);
const asked = options.alone === 'all' ? all : parseCandidates(options.alone);
const runs = [];
for (const candidate of asked) runs.push({ candidate, ...(await run([candidate])) });
const together = await run(all);
console.log(layerTable(together.figures));

const [one] = runs;
const total = ({ embedding, comparing }) => embedding + comparing;
const row = (name, { embedding, comparing }) => ({
  run: name,
  'embedding, processor s': embedding.toFixed(1),
  'comparing, processor s': comparing.toFixed(1),
  'of the run of the first': (total({ embedding, comparing }) / total(one)).toFixed(2),
});
console.table([
  ...runs.map((each) => row(`layers ${each.candidate.join('+')} alone`, each)),
  row(`all ${all.length} candidates together`, together),
]);
const differing = runs.filter(({ candidate, figures: [alone] }) => {
  const same = together.figures.find(({ layers }) => layers.join('+') === candidate.join('+'));
  return same === undefined || !isDeepStrictEqual({ ...same, difference: null }, alone);
});
console.log(
  `${runs.length - differing.length} of ${runs.length} runs alone give the same figures as the run together`,
);
process.exitCode = differing.length === 0 ? 0 : 1;
