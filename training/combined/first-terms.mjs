// Counts how often the first term of an answer is right, in the order of the product, and how often each word of certainty is right.
//
//   node training/combined/first-terms.mjs --shared <folder> --out <folder> --models <folder> [--write]
//
// --out is the folder of features.mjs (relatives are kept there), --models that of train.py. Windows are scored by models that never saw
// their organism; human is scored by the shipped models, which never saw it. --write puts the table into docs/explanation/accuracy.md.
// The rates by score, by which terms without a probability are ordered, are printed for packages/kernels/src/combined/answer-rank.ts.
import {
  certaintyOf,
  combinedScores,
  experimentalBit,
  ownTermsOf,
  probabilitiesOf,
  UntrainedVotes,
} from '@kindred/kernels/combined';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FirstTerms, orderedAnswer, parentsOf } from './answers.mjs';
import { gainsOf, neighboursOf } from './features.mjs';
import { describe, modelScores, readModels } from './methods.mjs';
import { keptRelatives } from './neighbours.mjs';
import { limitedTo, openWindow, queryOf } from './window-reference.mjs';
import {
  aspects,
  foldOf,
  holdoutOf,
  humanWindow,
  kingdomOf,
  openData,
  targetsOf,
  windows,
} from './windows.mjs';

const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const shipped = new URL('../../models/combined/', import.meta.url).pathname;
const curves = JSON.parse(readFileSync(join(shipped, 'calibration.json'), 'utf8'));
const aspectNames = ['process', 'function', 'component'];
const words = ['strong', 'likely', 'possible', 'weak'];
/** The distance of the targets of human that are taken: every fifth is enough. */
const humanStep = 5;
const relativeLogEValue = -3;

/** Returns the terms of a protein with their scores, and those that more than their frequency supports, as the product scores them. */
function scored(make, query) {
  const { opened, graph, kernel, described, models } = make;
  if (query.own === null) {
    const { start, terms } = opened.reference.annotated;
    const sources = [...query.aligned.reference, ...query.near.reference];
    const supported = new Set(
      sources.flatMap((source) => [...terms.subarray(start[source], start[source + 1])]),
    );
    return { ...kernel.score(query, {}), supported, method: 'untrained' };
  }
  const candidates = described.get(query.self);
  const votes = kernel.score(query, { by: 'alignment', withOwn: true });
  const place = { closure: graph.ancestorClosure(), scratch: make.scratch };
  const scores = combinedScores(modelScores(candidates, models), votes, query.own, place);
  const supported = new Set(candidates.flatMap(({ terms }) => [...terms]));
  return { ...scores, supported, method: 'combined' };
}

/** Makes a lookup of the probability of a score, by aspect. */
function meaningsOf({ opened }, query, method) {
  const { aspect } = opened.reference;
  const experimental = query.own?.terms.filter((_, i) => query.own.groups[i] & experimentalBit) ?? [];
  const known = aspects.map((_, a) => experimental.some((term) => aspect[term] === a));
  const category = (here) => (here ? 'same aspect' : known.includes(true) ? 'other aspects' : 'nothing');
  const kingdom = kingdomOf[opened.window.organism];
  return aspects.map((name, a) =>
    probabilitiesOf(curves, { method, aspect: name, known: category(known[a]), kingdom }),
  );
}

/** Returns the predicted terms of a protein in the order of the product. */
function answerTo(make, query) {
  const { aspect } = make.opened.reference;
  if (query.own === null && !query.aligned.logEValue.some((value) => value <= relativeLogEValue)) return [];
  const { term, score, supported, method } = scored(make, query);
  const meanings = meaningsOf(make, query, method);
  const kept = [...term.keys()].filter((i) => supported.has(term[i]));
  return orderedAnswer(
    kept.map((i) => ({
      term: term[i],
      score: score[i],
      probability: meanings[aspect[term[i]]](score[i])?.probability ?? null,
    })),
    make.opened.reference,
    make,
  );
}

/** Returns the terms that an answer for a protein should have, by aspect; null for an aspect without anything to find. */
function truthOf({ opened, gains }, protein, bare) {
  const { reference } = opened;
  const own = ownTermsOf(reference, protein);
  return aspects.map((name, a) => {
    const terms = new Set(gains.get(`${protein} ${name}`)?.terms);
    if (bare)
      own.terms.forEach((term, i) => {
        if (reference.aspect[term] === a && own.groups[i] & experimentalBit) terms.add(term);
      });
    return terms.size === 0 ? null : terms;
  });
}

