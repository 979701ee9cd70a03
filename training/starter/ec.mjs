// Measures EC numbers that similar proteins have, for docs/explanation/accuracy.md: E. coli K-12 against all of Swiss-Prot 2014-01 without
// proteins that are 95 % or more identical. A protein has the complete EC numbers of its terms that none of its other terms implies.
//   node training/starter/ec.mjs SHARED WORK
// SHARED is the folder of the shared data, and WORK that of make.mjs. The script needs mmseqs (mmseqs2).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { crossReferencesOf, numbersIn } from '@kindred/kernels/cross-references';
import { readExternal2Go } from '@kindred/kernels/formats';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { databases, examples } from './sample.mjs';

const [shared, work] = process.argv.slice(2);
if (work === undefined) throw new Error('usage: ec.mjs SHARED WORK');
const mostSources = 5;
const nearShare = 0.7;
const experiments = new Set(['EXP', 'IDA', 'IPI', 'IMP', 'IGI', 'IEP']);
/** Each limit has the agreement, the least identity and share of the nearest source, and the least number of sources that agree. */
const limits = [
  [2 / 3, 0.3, 0.3, 1],
  [2 / 3, 0.5, 0.5, 1],
  [2 / 3, 0.7, 0.7, 1],
  [1, 0.8, 0.7, 2],
  [1, 0.9, 0.3, 3],
];

const unpacked = (...path) => gunzipSync(readFileSync(join(...path))).toString();
const complete = (text) => numbersIn(text ?? null).filter((number) => /^\d+\.\d+\.\d+\.\d+$/.test(number));

async function numbersOfTerms() {
  const records = [];
  const bytes = gunzipSync(readFileSync(join(examples, 'go-cross-references-2019-01-27.txt.gz')));
  for await (const batch of readExternal2Go([bytes])) records.push(...batch.records);
  const references = crossReferencesOf(records);
  return (goId) => complete(references.get(goId)?.ec_numbers);
}

/** Finds similar proteins, the nearest first, with the score as a share of the query's score with itself. */
function similarProteins(fasta) {
  const result = join(work, 'ec-sp.tsv');
  const itself = join(work, 'ec-self.tsv');
  if (!existsSync(result) || !existsSync(itself)) search(fasta, result, itself);
  const rowsOf = (path) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
  const own = new Map(
    rowsOf(itself).flatMap(([query, target, , bits]) => (query === target ? [[query, Number(bits)]] : [])),
  );
  const found = new Map([...own.keys()].map((query) => [query, []]));
  for (const [query, accession, identity, bits] of rowsOf(result))
    if (Number(identity) < 0.95 && own.has(query))
      found.get(query).push({ accession, identity: Number(identity), share: Number(bits) / own.get(query) });
  for (const sources of found.values()) sources.sort((a, b) => b.share - a.share);
  return found;
}

function search(fasta, result, itself) {
  const queries = join(work, 'ec.fasta');
  const targets = join(work, 'sp.fasta');
  writeFileSync(queries, fasta);
  const sequences = new Map();
  for (const name of Object.keys(databases))
    for (const line of readFileSync(join(work, `swissprot-${name}.txt`), 'latin1')
      .split('\n')
      .filter(Boolean))
      sequences.set(line.slice(0, line.indexOf('|')), line.slice(line.lastIndexOf(' ') + 1));
  writeFileSync(targets, [...sequences].map(([accession, text]) => `>${accession}\n${text}\n`).join(''));
  const columns = ['-e', '1e-5', '--format-output', 'query,target,fident,bits,qcov', '-v', '1'];
  const find = (...args) =>
    execFileSync('mmseqs', ['easy-search', queries, ...args, ...columns], { stdio: ['ignore', 2, 2] });
  find(targets, result, join(work, 'mmseqs-ec'), '-s', '4', '--max-seqs', '600');
  find(queries, itself, join(work, 'mmseqs-self'), '-s', '1', '--max-seqs', '20');
}

/** Gives the EC numbers that GOA of November 2022 names, and those of terms with an experiment. */
function truthOf(numbersOf) {
  const truth = new Map();
  for (const line of unpacked(shared, 'ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz').split('\n')) {
    const [, accession, , qualifier = '', goId, reference, code, withFrom] = line.split('\t');
    if (line.startsWith('!') || line === '' || qualifier.includes('NOT')) continue;
    const own = truth.get(accession) ?? new Set();
    truth.set(accession, own);
    if (reference === 'GO_REF:0000003')
      for (const [, number] of withFrom.matchAll(/EC:(\d+\.\d+\.\d+\.\d+)/g)) own.add(number);
    if (experiments.has(code)) for (const number of numbersOf(goId)) own.add(number);
  }
  return truth;
}

function numbersOfProteins(wanted, numbersOf) {
  const parsed = parseObo(unpacked(examples, 'go-basic-2022-07-01.obo.gz'));
  const graph = new OntologyGraph(ontologyColumns(parsed));
  const found = new Map();
  const file = join(work, 'md/usr/share/metastudent-data/dataset_201401/MFO/goasp_annot.dat');
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [accession, ...goIds] = line.trim().split(/\s+/);
    if (!wanted.has(accession)) continue;
    const terms = new Map(goIds.map((goId) => [graph.liveIndexOf(goId), goId]));
    terms.delete(-1);
    const leaves = graph.leavesOnly([...terms.keys()]);
    found.set(accession, new Set([...leaves].flatMap((term) => numbersOf(terms.get(term)))));
  }
  return found;
}

function predicted(sources, numbers, [agreement, identity, share, least]) {
  const near = sources.filter((one) => one.share >= nearShare * sources[0].share).slice(0, mostSources);
  const weight = (list) => list.reduce((sum, one) => sum + one.share, 0);
  const having = (number) => near.filter(({ accession }) => numbers.get(accession)?.has(number));
  const all = new Set(near.flatMap(({ accession }) => [...(numbers.get(accession) ?? [])]));
  return [...all].filter((number) => {
    const same = having(number);
    const [nearest] = same;
    return (
      same.length >= least &&
      weight(same) >= agreement * weight(near) &&
      nearest.identity >= identity &&
      nearest.share >= share
    );
  });
}

const numbersOf = await numbersOfTerms();
const fasta = unpacked(shared, 'ecoli-k12', 'UP000000625_83333.fasta.gz').replaceAll(
  /^>sp\|([^|]*)\|.*/gm,
  '>$1',
);
const similar = similarProteins(fasta);
const numbers = numbersOfProteins(
  new Set([...similar.values()].flat().map(({ accession }) => accession)),
  numbersOf,
);
const truth = truthOf(numbersOf);
const halfOf = (accession) =>
  Number.parseInt(createHash('sha256').update(`ec${accession}`).digest('hex').slice(0, 2), 16) % 2;
console.log('| agreement, identity, share, sources | half | precision | recall |\n| --- | --- | --- | --- |');
for (const limit of limits)
  for (const half of [0, 1]) {
    let [right, said, all] = [0, 0, 0];
    for (const [accession, sources] of similar) {
      if (halfOf(accession) !== half) continue;
      const own = truth.get(accession) ?? new Set();
      const given = predicted(sources, numbers, limit);
      right += given.filter((number) => own.has(number)).length;
      said += given.length;
      all += own.size;
    }
    const share = (part, whole) => `${(part / whole).toFixed(3)} (${part} of ${whole})`;
    const text = limit.map((value) => Number(value.toPrecision(2))).join(', ');
    console.log(`| ${text} | ${half} | ${share(right, said)} | ${share(right, all)} |`);
  }
