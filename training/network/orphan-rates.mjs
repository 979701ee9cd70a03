// Measures how often the shipped network's terms are right for validation families without a relative in the starter reference, by the
// rule of README.md: curves of other families, by aspect, and what was said and right at each word of certainty. Writes the curves of the
// aspects that keep the rule to models/network/orphan-curves.json.
//
//   node training/network/orphan-rates.mjs --shared <folder> --data <folder of make-data.sh> --out <folder of orphan-floors.mjs>
import { calibrationCurve, crossFitted, verdictOf } from '@kindred/kernels/calibration';
import { aspects } from '@kindred/kernels/vocabulary';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openData } from '../combined/windows.mjs';
import { openNetwork, trainedOf } from './ask.mjs';
import { movedTerms, movesTowards } from './moved-terms.mjs';
import { aspectsOf, familiesOf, kept, keptAnswers, openStarter, validationOrphans } from './orphans.mjs';

/** The tenths of the probability that each word has. */
const words = { strong: [8, 10], likely: [5, 8], possible: [2.5, 5], weak: [1, 2.5] };
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
const aspect = aspectsOf(graph);
const closure = graph.ancestorClosure();
const isRoot = (term) => closure.start[term + 1] - closure.start[term] === 1;
const scratch = new Float64Array(graph.size);
const moves = movesTowards(network.outputs, starter.frequencies, aspect, share);
const points = aspects.map(() => ({ score: [], isRight: [], protein: [] }));
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
    of.protein.push(families[i]);
  });
});
console.log(`${names.length} proteins of ${new Set(families).size} families`);
console.log(
  `| aspect | families | error | from 10 % | ${Object.keys(words).join(' | ')} | verdict |\n|---|---|---|---|${'---|'.repeat(5)}`,
);
const curves = {};
aspects.forEach((name, a) => {
  const { score, isRight, protein } = points[a];
  const columns = {
    score: Float64Array.from(score),
    isRight: Uint8Array.from(isRight),
    protein: Int32Array.from(protein),
  };
  const tally = crossFitted(columns);
  const test = {};
  const cells = Object.entries(words).map(([word, [from, to]]) => {
    // The tally has tenths, so that the bin from 20 to 30 % counts as possible.
    const bins = [...tally.count.keys()].filter((bin) => bin >= Math.floor(from) && bin < Math.floor(to));
    const sum = (column) => bins.reduce((all, bin) => all + column[bin], 0);
    const count = sum(tally.count);
    test[word] = {
      said: count,
      probability: count === 0 ? null : sum(tally.said) / count,
      right: sum(tally.right),
    };
    return count === 0
      ? 'none'
      : `${(sum(tally.said) / count).toFixed(2)}, ${(sum(tally.right) / count).toFixed(2)} (${count})`;
  });
  const { isCalibrated, isSure } = verdictOf(tally);
  const verdict = isCalibrated ? (isSure ? 'calibrated' : 'calibrated, nothing from 80 %') : 'not calibrated';
  const count = new Set(protein).size;
  if (isCalibrated) {
    const { bins } = calibrationCurve(columns, { resamples: 1 });
    const curve = bins.map(({ low, high, probability, proteins }) => ({ low, high, probability, proteins }));
    curves[name] = {
      families: count,
      is_sure: isSure,
      error_from_10_percent: tally.error(1),
      test,
      bins: curve,
    };
  }
  console.log(
    `| ${name} | ${count} | ${tally.error().toFixed(3)} | ${tally.error(1).toFixed(3)} | ${cells.join(' | ')} | ${verdict} |`,
  );
});
const content = {
  what: 'How often terms of the shipped network, moved to the frequencies of a reference, are among the terms of Swiss-Prot of January 2014 (any evidence), for proteins without a relative in the starter reference, of families that the network never saw; test: by curves of other families',
  made_by: 'training/network/orphan-rates.mjs',
  share_of_difference: share,
  least_score: leastScore,
  trained: trainedOf('second'),
  aspects: curves,
};
writeFileSync(
  resolve(import.meta.dirname, '../../models/network/orphan-curves.json'),
  `${JSON.stringify(content, null, 2)}\n`,
);
