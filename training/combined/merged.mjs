// Measures what merging the neighbours in two embeddings changes: kmer-1024 and the small language model UniRep64, whose vectors
// of E. coli and yeast are in shared/data. References and targets are the proteins of the window's organism.
//
//   node training/combined/merged.mjs --shared <folder> [--window ecoli-2020] [--resamples 500]
//
// The rule of merging was chosen on the windows ecoli-2018 and yeast-2018; the figures in accuracy.md are those of ecoli-2020.
import { UntrainedVotes } from '@kindred/kernels/combined';
import { linkOntology } from '@kindred/kernels/evaluation';
import { distanceBetween } from '@kindred/kernels/knn';
import { agreementAt, fitAgreement, FunctionAgreement, mergedDistance } from '@kindred/kernels/merging';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, evaluate, figureOf, framesOf } from './frames.mjs';
import { kmerVectors, relativesAmong } from './neighbours.mjs';
import { accretionOf, openWindow } from './window-reference.mjs';
import { openData, windows } from './windows.mjs';

const folders = { ecoli: 'ecoli-k12', yeast: 'yeast' };
const sourcesOfVotes = 50;
const neighboursOfKnn = 5;
/** The number of kept sources, which is more than both lists have, because some sources have no term of an aspect. */
const kept = 60;

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    window: { type: 'string', default: 'ecoli-2020' },
    resamples: { type: 'string', default: '500' },
  },
});
if (!options.shared) {
  console.error('usage: node training/combined/merged.mjs --shared <folder> [--window <name>]');
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const window = windows.find(({ name }) => name === options.window);
const given = unirepVectors(join(options.shared, 'data', folders[window.organism]));
const members = [...data.proteins.keys()].filter((p) => given.has(data.proteins[p].accession));
const placeOf = new Map(members.map((protein, place) => [protein, place]));
const opened = await openWindow(data, window);
opened.targets = opened.targets.filter((protein) => placeOf.has(protein));
const { reference } = opened;
const embeddings = {
  kmer: cut(await kmerVectors(members.map((p) => data.proteins[p].sequence)), 1024),
  unirep: members.map((p) => given.get(data.proteins[p].accession)),
};
const curves = Object.values(embeddings).map(curveOf);
const near = nearOf();
report();

function unirepVectors(folder) {
  const bytes = readFileSync(join(folder, 'unirep64.float32.npy'));
  const start = 10 + bytes.readUInt16LE(8);
  const numbers = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length),
  );
  const ids = readFileSync(join(folder, 'unirep64.ids.txt'), 'utf8').trim().split('\n');
  return new Map(cut(numbers, 64).map((vector, i) => [ids[i], vector]));
}

function cut(numbers, dimension) {
  return Array.from({ length: numbers.length / dimension }, (_, i) =>
    numbers.subarray(i * dimension, (i + 1) * dimension),
  );
}

function distancesFrom(vectors, place) {
  return vectors.map((vector) => distanceBetween(vectors[place], vector, 'cosine'));
}

/** Fits the curve as the service does: with 500 references, each with its 50 nearest and with 50 others. */
function curveOf(vectors) {
  const { experimentalTerms: rows, aspect, information: weight } = reference;
  const informed = [...placeOf]
    .filter(([protein]) => rows.start[protein + 1] > rows.start[protein])
    .map(([, place]) => place);
  const evenly = (most) => {
    const count = Math.min(most, informed.length);
    return Array.from({ length: count }, (_, i) => informed[Math.floor((i * informed.length) / count)]);
  };
  const compare = new FunctionAgreement({ rows, aspect, weight });
  const points = { distance: [], agreement: [] };
  const others = evenly(50);
  for (const query of evenly(500)) {
    const distances = distancesFrom(vectors, query);
    compare.enter(members[query]);
    const nearest = informed.toSorted((a, b) => distances[a] - distances[b]).slice(0, 51);
    for (const place of [...nearest, ...others].filter((one) => one !== query)) {
      const agreement = compare.with(members[place]);
      if (Number.isNaN(agreement)) continue;
      points.distance.push(distances[place]);
      points.agreement.push(agreement);
    }
  }
  return fitAgreement({
    distance: Float64Array.from(points.distance),
    agreement: Float64Array.from(points.agreement),
  });
}

