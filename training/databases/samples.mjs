// Scores the samples that the rates "in the databases" are learnt on: how often the protein's own annotation of any evidence, which the
// prediction does not see, names a term. docs/explanation/accuracy.md states the samples.
//
//   node training/databases/samples.mjs --starter <work folder of training/starter/make.mjs> --goa <folder> --out <folder>
//
// GOA of seven organisms of 2014 and 2019, with their sequences, is in the folder `goa`. Of each sample two files in `out`: columns of one
// row a call, and their description.
import { Random } from '@kindred/kernels/arrays';
import {
  CombinedFeatures,
  combinedScores,
  countedSources,
  isSimilarAt,
  relativesByAspect,
  UntrainedVotes,
  votesOfAllEvidence,
} from '@kindred/kernels/combined';
import { parseFasta, readGaf, readGpad } from '@kindred/kernels/formats';
import { checkSequence } from '@kindred/kernels/query-check';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { modelScores, readModels } from '../combined/methods.mjs';
import { keptRelatives } from '../combined/neighbours.mjs';
import { queryOf, referenceOf } from '../combined/window-reference.mjs';
import { graph, organisms, rowsOf, truthOf } from '../starter/rows.mjs';
import { otherProteins, sample, starterText, termsOf, testCount } from '../starter/sample.mjs';

const sampleSize = 1500;
const organismSeed = 20141012;
const dates = { 2014: '2014-10-12', 2019: '2019-01-14' };
/** Calls below it are not kept. */
const minimumScore = 0.01;
/** The densities of a reference: relatives more identical than this are left out of it. */
const densities = [1, 0.9, 0.6];
const models = join(import.meta.dirname, '..', '..', 'models', 'combined');

const { values: options } = parseArgs({
  options: { starter: { type: 'string' }, goa: { type: 'string' }, out: { type: 'string' } },
});
if (!options.starter || !options.goa || !options.out)
  throw new Error('usage: samples.mjs --starter FOLDER --goa FOLDER --out FOLDER');

const unpacked = (path) => gunzipSync(readFileSync(path));
const families = () => parseFasta(starterText('families.fasta'));
const familyRows = () => rowsOf(readGpad([Buffer.from(starterText('families.gpad'))]));

/** Everything that `referenceOf` reads, of one list of proteins and the rows of each organism. */
function dataOf(proteins, rowsByOrganism) {
  const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
  const numbered = (row) => ({
    protein: numberOf.get(row.accession),
    term: graph.liveIndexOf(row.goId),
    evidenceCode: row.evidenceCode,
    dbReference: row.dbReference,
    negated: row.negated,
  });
  const annotations = async (_date, organism) =>
    (rowsByOrganism.get(organism) ?? []).map(numbered).filter(({ protein }) => protein !== undefined);
  return { graph, proteins, numberOf, annotations, organisms: [...rowsByOrganism.keys()] };
}

/** Swiss-Prot proteins beside the starter reference, after those of its test. */
async function swissprot() {
  const others = otherProteins(options.starter);
  const chosen = sample(others, testCount, testCount + sampleSize);
  const terms = termsOf(options.starter, chosen);
  const queries = chosen.map((accession) => ({
    accession,
    sequence: others.get(accession),
    organism: 'query',
  }));
  const ours = parseFasta(starterText('organisms.fasta'));
  const rows = new Map([['query', []]]);
  const organismOf = new Map();
  for (const name of organisms) {
    rows.set(name, await rowsOf(readGaf([Buffer.from(starterText(`${name}.gaf`))])));
    for (const { accession } of rows.get(name)) organismOf.set(accession, name);
  }
  rows.set('families', await familyRows());
  const proteins = [
    ...queries,
    ...ours.map(({ accession, sequence }) => ({ accession, sequence, organism: organismOf.get(accession) })),
    ...families().map(({ accession, sequence }) => ({ accession, sequence, organism: 'families' })),
  ];
  const pairs = chosen.flatMap((accession, protein) =>
    [...terms.get(accession)].map((id) => ({ protein, term: graph.liveIndexOf(id) })),
  );
  const truth = truthOf(queries.length, {
    protein: pairs.map(({ protein }) => protein),
    term: pairs.map(({ term }) => term),
    negated: pairs.map(() => 0),
  });
  return {
    name: 'swissprot',
    data: dataOf(proteins, rows),
    count: queries.length,
    truth,
    sources: new Set(),
  };
}

