// Measures how many proteins without a relative the networks tell from noise, by the rules of README.md.
//
//   node training/network/orphan-floors.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-terms.mjs>
//     --nonsense <fasta of combined/nonsense.mjs> [--local]
//
// --local gives only the fourth try.
import { Random } from '@kindred/kernels/arrays';
import { parseFasta } from '@kindred/kernels/formats';
import { checkSequence } from '@kindred/kernels/query-check';
import { aspects } from '@kindred/kernels/vocabulary';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { shuffled, shuffledByPairs, wrongFrame } from '../combined/nonsense-sequences.mjs';
import { openData } from '../combined/windows.mjs';
import { openNetwork, readSequences } from './ask.mjs';
import { learnLocalStatistics } from './local-statistics.mjs';
import { logOdds } from './moved-terms.mjs';
import { kept, keptAnswers, noise, openStarter, validationOrphans, windowOrphans } from './orphans.mjs';
import { learnChance } from './protein-chance.mjs';

/** The shares of the noise that may pass a floor. */
const passing = [0.001, 0.0025, 0.01, 0.05];
const mostProteins = 3500;
/** Every fourth protein, and the noise made of it, tests what the others taught. */
const isTest = (i) => i % 4 === 3;

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    data: { type: 'string' },
    out: { type: 'string' },
    nonsense: { type: 'string' },
    local: { type: 'boolean', default: false },
  },
});
const noiseSets = openNoiseSets(options);

function report(name, way, { values, floorOn }, sets) {
  const sorted = floorOn.map(values).sort((a, b) => b - a);
  const cells = passing.map((share) => {
    const floor = sorted[Math.floor(sorted.length * share)];
    const above = (list) => list.filter((one) => values(one) > floor).length;
    const shares = Object.entries(sets).map(([set, list]) =>
      set === 'nonsense'
        ? `${set} ${above(list)} of ${list.length}`
        : `${set} ${((100 * above(list)) / list.length).toFixed(1)} %`,
    );
    return shares.join(', ');
  });
  console.log(`| ${name} | ${way} | ${cells.join(' | ')} |`);
}

/** Reports the two measures of the first rule, by aspect. */
function reportProbabilities(network, answersOf, sets) {
  const noiseAnswers = answersOf(
    'noise',
    general.map(({ sequence }) => sequence),
  );
  const given = Object.fromEntries(
    Object.entries(sets).map(([set, sequences]) => [set, answersOf(set, sequences)]),
  );
  const half = noiseAnswers.filter((_, i) => i % 2 === 0);
  const usualOdds = network.vocabulary.map((_, t) => {
    const sorted = Float64Array.from(half, (answer) => answer[t]).sort();
    return logOdds(sorted[Math.floor(0.99 * half.length)]);
  });
  for (const aspect of aspects) {
    const places = [...network.vocabulary.keys()].filter((t) => network.vocabulary[t].aspect === aspect);
    const rare = places.filter((t) => network.outputs.trained[t] <= 1 / 8);
    const greatest = (some, of) => (answer) =>
      some.reduce((most, t) => Math.max(most, of(answer[t], t)), Number.NEGATIVE_INFINITY);
    const p = greatest(rare, (value) => value);
    const margin = greatest(places, (value, t) => logOdds(value) - usualOdds[t]);
    report(network.name, `p, ${aspect}`, { values: p, floorOn: noiseAnswers }, given);
    report(
      network.name,
      `margin, ${aspect}`,
      { values: margin, floorOn: noiseAnswers.filter((_, i) => i % 2 === 1) },
      given,
    );
  }
}

/** Reports the chance that a sequence is a protein, learnt from every second noise sequence, and with noise of the proteins themselves. */
function reportChance(network, vectorsOf, { unseen, sets }) {
  const paired = pairedNoise(unseen);
  const proteins = vectorsOf('unseen', unseen);
  const ofPaired = vectorsOf(
    'paired',
    paired.map(({ sequence }) => sequence),
  );
  const ofNoise = vectorsOf(
    'noise',
    general.map(({ sequence }) => sequence),
  );
  const [taught, tested] = [0, 1].map((half) => ofNoise.filter((_, i) => i % 2 === half));
  const given = Object.fromEntries(
    Object.entries(sets).map(([set, sequences]) => [set, vectorsOf(set, sequences)]),
  );
  const testOf = { ...given, 'with relatives': proteins.filter((_, i) => isTest(i)) };
  const learners = proteins.filter((_, i) => !isTest(i));
  for (const hidden of [0, 32]) {
    const way = hidden === 0 ? 'logistic' : 'hidden layer';
    report(network.name, way, { values: learnChance(learners, taught, { hidden }), floorOn: tested }, testOf);
    const more = [...taught, ...ofPaired.filter((_, i) => !isTest(paired[i].of))];
    const floorOn = [...tested, ...ofPaired.filter((_, i) => isTest(paired[i].of))];
    report(
      network.name,
      `${way}, noise of the proteins, too`,
      { values: learnChance(learners, more, { hidden }), floorOn },
      testOf,
    );
  }
}

/** Reports the chance by the network's vector and the local statistics together, with noise of the proteins alone. */
function reportLocal(network, vectorsOf, { unseen, sets, localOf }) {
  const paired = pairedNoise(unseen);
  const joined = (set, sequences) =>
    vectorsOf(set, sequences).map((vector, i) => Float64Array.from([...vector, ...localOf(sequences[i])]));
  const proteins = joined('unseen', unseen);
  const ofPaired = joined(
    'paired',
    paired.map(({ sequence }) => sequence),
  );
  const [taught, tested] = [false, true].map((test) =>
    ofPaired.filter((_, i) => isTest(paired[i].of) === test),
  );
  const given = Object.fromEntries(
    Object.entries(sets).map(([set, sequences]) => [set, joined(set, sequences)]),
  );
  const testOf = { ...given, 'with relatives': proteins.filter((_, i) => isTest(i)) };
  const learners = proteins.filter((_, i) => !isTest(i));
  const values = learnChance(learners, taught, { hidden: 32 });
  report(network.name, 'hidden layer, local statistics', { values, floorOn: tested }, testOf);
}

const localOf = openLocalStatistics();
console.log(
  `| network | way | ${passing.map((share) => `1 in ${1 / share}`).join(' | ')} |\n|---|---|${'---|'.repeat(passing.length)}`,
);
for (const name of ['second', 'first']) {
  const network = openNetwork(name, options.shared, data.graph);
  const { unseen, sets } = await proteinsOf(name);
  const all = { ...sets, nonsense };
  const vectorsOf = (set, sequences) =>
    keptAnswers(join(options.out, `${name}-${set}.vec`), network, sequences, 'vector');
  reportLocal(network, vectorsOf, { unseen, sets: all, localOf });
  if (options.local) continue;
  const answersOf = (set, sequences) =>
    keptAnswers(join(options.out, `${name}-${set}.f32`), network, sequences);
  reportProbabilities(network, answersOf, all);
  reportChance(network, vectorsOf, { unseen, sets: all });
}
