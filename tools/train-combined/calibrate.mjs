// Fits what the combination's scores mean, and measures it on organisms that neither the model nor the curve has seen.
//
//   node tools/train-combined/calibrate.mjs --shared <folder> --out <folder> --models <folder> [--window <name>]
// [--write <file>]
//
// The scores of each window are kept in the folder of the models; with --window only those of one window are made, so
// that windows can run side by side.
// A score of a window comes from the model that never saw the window's organism, in the curves that are shipped as
// well. Right means: found by experiment by the window's second date; a true term that was not found counts as wrong,
// so true precision is higher.
import { calibrationBinOf, calibrationCurve } from '@kindred/kernels/calibration';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gainsOf, neighboursOf } from './features.mjs';
import { combined, describe, readModels } from './methods.mjs';
import { openWindow } from './window-reference.mjs';
import { aspects, categories, kingdomOf, openData, windows } from './windows.mjs';

const knowledge = { NK: 'nothing', LK: 'other aspects', PK: 'same aspect' };
/** Where fewer than `leastRight` of the predictions said to be at least `sure` right are, with their organism left out, an aspect has none. */
const sure = 0.8;
const leastRight = 0.75;

/** Scored terms of a window whose outcome the holdout knows, by aspect and category: columns of protein, score, right. */
function pointsOf(data, opened, rows) {
  const gains = gainsOf(data, opened.holdout);
  const points = {};
  rows.protein.forEach((protein, i) => {
    const aspect = data.graph.aspects[rows.term[i]];
    const gain = gains.get(`${protein} ${aspect}`);
    if (gain === undefined) return;
    const key = `${aspect} ${categories[gain.category]}`;
    points[key] ??= { protein: [], score: [], right: [] };
    points[key].protein.push(protein);
    points[key].score.push(rows.score[i]);
    points[key].right.push(Number(gain.terms.has(rows.term[i])));
  });
  return points;
}

