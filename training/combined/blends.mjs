// Compares other ways to join model and votes into one score with the shipped mean, on the pooled windows of 2018 to 2020.
//
//   node training/combined/blends.mjs --shared <folder> --out <folder> --models <folder> [--resamples 1000]
// [--confirm <name>]
//
// The comparison is made twice: on four organisms, each by the model of the other three, and on yeast, worm and Dictyostelium by models
// that have not seen E. coli either, so that a choice for E. coli does not depend on it. A blend may replace the shipped one only if its
// mean of Fmax and f_micro_w is higher in both, by more than chance (paired resamples of the proteins in each cell, 95 %). --confirm
// scores one blend on E. coli 2020 to 2022 instead; the choice must be made before.
import { combinedScores, experimentalBit, UntrainedVotes } from '@kindred/kernels/combined';
import { linkOntology } from '@kindred/kernels/evaluation';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { neighboursOf } from './features.mjs';
import { evaluate, figureOf, framesOf } from './frames.mjs';
import { describe, modelScores, readModels } from './methods.mjs';
import { accretionOf, openWindow, queryOf } from './window-reference.mjs';
import { aspects, openData, windows } from './windows.mjs';

const figures = ['fmax', 'f_micro_w'];
const byVotes = { by: 'alignment', withOwn: true };
const shipped = 'mean of both (shipped)';

const weighted = (shareOf) => (model, votes, place) => {
  const share = shareOf(place);
  return (1 - share) * model + share * votes;
};
const limited = (p) => Math.min(0.9999, Math.max(0.0001, p));
const logOdds = (p) => Math.log(limited(p) / (1 - limited(p)));

/**
 * Functions that make the score of a term from those of model and votes. `ownShare` is the share of the votes' total that the protein's
 * own annotations have, high where few or weak sources speak; `isKnown` says whether experiments know the aspect.
 */
const blends = {
  [shipped]: weighted(() => 0.5),
  'model alone': weighted(() => 0),
  'votes alone': weighted(() => 1),
  'a quarter of votes': weighted(() => 0.25),
  'three quarters of votes': weighted(() => 0.75),
  'a quarter of votes where the aspect is known': weighted(({ isKnown }) => (isKnown ? 0.25 : 0.5)),
  'three quarters of votes where it is not': weighted(({ isKnown }) => (isKnown ? 0.5 : 0.75)),
  'votes by a quarter, and a quarter of the own share': weighted(({ ownShare }) => 0.25 + 0.25 * ownShare),
  'votes by a half, and half of the own share': weighted(({ ownShare }) => 0.5 + 0.5 * ownShare),
  'votes by the own share': weighted(({ ownShare }) => ownShare),
  'a quarter where known, else 3/8 and a quarter of the own share': weighted(({ isKnown, ownShare }) =>
    isKnown ? 0.25 : 0.375 + 0.25 * ownShare,
  ),
  'geometric mean': (model, votes) => Math.sqrt(Math.max(0.002, model) * votes),
  'geometric mean, a quarter of votes': (model, votes) => Math.max(0.002, model) ** 0.75 * votes ** 0.25,
  'mean of log odds': (model, votes) => 1 / (1 + Math.exp(-(logOdds(model) + logOdds(votes)) / 2)),
  'higher of both': (model, votes) => Math.max(model, votes),
  'either is right': (model, votes) => 1 - (1 - model) * (1 - votes),
};

/** Returns the scores that both methods give the terms of a target. */
function scoredTerms({ opened, described, kernel, models, neighbours }, protein) {
  const query = queryOf(opened, neighbours, protein);
  const model = modelScores(described.get(protein), models);
  const votes = kernel.score(query, byVotes);
  const candidates = new Set(model.term);
  const terms = [...candidates, ...votes.term.filter((term) => !candidates.has(term))];
  const voteOf = new Map(Array.from(votes.term, (term, i) => [term, votes.score[i]]));
  const { aspect, speaks } = opened.reference;
  const own = Array.from(query.own?.terms ?? []).filter(
    (_, i) => (query.own.groups[i] & ~experimentalBit) !== 0,
  );
  const place = aspects.map((_, a) => {
    const ofAspect = own.filter((term) => aspect[term] === a);
    return {
      ownShare: Math.max(0, ...ofAspect.map((term) => kernel.explain(query, term, byVotes).own).slice(0, 1)),
      isKnown: ((speaks[protein] >> a) & 1) === 1,
    };
  });
  return {
    own: query.own,
    term: Int32Array.from(terms),
    model: Float64Array.from(terms, (_, i) => model.score[i] ?? 0),
    votes: Float64Array.from(terms, (term) => voteOf.get(term) ?? 0),
    place: terms.map((term) => place[aspect[term]]),
  };
}

