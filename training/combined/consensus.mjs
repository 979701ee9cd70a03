// Measures the consensus of the own answer with other programs on windows: against the own answer, and against the best of the voters.
//
//   node training/combined/consensus.mjs --shared <folder> --out <folder> [--resamples 1000] [--window <name>]
//
// The voters are the own search's identity of the best hit, the frequencies of terms, and the electronic terms of the databases, which
// stand for a program without scores. The combination has the shipped models, which have seen all windows but human's.
import {
  OwnCorrelation,
  consensusScore,
  propagatedScores,
  scorelessChance,
} from '@kindred/kernels/consensus';
import { linkOntology } from '@kindred/kernels/evaluation';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, evaluate, figureOf, framesOf } from './frames.mjs';
import {
  combined,
  describe,
  naive,
  ownElectronic,
  readModels,
  sequenceSimilarity,
  votes,
} from './methods.mjs';
import { keptRelatives } from './neighbours.mjs';
import { accretionOf, limitedTo, openWindow } from './window-reference.mjs';
import { humanWindow, openData, windows } from './windows.mjs';

const tests = [
  { name: 'ecoli-2020', of: windows.filter(({ before }) => before === 2020), step: 1 },
  { name: 'four-organisms', of: windows.filter(({ before }) => before === 2018), step: 3 },
  { name: 'human', of: [humanWindow], step: 20, withHuman: true },
];

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    window: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
  },
});
if (!options.shared || !options.out) {
  console.error('usage: node training/combined/consensus.mjs --shared <folder> --out <folder>');
  process.exit(64);
}
mkdirSync(options.out, { recursive: true });
const models = readModels(new URL('../../models/combined', import.meta.url).pathname);

/** Returns the scores by protein, propagated. */
function byProtein(closure, { protein, term, score }, scoreless) {
  const stated = new Map();
  protein.forEach((p, i) => {
    if (!stated.has(p)) stated.set(p, []);
    stated.get(p).push([term[i], scoreless ? scorelessChance : score[i]]);
  });
  return new Map([...stated].map(([p, pairs]) => [p, propagatedScores(closure, pairs)]));
}

const nothing = new Map();

/** Returns the rows of the consensus, and on which aspects each program votes. */
function joined({ targets, reference: { aspect } }, own, others) {
  const rows = { protein: [], term: [], score: [] };
  const correlations = others.map((other) => {
    const correlation = new OwnCorrelation((term) => aspect[term]);
    for (const p of targets) correlation.add(own.get(p) ?? nothing, other.get(p) ?? nothing);
    return correlation;
  });
  const voting = correlations.map((one) => [0, 1, 2].map((a) => one.votesOn(a)));
  for (const p of targets) {
    const mine = own.get(p) ?? nothing;
    const terms = new Set([...mine.keys(), ...others.flatMap((other) => [...(other.get(p)?.keys() ?? [])])]);
    for (const term of terms) {
      const chances = others
        .filter((other, v) => voting[v][aspect[term]] && other.get(p)?.has(term))
        .map((other) => other.get(p).get(term));
      const score = consensusScore(mine.get(term) ?? 0, chances);
      if (score === 0) continue;
      rows.protein.push(p);
      rows.term.push(term);
      rows.score.push(score);
    }
  }
  return {
    rows,
    correlations: correlations.map((one) => [0, 1, 2].map((a) => one.in(a)?.toFixed(2) ?? '-')),
  };
}

async function measure({ name, of, step, withHuman = false }) {
  const data = openData(join(options.shared, 'data'), { withHuman });
  const ontology = linkOntology(data.columns);
  const opened = [];
  for (const window of of) {
    const whole = await openWindow(data, window);
    opened.push(
      limitedTo(whole, step === 1 ? whole.targets : whole.targets.filter((_, i) => i % step === 0)),
    );
  }
  const targets = () => [...new Set(opened.flatMap((one) => [...one.targets]))];
  const neighbours = await keptRelatives(data, { out: options.out, prefix: `${name}.` }, targets);
  const closure = data.graph.ancestorClosure();
  const scoreless = new Set(['electronic']);
  const made = {
    bare: (one) => votes(one, neighbours, {}),
    combined: (one) => combined(data, one, neighbours, { described: describe(one, neighbours), models }),
    similarity: (one) => sequenceSimilarity(one, neighbours),
    electronic: (one) => ownElectronic(one),
    frequencies: (one) => naive(one),
  };
  const rows = Object.fromEntries(Object.entries(made).map(([key, make]) => [key, opened.map(make)]));
  const frames = framesOf(data, ontology, opened, accretionOf(data, ontology, opened[0]).weights);
  const settings = { resamples: Number(options.resamples) };
  const cellsOf = (predictions) => evaluate(data, { frames, opened }, predictions, settings);
  const alone = Object.fromEntries(Object.entries(rows).map(([key, all]) => [key, cellsOf(all)]));
  const head = alone.bare.map(({ category, aspect, proteins }) => `${category} ${aspect} (${proteins})`);
  console.log(`\n${name}\n\n| Fmax | ${head.join(' | ')} |\n|---|${'---|'.repeat(head.length)}`);
  const three = (cell) => figureOf(cell, 'fmax').toFixed(3);
  for (const [key, cells] of Object.entries(alone))
    console.log(`| ${key} | ${cells.map(three).join(' | ')} |`);
  for (const own of ['bare', 'combined'])
    for (const others of [
      ['similarity'],
      ['electronic'],
      ['frequencies'],
      ['similarity', 'electronic', 'frequencies'],
    ]) {
      const found = opened.map((one, i) =>
        joined(
          one,
          byProtein(closure, rows[own][i]),
          others.map((key) => byProtein(closure, rows[key][i], scoreless.has(key))),
        ),
      );
      const cells = cellsOf(found.map((one) => one.rows));
      const texts = cells.map((cell, i) => {
        const best = [own, ...others].reduce((a, b) =>
          figureOf(alone[b][i], 'fmax') > figureOf(alone[a][i], 'fmax') ? b : a,
        );
        const { low, high } = difference(cell, alone[best][i], 'fmax') ?? { low: 0, high: 0 };
        return `${three(cell)} (${low > 0 ? '+' : high < 0 ? '-' : '='})`;
      });
      console.log(`| ${own} with ${others.join(', ')} | ${texts.join(' | ')} |`);
      process.stderr.write(
        `${name} ${own} ${others}: ${JSON.stringify(found.map((one) => one.correlations))}\n`,
      );
    }
}

for (const test of tests) if (!options.window || options.window === test.name) await measure(test);
