// Writes the frames of the tables as files of CAFA's evaluator, with Kindred's figures, to compare them with those of the evaluator
// (cafaeval_figures.py).
//
//   node training/combined/export-frames.mjs --to <folder> --shared <folder> --out <folder> --models <folder>
//   node training/combined/export-frames.mjs --to <folder> --shared <folder> --thin <number>
//   node training/combined/export-frames.mjs --to <folder> --example
//
// Each frame has <frame>/truth_<category>.tsv, known.tsv, IA.tsv, predictions/<method>.tsv, figures.json. --thin keeps this number of
// targets of each category and aspect of a window and scores them with the shipped models. Their figures mean nothing, because these
// models have seen the targets, but they take only a minute, and two evaluators must agree on them, too. --example makes the small frame
// of the tests: proteins of the example set, of which some annotations are hidden.
import { linkOntology } from '@kindred/kernels/evaluation';
import { parseFasta, readGaf } from '@kindred/kernels/formats';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { cafaScore } from '@kindred/kernels/scoring';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { neighboursOf } from './features.mjs';
import { evaluate, figureOf, framesOf, namesOf } from './frames.mjs';
import { blastpHits } from './blastp.mjs';
import { readModels, tableMethods } from './methods.mjs';
import { alignmentNeighbours, distanceNeighbours } from './neighbours.mjs';
import { accretionOf, limitedTo, openWindow } from './window-reference.mjs';
import { aspects, categories, foldOf, openData, tables, windows } from './windows.mjs';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';

/** The score below which rows are left out, because scores below the lowest threshold of an evaluation do not matter. */
const leastScore = 0.005;
const shippedModels = new URL('../../models/combined', import.meta.url).pathname;

/** Rounds rows as the evaluator gets them: three digits, as in a CAFA file. */
function rounded({ protein, term, score }) {
  const at = [...score.keys()].filter((i) => score[i] >= leastScore);
  return {
    protein: at.map((i) => protein[i]),
    term: at.map((i) => term[i]),
    score: at.map((i) => cafaScore(score[i])),
  };
}

