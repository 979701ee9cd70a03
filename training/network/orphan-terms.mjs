// Measures the first network on proteins without a relative, beside the terms' plain frequencies, by the rule of README.md: human from 2018
// to 2022 with a reference that has no target, which chooses the share; then four organisms and E. coli with that share.
//
//   node training/network/orphan-terms.mjs --shared <folder> --out <folder> [--resamples 1000]
import { linkOntology } from '@kindred/kernels/evaluation';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, evaluate, figureOf, framesOf, intervalOfMeans, meanOf } from '../combined/frames.mjs';
import { naive } from '../combined/methods.mjs';
import { accretionOf, limitedTo, openWindow, referenceOf } from '../combined/window-reference.mjs';
import { humanWindow, openData, tables, windows } from '../combined/windows.mjs';
import { openNetwork } from './ask.mjs';
import { movedTerms, movesTowards } from './moved-terms.mjs';
import { familiesOf, kept, keptAnswers, windowOrphans, withoutRelatives } from './orphans.mjs';

const shares = [0, 0.3, 0.6, 1];
const quarters = 4;
const figures = [
  { key: 'fmax', name: 'Fmax' },
  { key: 'f_micro_w', name: 'f_micro_w' },
];

/** Opens the window of human with a reference that has no target, and the targets without a relative in it. */
async function openHumanOrphans(shared, out) {
  const data = openData(join(shared, 'data'), { withHuman: true });
  const whole = await openWindow(data, humanWindow);
  const isTarget = new Set(whole.targets);
  const annotations = async (date, organism) =>
    (await data.annotations(date, organism)).filter(({ protein }) => !isTarget.has(protein));
  const reference = await referenceOf({ ...data, annotations }, humanWindow.before, false);
  const sources = data.proteins.filter((_, p) => reference.speaks[p] !== 0);
  const targets = [...whole.targets];
  const lone = await kept(join(out, 'human-orphans.json'), () =>
    withoutRelatives(
      sources,
      targets.map((p) => data.proteins[p].sequence),
    ).map((i) => targets[i]),
  );
  const sequences = lone.map((p) => data.proteins[p].sequence);
  const families = await kept(join(out, 'human-families.json'), () => familiesOf(sequences));
  const opened = limitedTo({ ...whole, reference }, lone);
  return { data, opened, asked: targets.length, sequences, families };
}

/** Gives the rows of the network's moved probabilities for the targets of a window; `answerOf` and `shareOf` are by protein. */
function rowsOf({ graph }, { reference, targets }, { network, answerOf, shareOf }) {
  const closure = graph.ancestorClosure();
  const scratch = new Float64Array(graph.size);
  const moves = shares.map((share) =>
    movesTowards(network.outputs, reference.experimental, reference.aspect, share),
  );
  const rows = { protein: [], term: [], score: [] };
  for (const protein of targets) {
    const asked = { probabilities: answerOf.get(protein), moves: moves[shareOf(protein)], from: 0.01 };
    const { term, score } = movedTerms(network.outputs, asked, { closure, scratch });
    term.forEach((t, at) => {
      rows.protein.push(protein);
      rows.term.push(t);
      rows.score.push(score[at]);
    });
  }
  return rows;
}

/** Makes the evaluation of methods over windows of one date. */
function evaluationOf(data, opened) {
  const ontology = linkOntology(data.columns);
  const frames = framesOf(data, ontology, opened, accretionOf(data, ontology, opened[0]).weights);
  return (predictions, resamples) => evaluate(data, { frames, opened }, predictions, { resamples });
}

