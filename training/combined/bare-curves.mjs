// Fits curves from the score of bare sequences (mean of model and votes) to a probability, tests them on organisms that they have not seen,
// and compares first terms with those of the votes.
//
//   node training/combined/bare-curves.mjs --shared <folder> --goa <folder> --out <folder of bare_train.py> [--write]
//
// Curves are of yeast, worm, Dictyostelium and human, where the columns of the network are honest, beside references with and without the
// organism. bare-calibration.json in the folder `out` has them for bare-examples.mjs; --write puts the tables into
// docs/explanation/accuracy.md. The service does not use them: certainty and order of bare sequences rest on votes. Right is what an
// experiment found by the second date, for proteins without a known term in the aspect; for
// a first term also what was known before, since the sequence is asked without it.
import {
  binLookup,
  calibrationCurve,
  calibrationRule,
  CalibrationTally,
  verdictOf,
} from '@kindred/kernels/calibration';
import { certaintyOf, probabilitiesOf } from '@kindred/kernels/combined';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FirstTerms, orderedAnswer, parentsOf } from './answers.mjs';
import { eachScored } from './bare-scores.mjs';
import { bareSources, kinds } from './bare-sources.mjs';
import { gainsOf } from './features.mjs';
import { shippedBins } from './shipped-curves.mjs';
import { referenceOf } from './window-reference.mjs';
import { aspects, categories } from './windows.mjs';

const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const { densities } = kinds.bare;
const shipped = resolve(import.meta.dirname, '../../models/combined');
const votesCurves = JSON.parse(readFileSync(join(shipped, 'calibration.json'), 'utf8'));
const aspectNames = ['process', 'function', 'component'];
const words = ['strong', 'likely', 'possible', 'weak'];
const bare = ['NK', 'LK'].map((name) => categories.indexOf(name));

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'goa', 'out'].map((name) => [name, { type: 'string' }])),
    write: { type: 'boolean', default: false },
  },
});
if (!options.shared || !options.goa || !options.out)
  throw new Error('usage: bare-curves.mjs --shared FOLDER --goa FOLDER --out FOLDER [--write]');

/** Adds the scored terms of proteins without a known term in the aspect to the points of an organism. */
function addPoints(points, data, { window, holdout }, number) {
  const gains = gainsOf(data, holdout);
  for (const density of densities)
    eachScored(
      data,
      options.out,
      { window, density, method: 'mean' },
      (protein, a, { terms, scores, candidates }) => {
        const gain = gains.get(`${protein} ${aspects[a]}`);
        if (!bare.includes(gain.category)) return;
        terms.forEach((term, i) => {
          if (!candidates.has(term)) return;
          points.push({
            ...{ organism: window.organism, aspect: a, protein: number * 100_000 + protein },
            ...{ score: scores[i], isRight: gain.terms.has(term) },
          });
        });
      },
    );
}

function curveOf(points, curveOptions) {
  return calibrationCurve(
    {
      score: Float64Array.from(points, ({ score }) => score),
      isRight: Uint8Array.from(points, ({ isRight }) => Number(isRight)),
      protein: Int32Array.from(points, ({ protein }) => protein),
    },
    curveOptions,
  ).bins;
}

const sources = [];
for await (const source of bareSources(options)) {
  if (source.name === 'organisms') break;
  sources.push(source);
}
const points = [];
let number = 0;
for (const { data, opened } of sources) for (const one of opened) addPoints(points, data, one, number++);
const organisms = [...new Set(points.map(({ organism }) => organism))];

/** The curve of each aspect from the other organisms, and what it said of each organism's own calls. */
const curvesWithout = new Map();
const tests = aspects.map((aspect, a) => {
  const all = new CalibrationTally();
  const byOrganism = organisms.map((organism) => {
    const bins = curveOf(
      points.filter((one) => one.aspect === a && one.organism !== organism),
      { resamples: 1 },
    );
    curvesWithout.set(`${organism} ${aspect}`, bins);
    const binOf = binLookup(bins.map(({ low }) => low));
    const tally = new CalibrationTally();
    for (const one of points) {
      if (one.aspect !== a || one.organism !== organism) continue;
      const { probability } = bins[binOf(one.score)];
      if (probability === null) continue;
      tally.add(probability, one.isRight);
      all.add(probability, one.isRight);
    }
    return { organism, tally };
  });
  return { aspect, all, byOrganism, verdict: verdictOf(all) };
});

const percent = (right, calls) => (calls === 0 ? 'none' : `${((100 * right) / calls).toFixed(0)} %`);
const lines = [
  '| error of what is said to be at least 10 % right | process | function | component |',
  '|---|---|---|---|',
  `| all | ${tests.map(({ all }) => all.error(1).toFixed(3)).join(' | ')} |`,
  ...organisms.map(
    (organism, i) =>
      `| ${organism} by curves of the others | ${tests.map(({ byOrganism }) => byOrganism[i].tally.error(1).toFixed(3)).join(' | ')} |`,
  ),
  `| said to be at least 80 % right, and right | ${tests.map(({ all }) => `${all.claimed.toLocaleString('en')}, ${percent(all.claimedRight, all.claimed)}`).join(' | ')} |`,
  '',
];

/** Returns the probability of a score of each aspect, from curves that have not seen the organism. */
const meanOf = (organism) =>
  tests.map(({ aspect, verdict }) => {
    if (!verdict.isCalibrated) return () => null;
    const bins = curvesWithout.get(`${organism} ${aspect}`);
    const binOf = binLookup(bins.map(({ low }) => low));
    return (score) => {
      const { probability } = bins[binOf(score)];
      return probability !== null && (verdict.isSure || probability < calibrationRule.sure)
        ? probability
        : null;
    };
  });
