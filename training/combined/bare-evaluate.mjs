// Compares votes, model and the mean of both on bare sequences, and writes the table into docs/explanation/accuracy.md.
//
//   node training/combined/bare-evaluate.mjs --shared <folder> --goa <folder> --out <folder of bare_train.py> [--resamples 200]
//     [--write [--with-network]]
//
// A protein without a relative (E-value .001) gets no terms from either, as in the service.
import { linkOntology } from '@kindred/kernels/evaluation';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bareMethods, eachScored } from './bare-scores.mjs';
import { bareSources, densities } from './bare-sources.mjs';
import { difference, evaluate, figureOf, framesOf, intervalOfMeans, meanOf } from './frames.mjs';
import { accretionOf, limitedTo, referenceOf } from './window-reference.mjs';

const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const figures = ['fmax', 'f_micro_w'];
const titles = {
  windows: 'yeast, worm and Dictyostelium, 2018 to 2020',
  human: 'human, 2018 to 2022',
  organisms: 'seven organisms, 2014 to 2019',
};
const three = (value) => value.toFixed(3);

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'goa', 'out'].map((name) => [name, { type: 'string' }])),
    resamples: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
    'with-network': { type: 'boolean', default: false },
  },
});
if (!options.shared || !options.goa || !options.out)
  throw new Error('usage: bare-evaluate.mjs --shared FOLDER --goa FOLDER --out FOLDER');

/** Returns the rows of a method for the targets of a window. */
function predictions(data, { window }, density, method) {
  const rows = { protein: [], term: [], score: [] };
  eachScored(data, options.out, { window, density, method }, (protein, _, { terms, scores }) =>
    terms.forEach((term, i) => {
      rows.protein.push(protein);
      rows.term.push(term);
      rows.score.push(scores[i]);
    }),
  );
  return rows;
}

function lineOf(name, cells, base) {
  const parts = figures.flatMap((figure) => {
    const differences = cells.map((cell, i) => difference(cell, base[i], figure));
    const counts = [
      differences.filter(({ low }) => low > 0).length,
      differences.filter(({ high }) => high < 0).length,
    ];
    const means = `${three(meanOf(cells, figure))} (${three(meanOf(base, figure))})`;
    const { low, high } = intervalOfMeans(cells, base, figure);
    return [means, `${three(low)} to ${three(high)}`, counts.join(', ')];
  });
  return `| ${name} | ${parts.join(' | ')} |`;
}

const lines = [
  '| | Fmax (votes) | difference | above, below | f_micro_w (votes) | difference | above, below |',
  '|---|---|---|---|---|---|---|',
];
for await (const { name, data, opened } of bareSources(options)) {
  const ontology = linkOntology(data.columns);
  const reference = await referenceOf(data, opened[0].window.before, false);
  const only = opened.map((one) => limitedTo(one, one.targets));
  const frames = framesOf(data, ontology, only, accretionOf(data, ontology, { reference }).weights);
  for (const density of densities) {
    const cells = Object.fromEntries(
      Object.keys(bareMethods).map((method) => [
        method,
        evaluate(
          data,
          { frames, opened: only },
          only.map((one) => predictions(data, one, density, method)),
          { resamples: Number(options.resamples) },
        ),
      ]),
    );
    const title = density === 'own' ? titles[name] : 'without';
    for (const method of ['mean', 'model'])
      lines.push(lineOf(`${title}${method === 'model' ? ', model alone' : ''}`, cells[method], cells.votes));
    console.log(lines.slice(-2).join('\n'));
    cells.mean.forEach((cell, i) => {
      const texts = figures.map(
        (figure) => `${figure} ${three(figureOf(cell, figure))} (${three(figureOf(cells.votes[i], figure))})`,
      );
      console.log(`  ${cell.category} ${cell.aspect} (${cell.proteins}): ${texts.join(', ')}`);
    });
  }
}
if (options.write) {
  const name = options['with-network'] ? 'bare with network' : 'bare';
  const begin = `<!-- ${name}: made by training/combined/bare-evaluate.mjs -->`;
  const end = `<!-- ${name}: end -->`;
  const page = readFileSync(accuracyPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`);
}
