// Makes the tables of the combination and of the methods to beat, and the curves that turn its scores into
// probabilities.
//
//   node training/combined/evaluate.mjs --shared <folder> --out <folder> --models <folder> [--resamples 1000]
// [--write] [--figures <file>]
//
// --out is the folder of features.mjs (relatives are kept there), --models that of train.py. The test organism is left out of training in
// every figure. --write also puts the tables into docs/explanation/accuracy.md; --figures writes more figures with their intervals, and
// paired differences, as JSON. blastp is among the methods if blastp.mjs found its hits before.
import { linkOntology } from '@kindred/kernels/evaluation';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { blastpHits } from './blastp.mjs';
import { neighboursOf } from './features.mjs';
import { figureNames, figuresOf } from './figures.mjs';
import { difference, evaluate, figureOf, framesOf, intervalIn } from './frames.mjs';
import { readModels, tableMethods } from './methods.mjs';
import { accretionOf, openWindow } from './window-reference.mjs';
import { foldOf, openData, tables, windows } from './windows.mjs';

const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const figures = [
  { key: 'fmax', name: 'Fmax' },
  { key: 'f_micro_w', name: 'f_micro_w' },
];

const three = (value) => value.toFixed(3);

/** Writes one table: methods against the nine cells, in bold if the combination is significantly above. */
function tableOf(title, cells, key) {
  const names = Object.keys(cells);
  const best = cells['**combined**'];
  const head = best.map(({ category, aspect, proteins }) => `${category} ${aspect} (${proteins})`);
  const lines = [`| ${title} | ${head.join(' | ')} | mean |`, `|---${'|---'.repeat(head.length + 1)}|`];
  for (const name of names) {
    const texts = cells[name].map((cell, i) => {
      const text = three(figureOf(cell, key));
      if (name === '**combined**') {
        const { low, high } = intervalIn(cell, key);
        return `**${text}** (${low.toFixed(2)}-${high.toFixed(2)})`;
      }
      const gain = difference(best[i], cell, key);
      return `${text} (${gain.low > 0 ? '+' : gain.high < 0 ? '-' : '='})`;
    });
    const mean = cells[name].reduce((sum, cell) => sum + figureOf(cell, key), 0) / best.length;
    lines.push(`| ${name} | ${texts.join(' | ')} | ${three(mean)} |`);
  }
  return lines;
}

/** Returns in how many of the nine cells a method is above another one. */
function countsOf(cells) {
  const above = (a, b, key) =>
    cells[a].filter((cell, i) => figureOf(cell, key) > figureOf(cells[b][i], key)).length;
  const lines = ['| above | ' + figures.map(({ name }) => name).join(' | ') + ' |', '|---|---|---|'];
  const pairs = Object.keys(cells)
    .filter((name) => !name.startsWith('*'))
    .map((name) => ['**combined**', name]);
  for (const floor of ['naive', 'sequence similarity']) pairs.push(['*bare sequence*', floor]);
  for (const [a, b] of pairs)
    lines.push(`| ${a} above ${b} | ${figures.map(({ key }) => `${above(a, b, key)} of 9`).join(' | ')} |`);
  return lines;
}

function writePage(lines) {
  const begin = '<!-- combined: made by training/combined/evaluate.mjs -->';
  const end = '<!-- combined: end -->';
  const page = readFileSync(accuracyPage, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`);
}

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    models: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
    figures: { type: 'string' },
  },
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node training/combined/evaluate.mjs --shared <folder> --out <folder> --models <folder>',
  );
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const ontology = linkOntology(data.columns);
const hits = blastpHits(data, options.out);
const lines = [];
const tests = [];
for (const { title, before, golden = false } of tables) {
  const opened = [];
  for (const window of windows.filter((one) => one.before === before))
    opened.push(await openWindow(data, window));
  const frames = framesOf(data, ontology, opened, accretionOf(data, ontology, opened[0]).weights);
  const { shared, models } = options;
  const modelsOf = (window) => readModels(models, foldOf(window));
  const methods = tableMethods(data, neighbours, { modelsOf, shared, golden, hits });
  const cells = {};
  for (const [name, method] of Object.entries(methods)) {
    cells[name] = evaluate(data, { frames, opened }, opened.map(method), {
      resamples: Number(options.resamples),
    });
    process.stderr.write(`${title.slice(0, 14)}: ${name}\n`);
  }
  tests.push(figuresOf(title, cells));
  lines.push('', `### ${title}`);
  for (const { key, name } of figures) lines.push('', ...tableOf(name, cells, key));
  lines.push('', ...countsOf(cells));
}
if (options.write) writePage(lines);
if (options.figures) {
  const all = { resamples: Number(options.resamples), figures: figureNames, tests };
  writeFileSync(options.figures, `${JSON.stringify(all)}\n`);
}
console.log(lines.join('\n'));