async function scoresOf(window) {
  const path = join(options.models, `${window.name}.scores.json`);
  if (!existsSync(path)) {
    const data = openData(join(options.shared, 'data'));
    const neighbours = await neighboursOf(data, options.out);
    const opened = await openWindow(data, window);
    const rows = combined(data, opened, neighbours, {
      described: describe(opened, neighbours),
      models: readModels(options.models, window.organism),
    });
    writeFileSync(path, JSON.stringify(pointsOf(data, opened, rows)));
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The curve of all points of one aspect and category in some windows; a protein of two windows is two. */
function curveOf(parts, key, options) {
  const used = parts.filter(({ points }) => points[key] !== undefined);
  if (used.length === 0) return null;
  const column = (values) => used.flatMap(values);
  const points = {
    score: Float64Array.from(column(({ points }) => points[key].score)),
    isRight: Uint8Array.from(column(({ points }) => points[key].right)),
    protein: Int32Array.from(
      column(({ points, number }) => points[key].protein.map((protein) => number * 100_000 + protein)),
    ),
  };
  return calibrationCurve(points, options);
}

/** Which parts a curve for an organism is fitted on when that organism is left out, or null: no part of its kingdom is left. */
function othersOf(parts, organism) {
  const others = parts.filter((part) => part.organism !== organism);
  return others.some((part) => kingdomOf[part.organism] === kingdomOf[organism]) ? others : null;
}

/** By aspect: predictions with a probability and without, those said to be at least 80 % right, and ten bins. */
function measure(parts, withheld = new Set()) {
  const sums = Object.fromEntries(
    aspects.map((aspect) => [aspect, { shown: 0, left: 0, claimed: 0, right: 0, bins: new Map() }]),
  );
  for (const test of parts) {
    const others = othersOf(parts, test.organism);
    for (const [key, { score, right }] of Object.entries(test.points)) {
      const sum = sums[key[0]];
      const curve = others && curveOf(others, key, { resamples: 1 });
      score.forEach((value, i) => {
        const probability = curve === null ? null : calibrationBinOf(curve, value).probability;
        if (probability === null || (probability >= sure && withheld.has(key[0]))) {
          sum.left++;
          return;
        }
        sum.shown++;
        if (probability >= sure) {
          sum.claimed++;
          sum.right += right[i];
        }
        const at = Math.min(9, Math.floor(probability * 10));
        const bin = sum.bins.get(at) ?? { count: 0, said: 0, right: 0 };
        sum.bins.set(at, { count: bin.count + 1, said: bin.said + probability, right: bin.right + right[i] });
      });
    }
  }
  return sums;
}

/** Expected calibration error over bins from `least` on. */
function errorOf(bins, least) {
  const used = [...bins].filter(([at]) => at >= least).map(([, bin]) => bin);
  const count = used.reduce((sum, bin) => sum + bin.count, 0);
  return used.reduce((sum, { said, right }) => sum + Math.abs(said - right), 0) / count;
}

function tableOf(sums) {
  const row = (name, value) => `| ${name} | ${aspects.map((aspect) => value(sums[aspect])).join(' | ')} |`;
  const share = (right, count) => (count === 0 ? 'none' : `${((100 * right) / count).toFixed(0)} %`);
  const lines = [
    '| | process | function | component |',
    '|---|---|---|---|',
    row('predictions with a probability', ({ shown }) => shown.toLocaleString('en')),
    row('not calibrated', ({ left }) => left.toLocaleString('en')),
    row('expected calibration error, ten bins', ({ bins }) => errorOf(bins, 0).toFixed(3)),
    row('the same over predictions said to be at least 10 % right', ({ bins }) =>
      errorOf(bins, 1).toFixed(3),
    ),
    row('said to be at least 80 % right', ({ claimed }) => claimed),
    row('of these right', ({ claimed, right }) => share(right, claimed)),
  ];
  for (let at = 1; at < 10; at++)
    lines.push(
      row(`${at * 10} to ${at * 10 + 10} %: said, right (predictions)`, ({ bins }) => {
        const bin = bins.get(at);
        return bin
          ? `${share(bin.said, bin.count)}, ${share(bin.right, bin.count)} (${bin.count.toLocaleString('en')})`
          : 'none';
      }),
    );
  return lines;
}

const { values: options } = parseArgs({
  options: Object.fromEntries(
    ['shared', 'out', 'models', 'window', 'write'].map((name) => [name, { type: 'string' }]),
  ),
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node tools/train-combined/calibrate.mjs --shared <folder> --out <folder> --models <folder>',
  );
  process.exit(64);
}
const parts = [];
for (const [number, window] of windows.entries()) {
  if (options.window !== undefined && window.name !== options.window) continue;
  parts.push({ number, window, organism: window.organism, points: await scoresOf(window) });
  process.stderr.write(`${window.name}\n`);
}
if (options.window !== undefined) process.exit(0);
const measured = measure(parts);
const withheld = new Set(
  aspects.filter((aspect) => {
    const { claimed, right } = measured[aspect];
    return claimed > 0 && right < leastRight * claimed;
  }),
);
console.log(['Every bin:', '', ...tableOf(measured), ''].join('\n'));
console.log(['What is shown:', '', ...tableOf(measure(parts, withheld)), ''].join('\n'));
if (options.write) {
  const curves = aspects.flatMap((aspect) =>
    categories.map((category) => {
      const key = `${aspect} ${category}`;
      const used = parts.filter(({ points }) => points[key] !== undefined);
      return {
        method: 'combined',
        reference: null,
        aspect,
        known: knowledge[category],
        bins: curveOf(used, key).bins.map(({ low, high, probability, interval, proteins }) => {
          const isShown = probability !== null && !(probability >= sure && withheld.has(aspect));
          return {
            score_from: low,
            score_to: high,
            probability: isShown ? probability : null,
            low: isShown ? interval.low : null,
            high: isShown ? interval.high : null,
            proteins,
          };
        }),
        windows: used.map(({ window }) => window.name),
        kingdoms: [...new Set(used.map(({ organism }) => kingdomOf[organism]))].sort(),
      };
    }),
  );
  writeFileSync(options.write, `${JSON.stringify(curves, null, 1)}\n`);
  // What decides which aspects have a probability of at least `sure`; a test holds the curves to it.
  const test = Object.fromEntries(
    aspects.map((aspect) => [aspect, { claimed: measured[aspect].claimed, right: measured[aspect].right }]),
  );
  writeFileSync(options.write.replace(/\.json$/, '-test.json'), `${JSON.stringify(test, null, 1)}\n`);
}