const copied = new Set(['ISS', 'ISO', 'ISA', 'ISM', 'IBA', 'IEA']);

/** The proteins of the seven organisms, as they were in 2014, with the truth of 2019. */
async function sevenOrganisms() {
  const read = (date) =>
    Promise.all(
      organisms.map((name) =>
        rowsOf(readGaf([unpacked(join(options.goa, `${name}.${dates[date]}.gaf.gz`))])),
      ),
    );
  const [before, after] = [await read(2014), await read(2019)];
  const all = organisms.flatMap((organism) =>
    parseFasta(unpacked(join(options.goa, `${organism}.fasta.gz`)).toString()).map(
      ({ accession, sequence }) => ({ accession, sequence, organism }),
    ),
  );
  const codes = new Set(experimentalEvidence);
  const shown = (rows) =>
    rows.flatMap((row) => (codes.has(row.evidenceCode) && !row.negated ? [row.accession] : []));
  const sources = new Set(before.flatMap(shown));
  const annotated = new Set(
    after.flatMap((rows) => rows.flatMap((row) => (row.evidenceCode === 'ND' ? [] : [row.accession]))),
  );
  const random = new Random(organismSeed);
  const eligible = all.filter(({ accession }) => annotated.has(accession));
  const queries = eligible
    .map((protein) => [random.float(), protein])
    .sort(([a], [b]) => a - b)
    .slice(0, sampleSize)
    .map(([, protein]) => protein);
  const asked = new Set(queries.map(({ accession }) => accession));
  const proteins = [
    ...queries,
    ...all.filter(({ accession }) => sources.has(accession) && !asked.has(accession)),
    ...families().map(({ accession, sequence }) => ({ accession, sequence, organism: 'families' })),
  ];
  // Rows that were copied from a query protein alone repeat what is hidden.
  let echoes = 0;
  const isEcho = ({ accession, evidenceCode, withFrom }) => {
    const from = withFrom ?? '';
    const name = from.slice(from.indexOf(':') + 1);
    return copied.has(evidenceCode) && name !== accession && asked.has(name);
  };
  const kept = (rows) =>
    rows.filter((row) => {
      const isKept = sources.has(row.accession) || asked.has(row.accession);
      if (isKept && isEcho(row)) echoes++;
      return isKept && !isEcho(row);
    });
  const rows = new Map(organisms.map((name, i) => [name, kept(before[i])]));
  rows.set('families', await familyRows());
  const data = dataOf(proteins, rows);
  const later = after
    .flat()
    .filter((row) => asked.has(row.accession) && row.evidenceCode !== 'ND')
    .map((row) => ({ ...row, protein: data.numberOf.get(row.accession), term: graph.liveIndexOf(row.goId) }));
  const truth = truthOf(queries.length, {
    protein: later.map(({ protein }) => protein),
    term: later.map(({ term }) => term),
    negated: later.map(({ negated }) => Number(negated)),
  });
  console.log(`seven organisms: ${echoes} rows copied from a query left out`);
  return { name: 'organisms', data, count: queries.length, truth, sources };
}

const columnNames = [
  ...['protein', 'term', 'bare', 'score', 'held', 'aligned', 'nearest', 'unrecorded'],
  ...['own', 'right'],
];

/** The query without the relatives that are more identical than `most`. */
function thinned(query, most, identityOf) {
  const { aligned, near } = query;
  const keep = (references) =>
    [...references.keys()].filter((i) => (identityOf.get(references[i]) ?? 0) <= most);
  const pick = (columns, places) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [
        name,
        values.constructor.from(places, (i) => values[i]),
      ]),
    );
  return {
    ...query,
    aligned: pick(aligned, keep(aligned.reference)),
    near: pick(near, keep(near.reference)),
  };
}

/** Terms that a relative by alignment or by distance has. */
function donatedBy({ aligned, near, self }, { annotated }) {
  const donated = new Set();
  for (const source of [...aligned.reference, ...near.reference])
    if (source !== self)
      for (let at = annotated.start[source]; at < annotated.start[source + 1]; at++)
        donated.add(annotated.terms[at]);
  return donated;
}

