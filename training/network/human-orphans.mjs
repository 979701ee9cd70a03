// Measures the first network on human proteins of 2018 to 2022 without a relative, beside the terms' plain frequencies, by the rule of
// README.md. The reference has no target.
//
//   node training/network/human-orphans.mjs --shared <folder> --out <folder of orphans.mjs> [--resamples 1000]
import { linkOntology } from '@kindred/kernels/evaluation';
import { movedTerms, movesTowards } from '@kindred/kernels/network';
import { quantileOfSorted } from '@kindred/kernels/arrays';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, evaluate, figureOf, framesOf } from '../combined/frames.mjs';
import { naive } from '../combined/methods.mjs';
import { accretionOf, limitedTo, openWindow, referenceOf } from '../combined/window-reference.mjs';
import { humanWindow, openData } from '../combined/windows.mjs';
import { openNetwork } from './ask.mjs';
import { familiesOf, kept, keptAnswers, withoutRelatives } from './orphans.mjs';

const shares = [0, 0.3, 0.6, 1];
const quarters = 4;
const keys = ['fmax', 'f_micro_w'];

/** Opens the window of human with a reference that has no target, and the targets without a relative in it. */
export async function openHumanOrphans(shared, out) {
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
  return { data, opened, targets: lone, asked: targets.length, sequences, families, sources };
}

/** Gives the rows of the network's moved probabilities for the targets. */
function rowsOf({ data, opened, targets }, network, answers, shareOf) {
  const closure = data.graph.ancestorClosure();
  const scratch = new Float64Array(data.graph.size);
  const { reference } = opened;
  const moves = shares.map((share) => movesTowards(network.outputs, reference.experimental, reference.aspect, share));
  const rows = { protein: [], term: [], score: [] };
  targets.forEach((protein, i) => {
    const { term, score } = movedTerms(
      network.outputs,
      { probabilities: answers[i], moves: moves[shareOf(i)], from: 0.01 },
      { closure, scratch },
    );
    term.forEach((t, at) => {
      rows.protein.push(protein);
      rows.term.push(t);
      rows.score.push(score[at]);
    });
  });
  return rows;
}

const meanOf = (cells, key) => cells.reduce((sum, cell) => sum + figureOf(cell, key), 0) / cells.length;

/** The interval of the difference of two means of nine cells, of which each resamples its own proteins. */
function intervalOfMeans(a, b, key) {
  const { length } = a[0].series.samples[key];
  const samples = Float64Array.from({ length }, (_, i) =>
    a.reduce((sum, cell, c) => sum + cell.series.samples[key][i] - b[c].series.samples[key][i], 0) / a.length,
  ).sort();
  return { low: quantileOfSorted(samples, 0.025), high: quantileOfSorted(samples, 0.975) };
}

async function main() {
  const { values: options } = parseArgs({
    options: { shared: { type: 'string' }, out: { type: 'string' }, resamples: { type: 'string', default: '1000' } },
  });
  const human = await openHumanOrphans(options.shared, options.out);
  const { data, opened, targets, families } = human;
  console.log(`${targets.length} of ${human.asked} targets have no relative; ${new Set(families).size} families`);
  const network = openNetwork('first', options.shared, data.graph);
  const answers = keptAnswers(join(options.out, 'first-human.f32'), network, human.sequences);
  const ontology = linkOntology(data.columns);
  const weights = accretionOf(data, ontology, opened).weights;
  const figuresOf = (some, rows, resamples) => {
    const part = limitedTo(opened, some);
    const only = new Set(some);
    const at = [...rows.protein.keys()].filter((i) => only.has(rows.protein[i]));
    const given = Object.fromEntries(Object.entries(rows).map(([name, column]) => [name, at.map((i) => column[i])]));
    const frames = framesOf(data, ontology, [part], weights);
    return evaluate(data, { frames, opened: [part] }, [given], { resamples });
  };
  const byShare = shares.map((_, s) => rowsOf(human, network, answers, () => s));
  const quarterOf = families.map((family) => family % quarters);
  const chosen = Array.from({ length: quarters }, (_, quarter) => {
    const others = targets.filter((_, i) => quarterOf[i] !== quarter);
    const goods = byShare.map((rows) => {
      const cells = figuresOf(others, rows, 0);
      return (meanOf(cells, 'fmax') + meanOf(cells, 'f_micro_w')) / 2;
    });
    console.log(`quarter ${quarter}: ${goods.map((good, s) => `${shares[s]} ${good.toFixed(4)}`).join(', ')}`);
    return goods.indexOf(Math.max(...goods));
  });
  console.log(`shares chosen: ${chosen.map((s) => shares[s]).join(', ')}`);
  const rows = rowsOf(human, network, answers, (i) => chosen[quarterOf[i]]);
  const resamples = Number(options.resamples);
  const mine = figuresOf(targets, rows, resamples);
  const plain = figuresOf(targets, naive(opened), resamples);
  const names = mine.map(({ category, aspect, proteins }) => `${category} ${aspect} (${proteins})`);
  console.log(`| figure | | ${names.join(' | ')} | mean |\n|---|---|${'---|'.repeat(10)}`);
  for (const key of keys) {
    for (const [name, cells] of [['naive', plain], ['network', mine]]) {
      const texts = cells.map((cell, c) => {
        const text = figureOf(cell, key).toFixed(3);
        if (name === 'naive') return text;
        const { low, high } = difference(cell, plain[c], key);
        return `${text} (${low > 0 ? '+' : high < 0 ? '-' : '='})`;
      });
      console.log(`| ${key} | ${name} | ${texts.join(' | ')} | ${meanOf(cells, key).toFixed(3)} |`);
    }
    const { low, high } = intervalOfMeans(mine, plain, key);
    console.log(`| ${key} | difference of the means | ${(meanOf(mine, key) - meanOf(plain, key)).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}) |`);
  }
}

if (process.argv[1] === import.meta.filename) await main();
