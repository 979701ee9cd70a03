// Measures how often the shipped network's terms are right for validation families without a relative in the starter reference, by the
// rule of README.md: curves of other families, by aspect, and what was said and right at each word of certainty. Writes the curves of the
// aspects that keep the rule to models/network/orphan-curves.json. Run chance.mjs first.
//
//   node training/network/orphan-rates.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-floors.mjs>
import {
  binLookup,
  calibrationCurve,
  CalibrationTally,
  crossFitted,
  verdictOf,
} from '@kindred/kernels/calibration';
import { ProteinChance } from '@kindred/kernels/network';
import { aspects } from '@kindred/kernels/vocabulary';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openData } from '../combined/windows.mjs';
import { openNetwork, trainedOf } from './ask.mjs';
import { movedTerms, movesTowards } from './moved-terms.mjs';
import { aspectsOf, familiesOf, kept, keptAnswers, openStarter, validationOrphans } from './orphans.mjs';

/** The tenths of the probability that each word has. */
const words = { strong: [8, 10], likely: [5, 8], possible: [2.5, 5], weak: [1, 2.5] };
const models = resolve(import.meta.dirname, '../../models/network');
const share = 1;
const leastScore = 0.01;

const { values: options } = parseArgs({
  options: { shared: { type: 'string' }, data: { type: 'string' }, out: { type: 'string' } },
});
const { graph } = openData(join(options.shared, 'data'));
const starter = await openStarter(graph);
const { sequences, names, termsOf } = await validationOrphans({ ...options, graph, starter });
const network = openNetwork('second', options.shared, graph);
const answers = keptAnswers(join(options.out, 'second-validation.f32'), network, sequences);
const families = await kept(join(options.out, 'validation-families.json'), () => familiesOf(sequences));
const vectors = keptAnswers(join(options.out, 'second-validation.vec'), network, sequences, 'vector');
const chance = ProteinChance.parse(readFileSync(join(models, 'chance.bin')));
const isAbove = sequences.map((sequence, i) => chance.chance(sequence, vectors[i]) > chance.floor);
const aspect = aspectsOf(graph);
const closure = graph.ancestorClosure();
const isRoot = (term) => closure.start[term + 1] - closure.start[term] === 1;
const scratch = new Float64Array(graph.size);
const moves = movesTowards(network.outputs, starter.frequencies, aspect, share);
const points = aspects.map(() => ({ score: [], isRight: [], family: [], place: [] }));
names.forEach((name, i) => {
  const truth = termsOf.get(name);
  const spoken = new Set(Array.from(truth, (term) => aspect[term]));
  const asked = { probabilities: answers[i], moves, from: leastScore };
  const { term, score } = movedTerms(network.outputs, asked, { closure, scratch });
  term.forEach((t, at) => {
    if (isRoot(t) || !spoken.has(aspect[t])) return;
    const of = points[aspect[t]];
    of.score.push(score[at]);
    of.isRight.push(Number(truth.has(t)));
    of.family.push(families[i]);
    of.place.push(i);
  });
});
console.log(
  `${names.length} proteins of ${new Set(families).size} families, ${isAbove.filter(Boolean).length} above the floor of chance.bin`,
);
console.log(
  `| aspect | families | error from 10 % | ${Object.keys(words).join(' | ')} | verdict |\n|---|---|---|---|${'---|'.repeat(5)}`,
);
/** Gives the columns of the points that `isAsked` takes. */
function columnsOf({ score, isRight, family, place }, isAsked = () => true) {
  const chosen = [...score.keys()].filter((i) => isAsked(place[i]));
  return {
    score: Float64Array.from(chosen, (i) => score[i]),
    isRight: Uint8Array.from(chosen, (i) => isRight[i]),
    protein: Int32Array.from(chosen, (i) => family[i]),
  };
}

/** Counts what was said and right at each word. The tally has tenths, so that the bin from 20 to 30 % counts as possible. */
function byWord(tally) {
  const counted = Object.entries(words).map(([word, [from, to]]) => {
    const bins = [...tally.count.keys()].filter((bin) => bin >= Math.floor(from) && bin < Math.floor(to));
    const sum = (column) => bins.reduce((all, bin) => all + column[bin], 0);
    const said = sum(tally.count);
    const probability = said === 0 ? null : sum(tally.said) / said;
    return [word, { said, probability, right: sum(tally.right) }];
  });
  return Object.fromEntries(counted);
}

/** Reads the families above the floor by a curve of the other families. */
function aboveFloor(points) {
  const speaks = new Set(families.filter((_, i) => isAbove[i]));
  const { bins } = calibrationCurve(
    columnsOf(points, (i) => !speaks.has(families[i])),
    { resamples: 1 },
  );
  const binOf = binLookup(bins.map(({ low }) => low));
  const tally = new CalibrationTally();
  const { score, isRight, protein } = columnsOf(points, (i) => isAbove[i]);
  score.forEach((value, i) => {
    const { probability } = bins[binOf(value)];
    if (probability !== null) tally.add(probability, isRight[i] === 1);
  });
  return { families: new Set(protein).size, error_from_10_percent: tally.error(1), test: byWord(tally) };
}

function printRow(name, { families: count, error_from_10_percent: error, test }, verdict) {
  const cells = Object.values(test).map(({ said, probability, right }) =>
    said === 0 ? 'none' : `${probability.toFixed(2)}, ${(right / said).toFixed(2)} (${said})`,
  );
  console.log(`| ${name} | ${count} | ${error.toFixed(3)} | ${cells.join(' | ')} | ${verdict} |`);
}

const curves = {};
aspects.forEach((name, a) => {
  const columns = columnsOf(points[a]);
  const tally = crossFitted(columns);
  const { isCalibrated, isSure } = verdictOf(tally);
  const curve = {
    families: new Set(columns.protein).size,
    error_from_10_percent: tally.error(1),
    test: byWord(tally),
  };
  printRow(
    name,
    curve,
    isCalibrated ? (isSure ? 'calibrated' : 'calibrated, nothing from 80 %') : 'not calibrated',
  );
  if (!isCalibrated) return;
  const above = aboveFloor(points[a]);
  printRow(`${name}, above the floor`, above, '');
  const bins = calibrationCurve(columns, { resamples: 1 }).bins.map(
    ({ low, high, probability, proteins }) => ({ low, high, probability, families: proteins }),
  );
  curves[name] = { is_sure: isSure, ...curve, above_floor: above, bins };
});
const content = {
  what: 'How often terms of the shipped network, moved to the frequencies of a reference, are among the terms of Swiss-Prot of January 2014 (any evidence), for proteins without a relative in the starter reference, of families that the network never saw. test: by curves of other families. above_floor: the families above the floor of chance.bin, by a curve of the others. said counts terms, probability is the mean of what was said',
  made_by: 'training/network/orphan-rates.mjs',
  share_of_difference: share,
  least_score: leastScore,
  trained: trainedOf('second'),
  aspects: curves,
};
writeFileSync(join(models, 'orphan-curves.json'), `${JSON.stringify(content, null, 2)}\n`);
