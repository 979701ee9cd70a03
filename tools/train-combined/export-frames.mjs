// Writes the frames of the tables as files of CAFA's evaluator, with our own figures of them, to compare them with those of
// the evaluator (cafaeval_figures.py).
//
//   node tools/train-combined/export-frames.mjs --to <folder> --shared <folder> --out <folder> --models <folder>
//   node tools/train-combined/export-frames.mjs --to <folder> --example
//
// Of each frame: <frame>/truth_<category>.tsv, known.tsv, IA.tsv, predictions/<method>.tsv, figures.json. --example makes
// the small frame of the tests: proteins of the example set, of which some annotations are hidden.
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
import { combined, describe, readModels, votes } from './methods.mjs';
import { alignmentNeighbours, distanceNeighbours } from './neighbours.mjs';
import { accretionOf, openWindow } from './window-reference.mjs';
import { categories, openData, tables, windows } from './windows.mjs';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';

/** Scores below the lowest threshold of an evaluation do not matter. */
const leastScore = 0.005;

/** Rows as the evaluator gets them: three digits, as in a CAFA file. */
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

/** Every `step`-th protein of the example set loses experimental annotations: all, those of one aspect, or half of one aspect. */
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
  const opened = await openWindow(data, window);
  const neighbours = {
    aligned: alignmentNeighbours(data.proteins, opened.targets),
    near: await distanceNeighbours(data.proteins, opened.targets),
  };
  const models = readModels(new URL('../../models/combined', import.meta.url).pathname);
  exportFrame(to, data, { opened: [opened], neighbours, modelsOf: () => models });
}

function exportFrame(folder, data, { opened, neighbours, modelsOf }) {
  const ontology = linkOntology(data.columns);
  const accretion = accretionOf(data, ontology, opened[0]);
  const predict = (method) => opened.map((one) => rounded(method(one)));
  writeFrame(folder, data, {
    opened,
    weights: accretion,
    test: { frames: framesOf(data, ontology, opened, accretion.weights), opened },
    methods: {
      combined: predict((one) =>
        combined(data, one, neighbours, { described: describe(one, neighbours), models: modelsOf(one) }),
      ),
      bare: predict((one) => votes(one, neighbours, {})),
    },
  });
}

const { values: options } = parseArgs({
  options: {
    to: { type: 'string' },
    example: { type: 'boolean', default: false },
    ...Object.fromEntries(['shared', 'out', 'models'].map((name) => [name, { type: 'string' }])),
  },
});
if (!options.to || !(options.example || (options.shared && options.out && options.models))) {
  console.error(
    'usage: node tools/train-combined/export-frames.mjs --to <folder> (--example | --shared <folder> --out <folder> --models <folder>)',
  );
  process.exit(64);
}
if (options.example) await exportExample(join(options.to, 'example'));
else {
  const data = openData(join(options.shared, 'data'));
  const neighbours = await neighboursOf(data, options.out);
  for (const { name, before } of tables) {
    const opened = [];
    for (const window of windows.filter((one) => one.before === before))
      opened.push(await openWindow(data, window));
    const modelsOf = ({ window }) => readModels(options.models, window.organism);
    exportFrame(join(options.to, name), data, { opened, neighbours, modelsOf });
    process.stderr.write(`${name}\n`);
  }
}
