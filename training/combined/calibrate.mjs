// Fits the probabilities of scores, for proteins with annotations of their own and for bare sequences, and measures them on organisms
// that neither the model nor the curve has seen.
//
//   node training/combined/calibrate.mjs --shared <folder> --out <folder> --models <folder> [--window <name>]
// [--write <file>]
//
// The scores of each window are kept in the folder of the models; with --window only those of one window are made, so that windows can
// run side by side. A score of a window comes from the model that never saw the window's organism, also in the shipped curves. A term is
// right if an experiment found it by the window's second date. A true term that was not found counts as wrong, so the true precision is
// higher.
import {
  binLookup,
  calibrationCurve,
  calibrationRule,
  CalibrationTally,
  verdictOf,
} from '@kindred/kernels/calibration';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gainsOf, neighboursOf } from './features.mjs';
import { combined, describe, readModels, votes } from './methods.mjs';
import { shippedBins, shippedFigures } from './shipped-curves.mjs';
import { openWindow } from './window-reference.mjs';
import { aspects, categories, foldOf, kingdomOf, openData, windows } from './windows.mjs';

/**
 * The kinds of curves of each aspect. A bare sequence is scored without any knowledge of its protein, so it is measured on proteins
 * without known terms in the aspect. PK is left out, because sources may have their terms from the protein itself.
 */
const kinds = [
  { method: 'combined', known: 'nothing', from: ['NK'] },
  { method: 'combined', known: 'other aspects', from: ['LK'] },
  { method: 'combined', known: 'same aspect', from: ['PK'] },
  { method: 'untrained', known: 'nothing', from: ['NK', 'LK'] },
];
const methods = [...new Set(kinds.map(({ method }) => method))];
const kingdoms = [...new Set(windows.map(({ organism }) => kingdomOf[organism]))].sort();
/** Returns the scored terms of a window whose outcome the holdout knows, by aspect and category, in columns of protein, score, right. */
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

