// Measures the processor time of the default answer (method combined) for one protein, with its parts. There are 1,000 real proteins as
// queries against all proteins of the training windows, or of another FASTA file, as bare sequences, as those of eukaryotes, and as
// proteins that the reference set knows.
//
//   node benchmarks/combined.bench.mjs --shared <folder> [--queries 1000] [--fasta <file> --pairs <table>]
//
// The folder is the one of training/combined. A FASTA file has the bare accession as header; the table has a header line and the columns
// accession, go_id, aspect (docs/explanation/performance.md says which files the figures are from). A query never finds itself. There is
// one thread, and the parts are measured in runs of their own, so that they add up to a little less than the whole.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { encodeResidues } from '@kindred/kernels/alignment';
import { findRelatives } from '@kindred/kernels/homology';
import { createCandidateFinder, loadNative, openBank } from '@kindred/native';
import { prepareQueries } from '../apps/server/dist/predict/compute/combined-queries.js';
import { CombinedScorer, readCombinedModels } from '../apps/server/dist/predict/compute/combined-scorer.js';
import { combinedTask } from '../apps/server/dist/predict/compute/tasks/combined.js';
import { combinedModelsFolder } from '../apps/server/dist/ground/folders.js';
import { kmerVectors } from '../training/combined/neighbours.mjs';
import { pairedProteins, windowProteins } from './combined-data.mjs';
import { control, openCombined } from './combined-sources.mjs';
import { keep } from './figures.mjs';

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    queries: { type: 'string', default: '1000' },
    fasta: { type: 'string' },
    pairs: { type: 'string' },
  },
});
const shared = options.shared ?? process.env.KINDRED_SHARED;
if (shared === undefined) {
  console.log('left out: --shared <folder> or KINDRED_SHARED names the data of training/combined');
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'kindred-combined-'));
const { sequences, distinct, index, vectorsFile, sources, inputOf } = await openCombined(
  options.fasta === undefined
    ? await windowProteins(shared)
    : await pairedProteins(shared, options.fasta, options.pairs),
  folder,
);
const count = Math.min(Number(options.queries), sequences.length);
const chosen = Array.from({ length: count }, (_, q) => Math.floor((q * sequences.length) / count));
const chosenVectors = await kmerVectors(chosen.map((protein) => sequences[protein]));

/**
 * The kinds of queries: their words, whether the reference knows them, whether the models of eukaryotes score them, and the models that
 * they read.
 */
const kinds = [
  { words: 'bare sequences', isKnown: false, hasModel: false, models: [] },
  { words: 'bare sequences of eukaryotes', isKnown: false, hasModel: true, models: ['bare'] },
  { words: 'known proteins', isKnown: true, hasModel: false, models: ['combined'] },
  { words: 'known proteins of eukaryotes', isKnown: true, hasModel: true, models: ['known', 'combined'] },
];

/** Returns the milliseconds of processor time of a query. */
async function perQuery(run) {
  const before = process.cpuUsage();
  const value = await run();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1e3 / count, value };
}

const warm = chosen.slice(0, 20);
for (const kind of kinds) await combinedTask.run(inputOf(warm, chosenVectors, kind), control);
const rows = [];
for (const kind of kinds) {
  const { words, isKnown, hasModel, models } = kind;
  const input = inputOf(chosen, chosenVectors, kind);
  const whole = await perQuery(() => combinedTask.run(input, control));
  const bank = openBank(vectorsFile);
  const near = await perQuery(() =>
    bank.search(
      { vectors: input.vectors, query: input.queryOfRow, count, sequence: input.querySequence },
      { metric: 'cosine', k: 50, includeSelf: false },
    ),
  );
  const relatives = { index, finder: createCandidateFinder(index) };
  const aligned = await perQuery(() =>
    findRelatives(
      relatives,
      input.sequences.map((sequence) => encodeResidues(sequence)),
      { maxTargets: 50, maxLogEValue: 2, excluded: input.querySequence },
    ),
  );
  const prepared = await perQuery(() => prepareQueries(input, () => false));
  const queries = prepared.value.flatMap(({ query }) => query ?? []);
  const scorer = new CombinedScorer(sources.shared, readCombinedModels(combinedModelsFolder));
  for (const query of queries.slice(0, 20)) scorer.score(query, hasModel);
  const features = await perQuery(() =>
    models.length === 0 ? [] : queries.map((query) => scorer.features.describe(query, null)),
  );
  const model = await perQuery(() =>
    features.value.map((candidates) => models.map((name) => scorer.models[name].scores(candidates))),
  );
  const votes = await perQuery(() =>
    queries.map((query) =>
      scorer.votes.score(query, isKnown ? { by: 'alignment', withOwn: true } : { by: 'both' }),
    ),
  );
  keep('milliseconds a protein', whole.ms, { references: sequences.length, queries: words });
  rows.push({
    queries: words,
    answered: `${queries.length} of ${count}`,
    'whole ms': whole.ms.toFixed(2),
    distances: near.ms.toFixed(2),
    alignments: aligned.ms.toFixed(2),
    'without low complexity': Math.max(0, prepared.ms - near.ms - aligned.ms).toFixed(2),
    features: features.ms.toFixed(2),
    model: model.ms.toFixed(2),
    votes: votes.ms.toFixed(2),
    terms: Math.round(whole.value.query.length / count),
  });
}
const kernels =
  loadNative()?.instructions ?? 'no addon: run node packages/native/tools/build-native.mjs first';
console.log(
  `${sequences.length} references, ${distinct.length} sequences, ${count} queries, one thread, ${kernels}`,
);
console.table(rows);
rmSync(folder, { recursive: true, force: true });