/** Returns the rows of every blend for the targets of a window. */
function rowsOf(made, names) {
  const { data, opened } = made;
  const closure = data.graph.ancestorClosure();
  const scratch = new Int32Array(data.graph.size).fill(-1);
  const nothing = { term: new Int32Array(0), score: new Float64Array(0) };
  const rows = Object.fromEntries(names.map((name) => [name, { protein: [], term: [], score: [] }]));
  for (const protein of opened.targets) {
    const { own, term, model, votes, place } = scoredTerms(made, protein);
    for (const name of names) {
      const score = model.map((value, i) => blends[name](value, votes[i], place[i]));
      const scored = combinedScores({ term, score }, nothing, own, { closure, scratch, votesShare: 0 });
      scored.term.forEach((t, i) => {
        if (scored.score[i] < 0.005) return;
        rows[name].protein.push(protein);
        rows[name].term.push(t);
        rows[name].score.push(scored.score[i]);
      });
    }
  }
  return rows;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Returns the mean of both figures over the cells, and the same of every resample. */
const meanOf = (cells, figureOfCell) =>
  mean(cells.flatMap((cell) => figures.map((figure) => figureOfCell(cell, figure))));

function intervalOfGain(cells, base, resamples) {
  const gains = Float64Array.from({ length: resamples }, (_, i) => {
    const at = ({ series }, figure) => series.samples[figure][i];
    return meanOf(cells, at) - meanOf(base, at);
  }).sort();
  return [0.025, 0.975].map((share) => gains[Math.round(share * (resamples - 1))]);
}

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'out', 'models', 'confirm'].map((name) => [name, { type: 'string' }])),
    resamples: { type: 'string', default: '1000' },
  },
});
if (!options.shared || !options.out || !options.models) {
  console.error(
    'usage: node training/combined/blends.mjs --shared <folder> --out <folder> --models <folder> [--resamples 1000] [--confirm <name>]',
  );
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const ontology = linkOntology(data.columns);
const resamples = Number(options.resamples);

async function compare(title, chosen, foldOf, names) {
  const opened = [];
  for (const window of chosen) opened.push(await openWindow(data, window));
  const { weights } = accretionOf(data, ontology, opened[0]);
  const test = { frames: framesOf(data, ontology, opened, weights), opened };
  const rows = opened.map((one) => {
    const models = readModels(options.models, foldOf(one.window));
    const described = describe(one, neighbours);
    const kernel = new UntrainedVotes(one.reference);
    return rowsOf({ data, opened: one, described, kernel, models, neighbours }, names);
  });
  const cells = Object.fromEntries(
    names.map((name) => [
      name,
      evaluate(
        data,
        test,
        rows.map((of) => of[name]),
        { resamples },
      ),
    ]),
  );
  console.log(
    `\n### ${title}\n\n| blend | Fmax | f_micro_w | both | more than shipped |\n|---|---|---|---|---|`,
  );
  for (const name of names) {
    const [low, high] = intervalOfGain(cells[name], cells[shipped], resamples);
    const both = meanOf(cells[name], figureOf);
    const each = figures.map((figure) => mean(cells[name].map((cell) => figureOf(cell, figure))).toFixed(4));
    const gain = both - meanOf(cells[shipped], figureOf);
    const texts = [...each, both.toFixed(4), `${gain.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`];
    console.log(`| ${[name, ...texts].join(' | ')} |`);
  }
  return cells;
}

const early = windows.filter(({ before }) => before === 2018);
const names = Object.keys(blends);
if (options.confirm !== undefined && !names.includes(options.confirm)) {
  console.error(`--confirm ${options.confirm}: the blends are ${names.join('; ')}`);
  process.exit(64);
}
if (options.confirm === undefined) {
  const fourth = ({ organism }) => organism;
  await compare('Four organisms, each by the model of the other three', early, fourth, names);
  await compare(
    'Yeast, worm and Dictyostelium, by models that have not seen E. coli',
    early.filter(({ organism }) => organism !== 'ecoli'),
    ({ organism }) => [organism, 'ecoli'].sort().join('+'),
    names,
  );
} else {
  const cells = await compare(
    'E. coli, March 2020 to November 2022',
    windows.filter(({ name }) => name === 'ecoli-2020'),
    () => 'ecoli-2020',
    [shipped, options.confirm],
  );
  for (const figure of figures)
    for (const [name, some] of Object.entries(cells))
      console.log(`${figure}, ${name}: ${some.map((cell) => figureOf(cell, figure).toFixed(3)).join(' ')}`);
}