const asMap = ({ term, score }) => new Map(Array.from(term, (one, i) => [one, score[i]]));

/** Scores a query in the ways that are tried: as the product does, and by votes of all evidence. */
function scorerOf(reference) {
  const votes = new UntrainedVotes(reference);
  const features = new CombinedFeatures(reference);
  const boosters = readModels(models);
  const closure = graph.ancestorClosure();
  const scratch = new Int32Array(graph.size).fill(-1);
  const product = (query) =>
    query.own === null
      ? votes.score(query)
      : combinedScores(
          modelScores(features.describe(query), boosters),
          votes.score(query, { by: 'alignment', withOwn: true }),
          query.own,
          { closure, scratch },
        );
  return (query) => [
    asMap(product(query)),
    asMap(votes.score(query, votesOfAllEvidence)),
    asMap(votes.score(query, { ...votesOfAllEvidence, by: 'alignment' })),
  ];
}

/** The calls of a query, each a row of the columns. */
function* callsOf(query, scores, { reference, truth, protein }) {
  const own = new Set(query.own?.terms ?? []);
  const donated = donatedBy(query, reference);
  const relatives = relativesByAspect(query, reference);
  for (const term of new Set(scores.flatMap((of) => [...of.keys()]))) {
    if (!donated.has(term) && !own.has(term)) continue;
    const values = scores.map((of) => of.get(term) ?? 0);
    if (Math.max(...values) < minimumScore) continue;
    const { nearest, unrecorded } = relatives[reference.aspect[term]];
    yield [
      ...[protein, term, Number(query.own === null), ...values, nearest, unrecorded],
      ...[Number(own.has(term)), Number(truth.has(term))],
    ];
  }
}

/** The queries that a protein is asked as: bare and, where the reference knows it, known; of each density. */
function* queriesOf(protein, { opened, neighbours, isKnown }) {
  const identityOf = new Map();
  for (const { reference: source, identity } of neighbours.aligned.get(protein))
    identityOf.set(source, Math.max(identity, identityOf.get(source) ?? 0));
  for (const bare of isKnown ? [true, false] : [true])
    for (const most of densities) {
      const thin = thinned(queryOf(opened, neighbours, protein, { bare }), most, identityOf);
      const query = { ...thin, ...countedSources(thin, opened.reference.speaks) };
      if (!bare || query.aligned.logEValue.some(isSimilarAt)) yield query;
    }
}

async function score({ name, data, count, truth, sources }) {
  const reference = await referenceOf(data, 0, false);
  const numbers = Array.from({ length: count }, (_, i) => i);
  const neighbours = await keptRelatives(data, { out: options.out, prefix: `${name}-` }, () => numbers);
  const isKnown = (protein) => sources.has(data.proteins[protein].accession);
  // Proteins of the sample without an experiment of 2014 are no part of the reference.
  const speaks = Uint8Array.from(reference.speaks, (bits, p) => (p < count && !isKnown(p) ? 0 : bits));
  const opened = { reference: { ...reference, speaks } };
  const scoresOf = scorerOf(reference);
  const columns = Object.fromEntries(columnNames.map((column) => [column, []]));
  let queries = 0;
  for (const protein of numbers) {
    if (protein % 100 === 0) process.stderr.write(`\r${name} ${protein}`);
    if (checkSequence(data.proteins[protein].sequence) !== null) continue;
    for (const query of queriesOf(protein, { opened, neighbours, isKnown: isKnown(protein) })) {
      queries++;
      for (const row of callsOf(query, scoresOf(query), { reference, truth: truth[protein], protein }))
        columnNames.forEach((column, i) => columns[column].push(row[i]));
    }
  }
  process.stderr.write('\n');
  const rows = columns.protein.length;
  const bytes = Buffer.concat(
    columnNames.map((column) => Buffer.from(Float32Array.from(columns[column]).buffer)),
  );
  writeFileSync(join(options.out, `${name}.calls.f32`), bytes);
  const about = { columns: columnNames, rows, aspect: [...reference.aspect] };
  writeFileSync(join(options.out, `${name}.calls.json`), JSON.stringify(about));
  console.log(`${name}: ${queries} queries, ${rows} calls`);
}

mkdirSync(options.out, { recursive: true });
for (const make of [swissprot, sevenOrganisms]) await score(await make());