function writeFrame(folder, data, { opened, weights, test, methods }) {
  const names = opened.map((one) => namesOf(data, one));
  const pairs = (pick) =>
    opened
      .flatMap((one, w) => {
        const { protein, term } = pick(one);
        return Array.from(protein, (p, i) => `${names[w][p]}\t${data.graph.termIds[term[i]]}\n`);
      })
      .join('');
  mkdirSync(join(folder, 'predictions'), { recursive: true });
  for (const category of categories)
    writeFileSync(
      join(folder, `truth_${category}.tsv`),
      pairs(({ holdout }) => holdout.truth[category]),
    );
  writeFileSync(
    join(folder, 'known.tsv'),
    pairs(({ holdout }) => holdout.known),
  );
  writeFileSync(
    join(folder, 'IA.tsv'),
    data.graph.termIds
      .map((id, term) => (weights.ofTerm[term] > 0 ? `${id}\t${weights.ofTerm[term]}\n` : ''))
      .join(''),
  );
  const figures = [];
  for (const [method, predictions] of Object.entries(methods)) {
    const lines = predictions.flatMap(({ protein, term, score }, w) =>
      protein.map((p, i) => `${names[w][p]}\t${data.graph.termIds[term[i]]}\t${score[i]}\n`),
    );
    writeFileSync(join(folder, 'predictions', `${method}.tsv`), lines.join(''));
    for (const cell of evaluate(data, test, predictions)) {
      const { category, aspect, proteins } = cell;
      const [fmax, fMicroW] = ['fmax', 'f_micro_w'].map((figure) => figureOf(cell, figure));
      figures.push({ method, category, aspect, proteins, fmax, f_micro_w: fMicroW });
    }
  }
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(figures, null, 1)}\n`);
}

async function neighboursAmong({ proteins }, targets) {
  return {
    aligned: alignmentNeighbours(proteins, targets),
    near: await distanceNeighbours(proteins, targets),
  };
}

/**
 * Makes data in which every `step`-th protein of the example set loses experimental annotations: all, those of one aspect, or half of one
 * aspect.
 */
async function exampleData() {
  const file = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url));
  const columns = ontologyColumns(parseObo(gunzipSync(file('go-basic-2022-07-01.obo.gz')).toString()));
  const graph = new OntologyGraph(columns);
  const proteins = parseFasta(gunzipSync(file('reference.fasta.gz'))).map(({ accession, sequence }) => {
    return { accession, sequence, organism: 'human' };
  });
  const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
  const rows = [];
  for await (const { records } of readGaf([gunzipSync(file('reference.gaf.gz'))]))
    for (const { accession, goId, evidenceCode, dbReference, negated } of records) {
      const protein = numberOf.get(accession);
      if (protein === undefined) continue;
      rows.push({ protein, term: graph.liveIndexOf(goId), evidenceCode, dbReference, negated });
    }
  const step = 100;
  const aspectOf = ({ term }) => graph.aspects[term];
  const isHidden = (row, i) => {
    if (row.protein % step !== 0 || row.negated || !experimentalEvidence.includes(row.evidenceCode))
      return false;
    const way = (row.protein / step) % 3;
    return way === 0 || (way === 1 ? aspectOf(row) === 'P' : i % 2 === 0);
  };
  const before = rows.filter((row, i) => !isHidden(row, i));
  const annotations = async (date) => (date === 'before' ? before : rows);
  return { columns, graph, proteins, numberOf, annotations, organisms: ['human'] };
}

async function exportExample(to) {
  const data = await exampleData();
  const window = {
    name: 'example',
    organism: 'human',
    before: 'before',
    after: 'after',
    experimental: new Set(experimentalEvidence),
  };
  const opened = [await openWindow(data, window)];
  const neighbours = await neighboursAmong(data, [...opened[0].targets]);
  const modelsOf = () => readModels(shippedModels);
  const all = tableMethods(data, neighbours, { modelsOf, golden: false, hits: null });
  const methods = { combined: all['**combined**'], bare: all['*bare sequence*'] };
  exportFrame(to, data, { opened, methods });
}

/** Returns the name of a method's file; the tables write some names in Markdown. */
const fileName = (method) => method.replaceAll('*', '').replaceAll(/[^A-Za-z]+/g, '-');

function exportFrame(folder, data, { opened, methods }) {
  const ontology = linkOntology(data.columns);
  const accretion = accretionOf(data, ontology, opened[0]);
  writeFrame(folder, data, {
    opened,
    weights: accretion,
    test: { frames: framesOf(data, ontology, opened, accretion.weights), opened },
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        fileName(name),
        opened.map((one) => rounded(method(one))),
      ]),
    ),
  });
}

/** Returns some targets of each category and aspect, from the whole list. */
function fewOfEachCell({ graph }, { holdout }, most) {
  const kept = new Set();
  for (const category of categories)
    for (const aspect of aspects) {
      const { protein, term } = holdout.truth[category];
      const ofCell = new Set(protein.filter((_, i) => graph.aspects[term[i]] === aspect));
      const step = Math.ceil(ofCell.size / most);
      [...ofCell].forEach((target, i) => {
        if (i % step === 0) kept.add(target);
      });
    }
  return Int32Array.from(kept).sort();
}

async function exportTables({ to, shared, out, models, thin }) {
  const data = openData(join(shared, 'data'));
  const hits = out === undefined ? null : blastpHits(data, out);
  const modelsOf = (window) =>
    models === undefined ? readModels(shippedModels) : readModels(models, foldOf(window));
  const windowsOf = new Map();
  for (const { name, before } of tables) {
    const opened = [];
    for (const window of windows.filter((one) => one.before === before)) {
      const whole = await openWindow(data, window);
      opened.push(thin === undefined ? whole : limitedTo(whole, fewOfEachCell(data, whole, Number(thin))));
    }
    windowsOf.set(name, opened);
  }
  const targets = new Set([...windowsOf.values()].flat().flatMap((one) => [...one.targets]));
  const neighbours =
    out === undefined ? await neighboursAmong(data, [...targets]) : await neighboursOf(data, out);
  for (const { name, golden = false } of tables) {
    const methods = tableMethods(data, neighbours, { modelsOf, shared, golden, hits });
    exportFrame(join(to, name), data, { opened: windowsOf.get(name), methods });
    process.stderr.write(`${name}\n`);
  }
}

const { values: options } = parseArgs({
  options: {
    example: { type: 'boolean', default: false },
    ...Object.fromEntries(
      ['to', 'shared', 'out', 'models', 'thin'].map((name) => [name, { type: 'string' }]),
    ),
  },
});
const { to, example, shared, out, models, thin } = options;
if (!to || !(example || (shared && (thin || (out && models))))) {
  console.error(
    'usage: node training/combined/export-frames.mjs --to <folder> (--example | --shared <folder> (--thin <number> | --out <folder> --models <folder>))',
  );
  process.exit(64);
}
if (example) await exportExample(join(to, 'example'));
else await exportTables(options);
