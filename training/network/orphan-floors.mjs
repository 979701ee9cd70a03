// Measures how many proteins without a relative the networks tell from noise, by the rules of README.md.
//
//   node training/network/orphan-floors.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-terms.mjs>
//     --nonsense <fasta of combined/nonsense.mjs> [--joined] [--seeds]
//
// Run noise-fasta.mjs and noise_net.py first. --joined gives only the fourth and the fifth try, --seeds the
// taken way with four other seeds, too.
import { aspects } from '@kindred/kernels/vocabulary';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openNetwork } from './ask.mjs';
import { learnWay, takenWay, ways } from './chance-ways.mjs';
import { logOdds } from './moved-terms.mjs';
import { isTest, noiseOptions, openNoiseSets } from './noise-sets.mjs';
import { keptAnswers } from './orphans.mjs';
import { learnChance } from './protein-chance.mjs';

/** The shares of the noise that may pass a floor. */
const passing = [0.001, 0.0025, 0.01, 0.05];

const { values: options } = parseArgs({
  options: {
    ...noiseOptions,
    joined: { type: 'boolean', default: false },
    seeds: { type: 'boolean', default: false },
  },
});
const printRow = (name, way, cells) => console.log(`| ${name} | ${way} | ${cells.join(' | ')} |`);

/** Says how much of each set, given as its values, is above a floor. */
function sharesAbove(floor, sets) {
  const shares = sets.map(([set, list]) => {
    const above = list.filter((value) => value > floor).length;
    return set === 'nonsense'
      ? `${set} ${above} of ${list.length}`
      : `${set} ${((100 * above) / list.length).toFixed(1)} %`;
  });
  return shares.join(', ');
}

function report(name, way, { values, floorOn }, sets) {
  const sorted = floorOn.map(values).sort((a, b) => b - a);
  const given = Object.entries(sets).map(([set, list]) => [set, list.map(values)]);
  const cells = passing.map((share) => sharesAbove(sorted[Math.floor(sorted.length * share)], given));
  printRow(name, way, cells);
}

/** Reports the two measures of the first rule, by aspect. */
function reportProbabilities(network, answersOf, sets) {
  const noiseAnswers = answersOf(
    'noise',
    noiseSets.general.map(({ sequence }) => sequence),
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
function reportChance(network, vectorsOf, { unseen, paired, sets }) {
  const proteins = vectorsOf('unseen', unseen);
  const ofPaired = vectorsOf(
    'paired',
    paired.map(({ sequence }) => sequence),
  );
  const ofNoise = vectorsOf(
    'noise',
    noiseSets.general.map(({ sequence }) => sequence),
  );
  const [taught, tested] = [0, 1].map((half) => ofNoise.filter((_, i) => i % 2 === half));
  const given = Object.fromEntries(
    Object.entries(sets).map(([set, sequences]) => [set, vectorsOf(set, sequences)]),
  );
  const testOf = { ...given, 'with relatives': proteins.filter((_, i) => isTest(i)) };
  const learners = proteins.filter((_, i) => !isTest(i));
  for (const hidden of [0, 32]) {
    const way = hidden === 0 ? 'logistic' : 'hidden layer';
    const { logOdds: values } = learnChance(learners, taught, { hidden });
    report(network.name, way, { values, floorOn: tested }, testOf);
    const more = [...taught, ...ofPaired.filter((_, i) => !isTest(paired[i].of))];
    const floorOn = [...tested, ...ofPaired.filter((_, i) => isTest(paired[i].of))];
    report(
      network.name,
      `${way}, noise of the proteins, too`,
      { values: learnChance(learners, more, { hidden }).logOdds, floorOn },
      testOf,
    );
  }
}

/** Reports the ways of the fourth and the fifth try, and how much the taken one depends on its first weights and order. */
function reportWays(network, { unseen, paired, sets, local }) {
  const tried = Object.entries(ways);
  if (options.seeds)
    for (const seed of [2, 3, 4, 5]) tried.push([`${takenWay}, seed ${seed}`, { ...ways[takenWay], seed }]);
  for (const [name, way] of tried) {
    const learnt = learnWay(way, { network, out: options.out, local, unseen, paired });
    const given = Object.entries(sets).map(([set, sequences]) => [set, learnt.logOddsOf(set, sequences)]);
    const all = [...given, ['with relatives', learnt.withRelatives]];
    const cells = passing.map((share) => sharesAbove(learnt.floorAt(share), all));
    printRow(network.name, name, cells);
  }
}

const noiseSets = openNoiseSets(options);
const local = noiseSets.local();
console.log(
  `| network | way | ${passing.map((share) => `1 in ${1 / share}`).join(' | ')} |\n|---|---|${'---|'.repeat(passing.length)}`,
);
for (const name of ['second', 'first']) {
  const network = openNetwork(name, options.shared, noiseSets.graph);
  const { unseen, paired, sets } = await noiseSets.proteinsOf(name);
  const all = { ...sets, nonsense: noiseSets.nonsense };
  reportWays(network, { unseen, paired, sets: all, local });
  if (options.joined) continue;
  const vectorsOf = (set, sequences) =>
    keptAnswers(join(options.out, `${name}-${set}.vec`), network, sequences, 'vector');
  const answersOf = (set, sequences) =>
    keptAnswers(join(options.out, `${name}-${set}.f32`), network, sequences);
  reportProbabilities(network, answersOf, all);
  reportChance(network, vectorsOf, { unseen, paired, sets: all });
}