/** Counts first terms, calls by word and by score of all proteins of the windows. */
function count(makes, bare) {
  const tallies = ['all', ...aspects].map(() => new FirstTerms());
  const calls = Object.fromEntries(words.map((word) => [word, { said: 0, right: 0, calls: 0 }]));
  const scores = aspects.map(() => Array.from({ length: 10 }, () => [0, 0]));
  let proteins = 0;
  for (const make of makes)
    for (const protein of make.opened.targets) {
      proteins++;
      const truth = truthOf(make, protein, bare);
      const answer = answerTo(make, queryOf(make.opened, make.neighbours, protein, { bare }));
      const isRight = (row) => truth[aspects.indexOf(row.aspect)]?.has(row.term) ?? false;
      tallies[0].add(answer[0], answer.length > 0 && isRight(answer[0]));
      truth.forEach((terms, a) => {
        if (terms === null) return;
        const first = answer.find((row) => row.aspect === aspects[a]);
        tallies[a + 1].add(first, first !== undefined && isRight(first));
      });
      for (const row of answer) {
        const a = aspects.indexOf(row.aspect);
        if (truth[a] === null) continue;
        const tenth = scores[a][Math.min(9, Math.floor(10 * row.score))];
        tenth[0]++;
        tenth[1] += Number(isRight(row));
        if (row.probability === null) continue;
        const call = calls[certaintyOf(row.probability)];
        call.calls++;
        call.said += row.probability;
        call.right += Number(isRight(row));
      }
    }
  return { proteins, tallies, calls, scores };
}

async function opened(data, chosen, { neighbours, modelsOf, step }) {
  const makes = [];
  const { graph } = data;
  const parents = parentsOf(graph);
  for (const window of chosen) {
    const whole = await openWindow(data, window);
    const some = limitedTo(
      whole,
      whole.targets.filter((_, i) => i % step === 0),
    );
    makes.push({
      ...{ opened: some, graph, parents, neighbours, gains: gainsOf(data, some.holdout) },
      ...{ kernel: new UntrainedVotes(some.reference), models: modelsOf(window) },
      ...{ described: describe(some, neighbours), scratch: new Int32Array(graph.size).fill(-1) },
    });
  }
  return makes;
}

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'out', 'models'].map((name) => [name, { type: 'string' }])),
    write: { type: 'boolean', default: false },
  },
});
const { shared, out, models } = options;
if (!shared || !out || !models) {
  console.error(
    'usage: node training/combined/first-terms.mjs --shared <folder> --out <folder> --models <folder>',
  );
  process.exit(64);
}
const folder = join(shared, 'data');
const firsts = [
  `| | proteins | first term right (bits) | ${aspectNames.join(' | ')} |`,
  '|---|---|---|---|---|---|',
];
const said = ['| | word | said | right | calls |', '|---|---|---|---|---|'];
async function test(title, makes) {
  for (const [name, bare] of [
    ['known', false],
    ['bare', true],
  ]) {
    const { proteins, tallies, calls, scores } = count(makes, bare);
    firsts.push(`| ${title}, ${name} | ${proteins.toLocaleString('en')} | ${tallies.join(' | ')} |`);
    for (const [word, { said: sum, right, calls: n }] of Object.entries(calls))
      if (n > 0)
        said.push(
          `| ${title}, ${name} | ${word} | ${(sum / n).toFixed(2)} | ${(right / n).toFixed(2)} | ${n.toLocaleString('en')} |`,
        );
    scores.forEach((tenths, a) =>
      console.log(
        title,
        name,
        aspects[a],
        tenths.map(([n, k]) => (n === 0 ? '-' : (k / n).toFixed(2))).join(' '),
      ),
    );
  }
}
const trained = openData(folder);
const trainedNeighbours = await neighboursOf(trained, out);
const ofTraining = {
  neighbours: trainedNeighbours,
  modelsOf: (window) => readModels(models, foldOf(window)),
  step: 1,
};
const early = windows.filter(({ before }) => before === 2018);
const late = windows.filter(({ before }) => before !== 2018);
await test('four organisms, 2018 to 2020', await opened(trained, early, ofTraining));
await test('E. coli, 2020 to 2022', await opened(trained, late, ofTraining));
const human = openData(folder, { withHuman: true });
const humanTargets = async () =>
  targetsOf(await holdoutOf(human, humanWindow)).filter((_, i) => i % humanStep === 0);
const humanNeighbours = await keptRelatives(human, { out, prefix: 'human.' }, humanTargets);
const ofHuman = { neighbours: humanNeighbours, modelsOf: () => readModels(shipped), step: humanStep };
await test('human, 2018 to 2022 (test)', await opened(human, [humanWindow], ofHuman));
const lines = [...firsts, '', ...said];
console.log(lines.join('\n'));
if (options.write) {
  const begin = '<!-- first terms: made by training/combined/first-terms.mjs -->';
  const end = '<!-- first terms: end -->';
  const page = readFileSync(accuracyPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`);
}