function printTable(title, mine, plain) {
  const three = (value) => value.toFixed(3);
  const names = mine.map(({ category, aspect, proteins }) => `${category} ${aspect} (${proteins})`);
  console.log(
    `\n${title}\n\n| | | ${names.join(' | ')} | mean | difference |\n|---|---|${'---|'.repeat(11)}`,
  );
  for (const { key, name } of figures) {
    console.log(
      `| ${name} | naive | ${plain.map((cell) => three(figureOf(cell, key))).join(' | ')} | ${three(meanOf(plain, key))} | |`,
    );
    const texts = mine.map((cell, c) => {
      const { low, high } = difference(cell, plain[c], key);
      return `${three(figureOf(cell, key))} (${low > 0 ? '+' : high < 0 ? '-' : '='})`;
    });
    const { low, high } = intervalOfMeans(mine, plain, key);
    const gain = meanOf(mine, key) - meanOf(plain, key);
    console.log(
      `| | network | ${texts.join(' | ')} | ${three(meanOf(mine, key))} | ${three(gain)} (${three(low)} to ${three(high)}) |`,
    );
  }
}

/** Chooses the share for each quarter of the families on the other three, and gives the table of human. */
async function human(resamples) {
  const { data, opened, asked, sequences, families } = await openHumanOrphans(options.shared, options.out);
  const { targets } = opened;
  const network = openNetwork('first', options.shared, data.graph);
  const answers = keptAnswers(join(options.out, 'first-human.f32'), network, sequences);
  const answerOf = new Map(targets.map((protein, i) => [protein, answers[i]]));
  const quarterOf = new Map(targets.map((protein, i) => [protein, families[i] % quarters]));
  const chosen = Array.from({ length: quarters }, (_, quarter) => {
    const others = limitedTo(
      opened,
      targets.filter((protein) => quarterOf.get(protein) !== quarter),
    );
    const figured = evaluationOf(data, [others]);
    const goods = shares.map((_, s) => {
      const cells = figured([rowsOf(data, others, { network, answerOf, shareOf: () => s })], 0);
      return (meanOf(cells, 'fmax') + meanOf(cells, 'f_micro_w')) / 2;
    });
    console.log(
      `quarter ${quarter}: ${goods.map((good, s) => `${shares[s]} ${good.toFixed(4)}`).join(', ')}`,
    );
    return goods.indexOf(Math.max(...goods));
  });
  const figured = evaluationOf(data, [opened]);
  const shareOf = (protein) => chosen[quarterOf.get(protein)];
  const mine = figured([rowsOf(data, opened, { network, answerOf, shareOf })], resamples);
  const title = `Human, ${targets.length} of ${asked} targets in ${new Set(families).size} families; shares ${chosen.map((s) => shares[s]).join(', ')}`;
  printTable(title, mine, figured([naive(opened)], resamples));
  return chosen;
}

/** Gives the tables of the windows with the share that most quarters of human chose. */
async function others(share, resamples) {
  const data = openData(join(options.shared, 'data'));
  const lone = await windowOrphans(data, options.out);
  const network = openNetwork('first', options.shared, data.graph);
  const answers = keptAnswers(
    join(options.out, 'first-windows.f32'),
    network,
    lone.map((protein) => data.proteins[protein].sequence),
  );
  const answerOf = new Map(lone.map((protein, i) => [protein, answers[i]]));
  for (const { title, before } of tables) {
    const opened = [];
    for (const window of windows.filter((one) => one.before === before)) {
      const whole = await openWindow(data, window);
      opened.push(
        limitedTo(
          whole,
          [...whole.targets].filter((target) => answerOf.has(target)),
        ),
      );
    }
    const figured = evaluationOf(data, opened);
    const count = opened.reduce((sum, { targets }) => sum + targets.length, 0);
    const mine = figured(
      opened.map((one) => rowsOf(data, one, { network, answerOf, shareOf: () => share })),
      resamples,
    );
    printTable(`${title}: ${count} targets`, mine, figured(opened.map(naive), resamples));
  }
}

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
  },
});
const resamples = Number(options.resamples);
const chosen = await human(resamples);
const votes = shares.map((_, s) => chosen.filter((one) => one === s).length);
await others(votes.indexOf(Math.max(...votes)), resamples);
