// Compares the scores that a model of eukaryotes could give with those that it is measured by: of bare sequences with their votes, of known
// proteins with today's combination. Writes the table into docs/explanation/accuracy.md.
//
//   node training/combined/bare-evaluate.mjs --shared <folder> --goa <folder> --out <folder of bare_train.py> [--known]
//     [--further] [--than <folder> --method <name>] [--resamples 200] [--write [--with-network]]
//
// With --than one of the scores is compared with the mean of votes and an earlier try's model, on the proteins that both tries score; the
// folder is that try's.
// A bare sequence without a relative (E-value .001) gets no terms from either, as in the service.
import { linkOntology } from '@kindred/kernels/evaluation';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eachScored, methodsOf } from './bare-scores.mjs';
import { bareSources, kinds } from './bare-sources.mjs';
import { difference, evaluate, figureOf, framesOf, intervalOfMeans, meanOf } from './frames.mjs';
import { accretionOf, limitedTo, referenceOf } from './window-reference.mjs';

const accuracyPage = new URL('../../docs/explanation/accuracy.md', import.meta.url);
const figures = ['fmax', 'f_micro_w'];
const three = (value) => value.toFixed(3);

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(
      ['shared', 'goa', 'out', 'than', 'method'].map((name) => [name, { type: 'string' }]),
    ),
    resamples: { type: 'string', default: '200' },
    known: { type: 'boolean', default: false },
    further: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'with-network': { type: 'boolean', default: false },
  },
});
if (!options.shared || !options.goa || !options.out)
  throw new Error('usage: bare-evaluate.mjs --shared FOLDER --goa FOLDER --out FOLDER [--known]');
if ((options.than === undefined) !== (options.method === undefined))
  throw new Error(
    '--than FOLDER and --method NAME go together: the folder of an earlier try, and the score to compare',
  );
const titles = {
  windows: 'yeast, worm and Dictyostelium, 2018 to 2020',
  human: 'human, 2018 to 2022',
  organisms: options.further
    ? 'further human, mouse and Arabidopsis, 2014 to 2019'
    : 'seven organisms, 2014 to 2019',
};
const kind = options.known ? 'known' : 'bare';
const [base, ...all] = Object.keys(methodsOf[kind]);
const methods = options.than ? [options.method] : all;
if (!all.includes(methods[0]))
  throw new Error(`no score is named ${methods[0]}; there are: ${all.join(', ')}`);

/** Returns the rows of a method for the targets of a window. */
function predictions(data, { window }, { density, method, folder = options.out }) {
  const rows = { protein: [], term: [], score: [] };
  eachScored(data, folder, { window, density, method, kind }, (protein, _, { terms, scores }) =>
    terms.forEach((term, i) => {
      rows.protein.push(protein);
      rows.term.push(term);
      rows.score.push(scores[i]);
    }),
  );
  return rows;
}

function lineOf(name, cells, measure) {
  const parts = figures.flatMap((figure) => {
    const differences = cells.map((cell, i) => difference(cell, measure[i], figure));
    const counts = [
      differences.filter(({ low }) => low > 0).length,
      differences.filter(({ high }) => high < 0).length,
    ];
    const means = `${three(meanOf(cells, figure))} (${three(meanOf(measure, figure))})`;
    const { low, high } = intervalOfMeans(cells, measure, figure);
    return [means, `${three(low)} to ${three(high)}`, counts.join(', ')];
  });
  return `| ${name} | ${parts.join(' | ')} |`;
}

/** Returns where the scores of a method are: those that others are measured by may be an earlier try's. */
const sourceOf = (method) =>
  options.than && method === base ? { method: 'mean', folder: options.than } : { method };
const isAsked = ({ window }, target) =>
  [folds, earlierFolds].every((of) => of === undefined || of[window.name]?.[target] !== undefined);

/** Says the figures of a cell, those that it is measured by, and whether it is certainly above (+) or below (-). */
function cellLine(cell, measure) {
  const texts = figures.map((figure) => {
    const { low, high } = difference(cell, measure, figure);
    const sign = low > 0 ? '+' : high < 0 ? '-' : '=';
    return `${figure} ${three(figureOf(cell, figure))} (${three(figureOf(measure, figure))} ${sign})`;
  });
  return `${cell.category} ${cell.aspect} (${cell.proteins}): ${texts.join(', ')}`;
}

const foldsIn = (folder) => JSON.parse(readFileSync(join(folder, 'folds.json'), 'utf8'));
/** Says by which model a protein is scored; of further targets, some have no model that saw nothing of their family. */
const folds = foldsIn(options.out);
const earlierFolds = options.than && foldsIn(options.than);
const before = options.than ? 'earlier try' : base;
const lines = [
  `| | Fmax (${before}) | difference | above, below | f_micro_w (${before}) | difference | above, below |`,
  '|---|---|---|---|---|---|---|',
];
for await (const { name, data, opened } of bareSources({ ...options, kind })) {
  const ontology = linkOntology(data.columns);
  const reference = await referenceOf(data, opened[0].window.before, false);
  const only = opened.map((one) =>
    limitedTo(
      one,
      one.targets.filter((target) => isAsked(one, target)),
    ),
  );
  const frames = framesOf(data, ontology, only, accretionOf(data, ontology, { reference }).weights);
  for (const density of kinds[kind].densities) {
    const cells = Object.fromEntries(
      [base, ...methods].map((method) => [
        method,
        evaluate(
          data,
          { frames, opened: only },
          only.map((one) => predictions(data, one, { density, ...sourceOf(method) })),
          { resamples: Number(options.resamples) },
        ),
      ]),
    );
    const title = density === 'own' ? titles[name] : 'without';
    for (const method of methods)
      lines.push(lineOf(`${title}${method === 'mean' ? '' : `, ${method}`}`, cells[method], cells[base]));
    console.log(lines.slice(-methods.length).join('\n'));
    for (const method of methods) {
      console.log(`  ${method}`);
      cells[method].forEach((cell, i) => console.log(`  ${cellLine(cell, cells[base][i])}`));
    }
  }
}
if (options.write) {
  const name = [
    options['with-network'] ? 'bare with network' : kind,
    ...(options.further ? ['further proteins'] : []),
    ...(options.than ? ['beside an earlier try'] : []),
  ].join(', ');
  const begin = `<!-- ${name}: made by training/combined/bare-evaluate.mjs -->`;
  const end = `<!-- ${name}: end -->`;
  const page = readFileSync(accuracyPage, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${accuracyPage.pathname} lacks the lines ${begin} and ${end}`);
  writeFileSync(accuracyPage, `${page.slice(0, from)}${begin}\n${lines.join('\n')}\n${page.slice(to)}`);
}