/** Returns the points of a window by method, from the folder of the models if they were made before. */
async function scoresOf(window, { shared, out, models }) {
  const path = join(models, `${window.name}.scores.json`);
  if (!existsSync(path)) {
    const data = openData(join(shared, 'data'));
    const neighbours = await neighboursOf(data, out);
    const opened = await openWindow(data, window);
    const described = describe(opened, neighbours);
    const fold = readModels(models, foldOf(window));
    const rows = {
      combined: combined(data, opened, neighbours, { described, models: fold }),
      untrained: votes(opened, neighbours, {}),
    };
    const points = Object.fromEntries(
      methods.map((method) => [method, pointsOf(data, opened, rows[method])]),
    );
    writeFileSync(path, JSON.stringify(points));
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Fits the curve of all points of one kind and aspect in some windows. A protein in two windows counts twice. */
function curveOf(parts, { method, from }, aspect, options) {
  const columns = { protein: [], score: [], right: [] };
  for (const { points, number } of parts)
    for (const category of from) {
      const some = points[method][`${aspect} ${category}`];
      some?.score.forEach((score, i) => {
        columns.protein.push(number * 100_000 + some.protein[i]);
        columns.score.push(score);
        columns.right.push(some.right[i]);
      });
    }
  const points = {
    score: Float64Array.from(columns.score),
    isRight: Uint8Array.from(columns.right),
    protein: Int32Array.from(columns.protein),
  };
  return calibrationCurve(points, options);
}

/**
 * Measures each organism by curves of the others, summed by method, kingdom and aspect: predictions with and without a probability, those
 * with a probability of at least 80 %, and ten bins. The only bacterium is tested by curves of eukaryotes.
 *
 * @param isShown whether a probability may be shown
 */
function measure(parts, isShown = () => true) {
  const sums = {};
  for (const kind of kinds)
    for (const test of parts) {
      const kingdom = kingdomOf[test.organism];
      const others = parts.filter(({ organism }) => organism !== test.organism);
      for (const aspect of aspects) {
        const at = { method: kind.method, kingdom, aspect };
        const key = Object.values(at).join(' ');
        sums[key] ??= { ...at, proteins: new Set(), left: 0, tally: new CalibrationTally() };
        const sum = sums[key];
        const { bins } = curveOf(others, kind, aspect, { resamples: 1 });
        const binOf = binLookup(bins.map(({ low }) => low));
        for (const category of kind.from) {
          const points = test.points[kind.method][`${aspect} ${category}`];
          points?.score.forEach((score, i) => {
            const { probability } = bins[binOf(score)];
            if (probability === null || !isShown({ ...at, probability })) {
              sum.left++;
              return;
            }
            sum.proteins.add(`${test.number} ${points.protein[i]}`);
            sum.tally.add(probability, points.right[i] === 1);
          });
        }
      }
    }
  return Object.values(sums);
}

function tableOf(measured, method, kingdom) {
  const sums = aspects.map((aspect) =>
    measured.find((sum) => sum.method === method && sum.kingdom === kingdom && sum.aspect === aspect),
  );
  const row = (name, value) => `| ${name} | ${sums.map(value).join(' | ')} |`;
  const share = (right, all) => (all === 0 ? 'none' : `${((100 * right) / all).toFixed(0)} %`);
  const lines = [
    '| | process | function | component |',
    '|---|---|---|---|',
    row('proteins', ({ proteins }) => proteins.size),
    row('predictions with a probability', ({ tally }) => tally.predictions.toLocaleString('en')),
    row('not calibrated', ({ left }) => left.toLocaleString('en')),
    row('expected calibration error, ten bins', ({ tally }) => tally.error().toFixed(3)),
    row('the same over predictions said to be at least 10 % right', ({ tally }) => tally.error(1).toFixed(3)),
    row('said to be at least 80 % right', ({ tally }) => tally.claimed),
    row('of these right', ({ tally }) => share(tally.claimedRight, tally.claimed)),
  ];
  for (let at = 1; at < 10; at++)
    lines.push(
      row(
        `${at * 10} to ${at * 10 + 10} %: said, right (predictions)`,
        ({ tally: { count, said, right } }) =>
          count[at] === 0
            ? 'none'
            : `${share(said[at], count[at])}, ${share(right[at], count[at])} (${count[at].toLocaleString('en')})`,
      ),
    );
  return lines;
}

/** Returns the shipped curves. Kingdoms for which the test has the same result share a curve. */
function shippedCurves(parts, ruleOf) {
  return kinds.flatMap((kind) =>
    aspects.flatMap((aspect) => {
      const used = parts.filter(({ points }) =>
        kind.from.some((category) => points[kind.method][`${aspect} ${category}`] !== undefined),
      );
      const { bins } = curveOf(used, kind, aspect);
      return [true, false].flatMap((isSure) => {
        const allowed = kingdoms.filter((kingdom) => {
          const rule = ruleOf({ method: kind.method, kingdom, aspect });
          return rule.isCalibrated && rule.isSure === isSure;
        });
        if (allowed.length === 0) return [];
        return [
          {
            method: kind.method,
            reference: null,
            aspect,
            known: kind.known,
            bins: shippedBins(bins, isSure),
            windows: used.map(({ window }) => window.name),
            kingdoms: allowed,
          },
        ];
      });
    }),
  );
}

async function main() {
  const { values: options } = parseArgs({
    options: Object.fromEntries(
      ['shared', 'out', 'models', 'window', 'write'].map((name) => [name, { type: 'string' }]),
    ),
  });
  if (!options.shared || !options.out || !options.models) {
    console.error(
      'usage: node training/combined/calibrate.mjs --shared <folder> --out <folder> --models <folder>',
    );
    process.exit(64);
  }
  const parts = [];
  for (const [number, window] of windows.entries()) {
    if (options.window !== undefined && window.name !== options.window) continue;
    parts.push({ number, window, organism: window.organism, points: await scoresOf(window, options) });
    process.stderr.write(`${window.name}\n`);
  }
  if (options.window !== undefined) return;
  const measured = measure(parts);
  const verdicts = new Map(
    measured.map((sum) => [`${sum.method} ${sum.kingdom} ${sum.aspect}`, verdictOf(sum.tally)]),
  );
  const ruleOf = ({ method, kingdom, aspect }) => verdicts.get(`${method} ${kingdom} ${aspect}`);
  const shown = measure(parts, ({ probability, ...at }) => {
    const { isCalibrated, isSure } = ruleOf(at);
    return isCalibrated && (isSure || probability < calibrationRule.sure);
  });
  for (const method of methods)
    for (const kingdom of kingdoms)
      for (const [name, sums] of Object.entries({ 'by the curves alone': measured, 'what is shown': shown }))
        console.log(
          [`${method}, ${kingdom}, ${name}:`, '', ...tableOf(sums, method, kingdom), ''].join('\n'),
        );
  if (!options.write) return;
  writeFileSync(options.write, `${JSON.stringify(shippedCurves(parts, ruleOf), null, 1)}\n`);
  // The figures decide which kingdoms and aspects have a probability, and a test checks the curves against them.
  const tests = measured.map((sum) => ({
    method: sum.method,
    kingdom: sum.kingdom,
    aspect: sum.aspect,
    proteins: sum.proteins.size,
    ...shippedFigures(sum.tally),
  }));
  writeFileSync(options.write.replace(/\.json$/, '-test.json'), `${JSON.stringify(tests, null, 1)}\n`);
  // The bins are the data that the accuracy page draws: ten bins of equal width of all predictions with a probability that may be shown.
  const bins = shown.map(({ method, kingdom, aspect, tally }) => ({
    method,
    kingdom,
    aspect,
    bins: Array.from(tally.count, (predictions, at) => ({
      predictions,
      said: predictions === 0 ? null : Math.round((1e4 * tally.said[at]) / predictions) / 1e4,
      right: tally.right[at],
    })),
  }));
  writeFileSync(options.write.replace(/\.json$/, '-bins.json'), `${JSON.stringify(bins)}\n`);
}

await main();