/** Returns the nearest sources of each target, by each embedding and by both. */
function nearOf() {
  const found = { kmer: new Map(), unirep: new Map(), merged: new Map() };
  for (const protein of opened.targets) {
    const place = placeOf.get(protein);
    const distances = Object.values(embeddings).map((vectors) => distancesFrom(vectors, place));
    const merged = members.map((_, other) =>
      mergedDistance(curves.map((curve, e) => agreementAt(curve, distances[e][other]))),
    );
    Object.keys(found).forEach((name, i) => {
      const of = [...distances, merged][i];
      const sources = [...members.keys()].filter(
        (other) => other !== place && reference.speaks[members[other]] !== 0,
      );
      sources.sort((a, b) => of[a] - of[b]);
      found[name].set(
        protein,
        sources.slice(0, kept).map((other) => ({ reference: members[other], distance: of[other] })),
      );
    });
  }
  return found;
}

function rowsOf(scoresOf) {
  const rows = { protein: [], term: [], score: [] };
  for (const protein of opened.targets)
    for (const [term, score] of scoresOf(protein)) {
      rows.protein.push(protein);
      rows.term.push(term);
      rows.score.push(score);
    }
  return rows;
}

/** Returns the score of the nearest of five sources with the term; each aspect counts the sources that have a term of it. */
function knn(list) {
  const { annotated, aspect } = reference;
  const termsOf = ({ reference: source }) =>
    annotated.terms.subarray(annotated.start[source], annotated.start[source + 1]);
  return rowsOf((protein) => {
    const best = new Map();
    for (const one of [0, 1, 2])
      for (const source of list
        .get(protein)
        .filter((each) => termsOf(each).some((term) => aspect[term] === one))
        .slice(0, neighboursOfKnn))
        for (const term of termsOf(source))
          if (aspect[term] === one && !best.has(term))
            best.set(term, Math.max(0.001, 1 - source.distance / 2));
    return best;
  });
}

function votes(list, aligned, isMerged) {
  const kernel = new UntrainedVotes(reference);
  return rowsOf((protein) => {
    const sources = list.get(protein).slice(0, sourcesOfVotes);
    const query = {
      aligned: aligned?.get(protein) ?? columns([]),
      near: {
        reference: Int32Array.from(sources, (source) => source.reference),
        distance: Float64Array.from(sources, (source) => source.distance),
        isMerged,
      },
      self: protein,
      own: null,
      organism: -1,
    };
    const { term, score } = kernel.score(query, { by: aligned === null ? 'distance' : 'both' });
    return Array.from(term, (t, i) => [t, score[i]]);
  });
}

function columns(hits) {
  return {
    reference: Int32Array.from(hits, (hit) => members[hit.reference]),
    logEValue: Float64Array.from(hits, (hit) => hit.logEValue),
    identity: Float64Array.from(hits, (hit) => hit.identity),
    share: Float64Array.from(hits, (hit) => hit.share),
  };
}

function report() {
  const targets = [...opened.targets];
  const sequenceOf = (protein) => data.proteins[protein].sequence;
  const relatives = relativesAmong(
    members.map((protein) => ({ sequence: sequenceOf(protein) })),
    targets.map(sequenceOf),
    targets.map((protein) => placeOf.get(protein)),
  );
  const aligned = new Map(
    targets.map((protein, q) => [
      protein,
      columns(relatives[q].filter((hit) => reference.speaks[members[hit.reference]] !== 0)),
    ]),
  );
  const ontology = linkOntology(data.columns);
  const frames = framesOf(data, ontology, [opened], accretionOf(data, ontology, opened).weights);
  const methods = {
    knn: (name) => knn(near[name]),
    'votes by distance': (name) => votes(near[name], null, name === 'merged'),
    'bare sequence': (name) => votes(near[name], aligned, name === 'merged'),
  };
  console.log(
    '| method | embedding | Fmax | f_micro_w | merged above | merged below |\n|---|---|---|---|---|---|',
  );
  for (const [title, method] of Object.entries(methods)) {
    const cells = {};
    for (const name of ['merged', 'kmer', 'unirep'])
      cells[name] = evaluate(data, { frames, opened: [opened] }, [method(name)], {
        resamples: Number(options.resamples),
      });
    for (const [name, found] of Object.entries(cells)) {
      const mean = (key) =>
        (found.reduce((sum, cell) => sum + figureOf(cell, key), 0) / found.length).toFixed(3);
      const gains = cells.merged.map((cell, i) => difference(cell, found[i], 'fmax'));
      const counts = [gains.filter((gain) => gain?.low > 0), gains.filter((gain) => gain?.high < 0)];
      console.log(
        `| ${title} | ${name} | ${mean('fmax')} | ${mean('f_micro_w')} | ${counts.map((list) => (name === 'merged' ? '' : `${list.length} of ${found.length}`)).join(' | ')} |`,
      );
    }
  }
}
