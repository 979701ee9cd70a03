// Makes the precision-recall curves of the accuracy page: the combination and two floors in the nine cells of each table.
//
//   node training/combined/curves.mjs --shared <folder> --out <folder> --models <folder> [--resamples 1000] [--write <file>]
//
// The frames, methods, resamples and seed are those of the tables of evaluate.mjs, so the point of the best threshold is the Fmax of the
// table. --out is the folder of features.mjs, --models that of train.py. Figures have three decimals.
import { bootstrapCurve, linkOntology, summarise } from '@kindred/kernels/evaluation';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { neighboursOf } from './features.mjs';
import { evaluate, framesOf } from './frames.mjs';
import { combined, describe, naive, readModels, sequenceSimilarity } from './methods.mjs';
import { accretionOf, openWindow } from './window-reference.mjs';
import { foldOf, openData, tables, windows } from './windows.mjs';

const letterOf = { process: 'P', function: 'F', component: 'C' };
/** The step of recall below which a curve needs no further point. */
const recallStep = 0.01;

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    models: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
    write: { type: 'string' },
  },
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node training/combined/curves.mjs --shared <folder> --out <folder> --models <folder> [--write <file>]',
  );
  process.exit(64);
}
const resamples = Number(options.resamples);
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const ontology = linkOntology(data.columns);
const methods = {
  combined: (opened) => {
    const described = describe(opened, neighbours);
    return combined(data, opened, neighbours, {
      described,
      models: readModels(options.models, foldOf(opened.window)),
      votesShare: 0.5,
    });
  },
  'sequence similarity': (opened) => sequenceSimilarity(opened, neighbours),
  naive: (opened) => naive(opened),
};
const three = (value) => Math.round(value * 1000) / 1000;

/** Returns the points from the highest threshold on, without those that are closer than a step. The last one stays, and the best one. */
function thinned(points, best) {
  let recall = -1;
  return points.reverse().filter((point, at, all) => {
    const isKept =
      at === all.length - 1 || point.tau === best || Math.abs(point.recall - recall) >= recallStep;
    if (isKept) recall = point.recall;
    return isKept;
  });
}

function curveOf(evaluation, hasBand) {
  const { fmax, tau } = summarise(evaluation);
  const points = bootstrapCurve(evaluation, { resamples: hasBand ? resamples : 1 });
  return {
    fmax: three(fmax),
    tau,
    // Each point is [threshold, recall, precision], and with a band also the bounds of precision.
    points: thinned(points, tau).map((point) =>
      [
        point.tau,
        point.recall,
        point.precision,
        ...(hasBand ? [point.precisionLow, point.precisionHigh] : []),
      ].map(three),
    ),
  };
}

const tests = [];
for (const { title, before } of tables) {
  const opened = [];
  for (const window of windows.filter((one) => one.before === before))
    opened.push(await openWindow(data, window));
  const frames = framesOf(data, ontology, opened, accretionOf(data, ontology, opened[0]).weights);
  const cells = [];
  for (const [name, method] of Object.entries(methods)) {
    const found = evaluate(data, { frames, opened }, opened.map(method));
    found.forEach(({ category, aspect, proteins, evaluation }, at) => {
      cells[at] ??= { category, aspect: letterOf[aspect], proteins, curves: [] };
      if (evaluation !== undefined)
        cells[at].curves.push({ method: name, ...curveOf(evaluation, name === 'combined') });
    });
    process.stderr.write(`${title.slice(0, 14)}: ${name}\n`);
  }
  tests.push({ title, cells });
}
const text = `${JSON.stringify({ resamples, tests })}\n`;
if (options.write) writeFileSync(options.write, text);
else process.stdout.write(text);
