// Chooses how much the votes weigh in the combination, without the organism that it is tested on.
//
//   node training/combined/shares.mjs --shared <folder> --out <folder> --models <folder> [--organism <name>]
//
// For each test organism the other three (windows of 2018 to 2020) are scored by models that have seen neither them nor the
// test organism, with several shares of the votes; the share with the highest mean of the figures is that organism's
// choice. For the shipped models all four organisms choose, each scored by the model without it. With --organism, only the
// choice for that organism is made.
import { linkOntology } from '@kindred/kernels/evaluation';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { neighboursOf } from './features.mjs';
import { evaluate, figureOf, framesOf } from './frames.mjs';
import { combined, describe, readModels } from './methods.mjs';
import { accretionOf, limitedTo, openWindow } from './window-reference.mjs';
import { openData, windows } from './windows.mjs';

const shares = [0, 0.25, 0.5, 0.75, 1];
/** The number of proteins below which cells are ignored in the choice. */
const leastProteins = 10;
/** The number of targets of an organism to score, which is enough to choose between five shares; a whole organism takes minutes. */
const mostTargets = 500;

const { values: options } = parseArgs({
  options: Object.fromEntries(
    ['shared', 'out', 'models', 'organism'].map((name) => [name, { type: 'string' }]),
  ),
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node training/combined/shares.mjs --shared <folder> --out <folder> --models <folder>',
  );
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const ontology = linkOntology(data.columns);
const early = windows.filter(({ before }) => before === 2018);
const foldOf = (a, b) => (a === b ? a : [a, b].sort().join('+'));

/** Returns the window with at most `mostTargets` targets, evenly spaced, because all of them take too long. */
function thinned(opened) {
  const step = Math.ceil(opened.targets.length / mostTargets);
  return limitedTo(
    opened,
    opened.targets.filter((_, i) => i % step === 0),
  );
}

/** Returns the mean of Fmax and of f_micro_w over the cells with enough proteins. */
function meanOf(cells) {
  const used = cells.filter(({ proteins }) => proteins >= leastProteins);
  const sum = used.reduce((all, cell) => all + figureOf(cell, 'fmax') + figureOf(cell, 'f_micro_w'), 0);
  return sum / used.length / 2;
}

const isAsked = (organism) => options.organism === undefined || organism === options.organism;
// The shares are found[scored organism][organism left out as well][share].
const found = {};
for (const window of early) {
  if (window.organism === options.organism) continue;
  const opened = thinned(await openWindow(data, window));
  const { weights } = accretionOf(data, ontology, opened);
  const test = { frames: framesOf(data, ontology, [opened], weights), opened: [opened] };
  const described = describe(opened, neighbours);
  found[window.organism] = {};
  for (const { organism } of early) {
    if (!isAsked(organism)) continue;
    const models = readModels(options.models, foldOf(window.organism, organism));
    found[window.organism][organism] = shares.map((votesShare) =>
      meanOf(evaluate(data, test, [combined(data, opened, neighbours, { described, models, votesShare })])),
    );
    process.stderr.write(`${window.organism} without ${organism}\n`);
  }
}
const head = shares.map((share) => share.toFixed(2));
console.log(`| chosen for | ${head.join(' | ')} | chosen |\n|---|${'---|'.repeat(shares.length + 1)}`);
const chosen = {};
for (const organism of [...early.map((window) => window.organism), 'all']) {
  if (!isAsked(organism)) continue;
  const others = early.map((window) => window.organism).filter((other) => other !== organism);
  const means = shares.map(
    (_, i) =>
      others.reduce((sum, other) => sum + found[other][organism === 'all' ? other : organism][i], 0) /
      others.length,
  );
  chosen[organism] = shares[means.indexOf(Math.max(...means))];
  console.log(`| ${organism} | ${means.map((mean) => mean.toFixed(4)).join(' | ')} | ${chosen[organism]} |`);
}
const name = options.organism === undefined ? 'shares.json' : `shares.${options.organism}.json`;
writeFileSync(join(options.models, name), `${JSON.stringify({ shares, found, chosen }, null, 1)}\n`);
