// Chooses how votes become rates of what databases hold, measures the choice on proteins that its curves have not seen, and writes the
// curves. docs/explanation/accuracy.md states the rule of choice and the figures.
//
//   node training/databases/curves.mjs --out <folder of samples.mjs> [--write <folder of models>]
import { CalibrationTally, verdictOf } from '@kindred/kernels/calibration';
import { databaseWindows } from '@kindred/kernels/combined';
import { aspects } from '@kindred/kernels/vocabulary';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shippedBins, shippedFigures } from '../combined/shipped-curves.mjs';
import { crossValidated, curveOf, placesOf, readCalls, sampleNames, ways } from './calls.mjs';

/** A way with more curves must lower the log loss by this share. */
const leastGain = 0.01;
/** Calls without a score or vote of this size decide nothing of the choice. */
const leastVote = 0.05;
/** The choice is made on every third protein, which is enough for it and takes a third of the time. */
const everyProtein = 3;
/** The choice compares curves, so that bins of few proteins count there, too. */
const minProteins = 20;
const kinds = [
  { name: 'bare', bare: 1 },
  { name: 'known', bare: 0 },
];

const { values: options } = parseArgs({ options: { out: { type: 'string' }, write: { type: 'string' } } });
if (!options.out) throw new Error('usage: curves.mjs --out FOLDER [--write FOLDER]');
const samples = sampleNames.map((name) => readCalls(options.out, name));

/** Returns the mean of the log losses of the aspects; bare and known calls of each sample count alike. */
function lossOf(way) {
  const chosen = samples.map((sample) => ({
    ...sample,
    isCounted: ({ protein, score, held, aligned }, i) =>
      protein[i] % everyProtein === 0 && Math.max(score[i], held[i], aligned[i]) >= leastVote,
  }));
  const losses = kinds.flatMap(({ bare }) =>
    aspects.flatMap((_, aspect) => {
      const sums = new Map(chosen.map((sample) => [sample, { loss: 0, calls: 0 }]));
      crossValidated(chosen, { aspect, bare, way, minProteins }, (sample, i, probability) => {
        const said = Math.min(0.9999, Math.max(0.0001, probability ?? 0.5));
        const sum = sums.get(sample);
        sum.loss -= Math.log(sample.columns.right[i] ? said : 1 - said);
        sum.calls++;
      });
      return [...sums.values()].flatMap(({ loss, calls }) => (calls === 0 ? [] : [loss / calls]));
    }),
  );
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

function chosenWay() {
  console.log('| way | curves of an aspect | log loss |\n|---|---|---|');
  let best = null;
  for (const way of ways) {
    const loss = lossOf(way);
    console.log(`| ${way.name} | ${way.classes} | ${loss.toFixed(4)} |`);
    const least = best !== null && way.classes > best.way.classes ? best.loss * (1 - leastGain) : best?.loss;
    if (best === null || loss < least) best = { way, loss };
  }
  console.log(`chosen: ${best.way.name}`);
  return best.way;
}

const share = (value) => (Number.isNaN(value) ? 'none' : value.toFixed(3));

/** Calls by what was said of them, from curves of other proteins; of all calls of a kind and aspect, and of each sample. */
function measured(way) {
  return kinds.flatMap(({ name, bare }) =>
    aspects.map((aspect, a) => {
      const tallies = { all: new CalibrationTally() };
      for (const sample of samples) tallies[sample.name] = new CalibrationTally();
      crossValidated(samples, { aspect: a, bare, way }, (sample, i, probability) => {
        if (probability === null) return;
        const isRight = sample.columns.right[i] === 1;
        tallies.all.add(probability, isRight);
        tallies[sample.name].add(probability, isRight);
      });
      return { kind: name, bare, aspect, a, tallies, verdict: verdictOf(tallies.all) };
    }),
  );
}

/** The end of an answer, in tenths of the probability, at which the harmonic mean of precision and recall of all calls is highest. */
function bestEnd({ count, right }) {
  const all = right.reduce((sum, one) => sum + one, 0);
  const values = Array.from(count, (_, from) => {
    const said = count.slice(from).reduce((sum, one) => sum + one, 0);
    const found = right.slice(from).reduce((sum, one) => sum + one, 0);
    return (2 * found) / (said + all);
  });
  const best = values.indexOf(Math.max(...values));
  return `${best / 10} (${values[best].toFixed(3)}; at 0.1 ${values[1].toFixed(3)}, at 0 ${values[0].toFixed(3)})`;
}

function table(all) {
  const lines = [
    '| calls | aspect | sample | error | from 10 % | best end (F) | said and right by tenths, from 10 % (calls) |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const { kind, aspect, tallies } of all)
    for (const [sample, tally] of Object.entries(tallies)) {
      if (tally.predictions === 0) continue;
      const bins = [...tally.count.keys()].slice(1).map((bin) => {
        const calls = tally.count[bin];
        return `${share(tally.said[bin] / calls)} ${share(tally.right[bin] / calls)} (${calls})`;
      });
      lines.push(
        `| ${kind} | ${aspect} | ${sample} | ${share(tally.error())} | ${share(tally.error(1))} | ${bestEnd(tally)} | ${bins.join(', ')} |`,
      );
    }
  return lines.join('\n');
}

/** The curves of a kind and aspect, those of the highest bounds first. */
function curvesOf(way, { bare, aspect, a, verdict }) {
  if (!verdict.isCalibrated) return [];
  return way.bounds.map((bounds, one) => {
    const parts = samples.map((sample, number) => ({
      columns: sample.columns,
      number,
      places: placesOf(sample, { aspect: a, bare, way })[one],
    }));
    const { bins } = curveOf(parts, way.score);
    return {
      aspect,
      known: bare === 0,
      ...bounds,
      bins: shippedBins(bins, verdict.isSure),
      windows: databaseWindows,
    };
  });
}

const way = chosenWay();
const all = measured(way);
console.log(table(all));
if (options.write) {
  const curves = all.flatMap((of) => curvesOf(way, of));
  writeFileSync(join(options.write, 'calibration-databases.json'), `${JSON.stringify(curves, null, 1)}\n`);
  const tests = all.map(({ kind, aspect, tallies }) => ({ kind, aspect, ...shippedFigures(tallies.all) }));
  writeFileSync(
    join(options.write, 'calibration-databases-test.json'),
    `${JSON.stringify(tests, null, 1)}\n`,
  );
}