const votesOf = () =>
  aspects.map((aspect) => {
    const asked = { method: 'untrained', aspect, known: 'nothing', kingdom: 'Eukaryota' };
    const meaning = probabilitiesOf(votesCurves, asked);
    return (score) => meaning(score)?.probability ?? null;
  });

/** Counts the first terms of a window beside one reference, by one method; of the aspects in which something was found. */
function countFirst(place, { window, holdout }, { density, method }, tallies) {
  const { data, reference } = place;
  const meanings = method === 'mean' ? meanOf(window.organism) : votesOf();
  const gains = gainsOf(data, holdout);
  const known = new Set(holdout.known.protein);
  const knownTerms = new Map([...known].map((protein) => [protein, new Set()]));
  holdout.known.protein.forEach((protein, i) => knownTerms.get(protein).add(holdout.known.term[i]));
  const rows = new Map();
  eachScored(data, options.out, { window, density, method }, (protein, a, { terms, scores, candidates }) => {
    if (!rows.has(protein)) rows.set(protein, []);
    terms.forEach((term, i) => {
      if (candidates.has(term))
        rows.get(protein).push({ term, score: scores[i], probability: meanings[a](scores[i]) });
    });
  });
  for (const [protein, scored] of rows) {
    const answer = orderedAnswer(scored, reference, place);
    const isRight = (row) =>
      gains.get(`${protein} ${row.aspect}`).terms.has(row.term) ||
      (knownTerms.get(protein)?.has(row.term) ?? false);
    tallies.proteins++;
    tallies.first[0].add(answer[0], answer.length > 0 && isRight(answer[0]));
    aspects.forEach((aspect, a) => {
      if (!gains.has(`${protein} ${aspect}`)) return;
      const first = answer.find((row) => row.aspect === aspect);
      tallies.first[a + 1].add(first, first !== undefined && isRight(first));
    });
    if (answer.length > 0) tallies.leads[aspects.indexOf(answer[0].aspect)]++;
    for (const row of answer) {
      if (row.probability === null) continue;
      const call = tallies.calls[certaintyOf(row.probability)];
      call.calls++;
      call.said += row.probability;
      call.right += Number(isRight(row));
    }
  }
}

const firsts = [
  `| | proteins | first term right (bits) | ${aspectNames.join(' | ')} | aspect that leads: P, F, C |`,
  '|---|---|---|---|---|---|---|',
];
const said = ['| | word | said | right | calls |', '|---|---|---|---|---|'];
for (const { name, data, opened } of sources)
  for (const density of densities) {
    const title = `${name === 'human' ? 'human' : 'yeast, worm and Dictyostelium'}${density === 'own' ? '' : ', without'}`;
    const methods = Object.fromEntries(
      ['votes', 'mean'].map((method) => [
        method,
        {
          proteins: 0,
          first: ['all', ...aspects].map(() => new FirstTerms()),
          leads: [0, 0, 0],
          calls: Object.fromEntries(words.map((word) => [word, { said: 0, right: 0, calls: 0 }])),
        },
      ]),
    );
    for (const one of opened) {
      const { organism, before } = one.window;
      const read = density === 'own' ? data.organisms : data.organisms.filter((other) => other !== organism);
      const reference = await referenceOf({ ...data, organisms: read }, before, false);
      const place = { data, graph: data.graph, parents: parentsOf(data.graph), reference };
      for (const [method, tallies] of Object.entries(methods))
        countFirst(place, one, { density, method }, tallies);
    }
    for (const [method, { proteins, first, leads, calls }] of Object.entries(methods)) {
      firsts.push(
        `| ${title}: ${method} | ${proteins.toLocaleString('en')} | ${first.join(' | ')} | ${leads.map((count) => percent(count, proteins)).join(', ')} |`,
      );
      for (const [word, { said: sum, right, calls: n }] of Object.entries(calls))
        if (n > 0)
          said.push(
            `| ${title}: ${method} | ${word} | ${(sum / n).toFixed(2)} | ${(right / n).toFixed(2)} | ${n.toLocaleString('en')} |`,
          );
    }
  }
lines.push(...firsts, '', ...said);
console.log(lines.join('\n'));
for (const { aspect, byOrganism, all, verdict } of tests)
  console.log(
    aspect,
    JSON.stringify(verdict),
    all.error().toFixed(3),
    byOrganism.map(({ organism, tally }) => `${organism} ${tally.error(1).toFixed(3)}`).join(', '),
  );
const curves = tests.flatMap(({ aspect, verdict }, a) =>
  verdict.isCalibrated
    ? [
        {
          ...{ method: 'bare', reference: null, aspect, known: 'nothing' },
          bins: shippedBins(curveOf(points.filter((one) => one.aspect === a)), verdict.isSure),
          windows: sources.flatMap(({ opened }) => opened.map(({ window }) => window.name)),
          kingdoms: ['Eukaryota'],
        },
      ]
    : [],
);
writeFileSync(join(options.out, 'bare-calibration.json'), JSON.stringify(curves));
if (options.write) {
  const begin = '<!-- bare curves: made by training/combined/bare-curves.mjs -->';
  const end = '<!-- bare curves: end -->';
  const page = readFileSync(accuracyPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`);
}
