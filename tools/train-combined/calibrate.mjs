// Fits what the combination's scores mean, and measures it on organisms that neither the model nor the curve has seen.
//
//   node tools/train-combined/calibrate.mjs --shared <folder> --out <folder> --models <folder> [--write <file>]
//
// A score of a window comes from the model that never saw the window's organism, in the curves that are shipped as
// well. Right means: found by experiment by the window's second date; a true term that was not found counts as wrong,
// so true precision is higher.
import { calibrationBinOf, calibrationCurve } from '@kindred/kernels/calibration';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gainsOf, neighboursOf } from './features.mjs';
import { combined, describe, readModels } from './methods.mjs';
import { openWindow } from './window-reference.mjs';
import { aspects, categories, kingdomOf, openData, windows } from './windows.mjs';

const knowledge = { NK: 'nothing', LK: 'other aspects', PK: 'same aspect' };
const minProteins = 100;

/** Scored terms of a window whose outcome the holdout knows, by aspect and category. */
function pointsOf(data, opened, rows) {
  const gains = gainsOf(data, opened.holdout);
  const points = new Map();
  rows.protein.forEach((protein, i) => {
    const aspect = data.graph.aspects[rows.term[i]];
    const gain = gains.get(`${protein} ${aspect}`);
    if (gain === undefined) return;
    const key = `${aspect} ${categories[gain.category]}`;
    if (!points.has(key)) points.set(key, []);
    points.get(key).push({ protein, score: rows.score[i], right: gain.terms.has(rows.term[i]) });
  });
  return points;
}

/** The curve of all points of one aspect and category in some windows; a protein of two windows is two. */
function curveOf(parts, key, options) {
  const points = parts.flatMap(({ points, number }) =>
    (points.get(key) ?? []).map((point) => ({ ...point, protein: number * 100_000 + point.protein })),
  );
  if (points.length === 0) return null;
  return calibrationCurve(
    {
      score: Float64Array.from(points, ({ score }) => score),
      isRight: Uint8Array.from(points, ({ right }) => Number(right)),
      protein: Int32Array.from(points, ({ protein }) => protein),
    },
    { minProteins, ...options },
  );
}

/**
 * Share of predictions with a probability of at least 0.8 that are right; and the expected calibration error by aspect
 * over ten bins.
 */
function measure(parts) {
  const sums = Object.fromEntries(aspects.map((aspect) => [aspect, { shown: 0, left: 0, bins: new Map() }]));
  const sure = { claimed: 0, right: 0 };
  for (const test of parts) {
    const others = parts.filter(({ organism }) => organism !== test.organism);
    const kingdoms = new Set(others.map(({ organism }) => kingdomOf[organism]));
    for (const [key, points] of test.points) {
      const sum = sums[key[0]];
      const curve = kingdoms.has(kingdomOf[test.organism]) ? curveOf(others, key, { resamples: 1 }) : null;
      for (const { score, right } of points) {
        const probability = curve === null ? null : calibrationBinOf(curve, score).probability;
        if (probability === null) {
          sum.left++;
          continue;
        }
        sum.shown++;
        if (probability >= 0.8) {
          sure.claimed++;
          sure.right += Number(right);
        }
        const at = Math.min(9, Math.floor(probability * 10));
        const bin = sum.bins.get(at) ?? { count: 0, said: 0, right: 0 };
        sum.bins.set(at, {
          count: bin.count + 1,
          said: bin.said + probability,
          right: bin.right + Number(right),
        });
      }
    }
  }
  const lines = ['| aspect | predictions with a probability | not calibrated | ECE |', '|---|---|---|---|'];
  for (const [aspect, { shown, left, bins }] of Object.entries(sums)) {
    const error =
      [...bins.values()].reduce((sum, { said, right }) => sum + Math.abs(said - right), 0) / shown;
    lines.push(`| ${aspect} | ${shown} | ${left} | ${error.toFixed(4)} |`);
  }
  lines.push(
    '',
    `Of ${sure.claimed} predictions said to be at least 80 % right, ${sure.right} are (${((100 * sure.right) / sure.claimed).toFixed(0)} %).`,
  );
  for (const aspect of aspects) {
    const bins = [...sums[aspect].bins].sort(([a], [b]) => a - b);
    lines.push(
      '',
      `${aspect}: said, right, predictions: ${bins.map(([, { count, said, right }]) => `${(said / count).toFixed(2)} ${(right / count).toFixed(2)} (${count})`).join(', ')}`,
    );
  }
  return lines;
}

const { values: options } = parseArgs({
  options: Object.fromEntries(['shared', 'out', 'models', 'write'].map((name) => [name, { type: 'string' }])),
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node tools/train-combined/calibrate.mjs --shared <folder> --out <folder> --models <folder>',
  );
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const parts = [];
for (const [number, window] of windows.entries()) {
  const opened = await openWindow(data, window);
  const rows = combined(data, opened, neighbours, {
    described: describe(opened, neighbours),
    models: readModels(options.models, window.organism),
  });
  parts.push({ number, window, organism: window.organism, points: pointsOf(data, opened, rows) });
  process.stderr.write(`${window.name}\n`);
}
console.log(measure(parts).join('\n'));
if (options.write) {
  const curves = aspects.flatMap((aspect) =>
    categories.map((category) => {
      const key = `${aspect} ${category}`;
      const used = parts.filter(({ points }) => points.has(key));
      return {
        method: 'combined',
        reference: null,
        aspect,
        known: knowledge[category],
        bins: curveOf(used, key).bins.map(({ low, high, probability, interval, proteins }) => ({
          score_from: low,
          score_to: high,
          probability,
          low: interval?.low ?? null,
          high: interval?.high ?? null,
          proteins,
        })),
        windows: used.map(({ window }) => window.name),
        kingdoms: [...new Set(used.map(({ organism }) => kingdomOf[organism]))].sort(),
      };
    }),
  );
  writeFileSync(options.write, `${JSON.stringify(curves, null, 1)}\n`);
}
