// Measures answers where nothing is similar, by the rule of README.md: what the networks see in noise, in families that they never saw, and
// in human proteins, each without a relative in the reference.
//
//   node training/network/orphans.mjs --shared <folder> --data <folder of make-data.sh> --out <folder>
//
// --out keeps what takes minutes: lists of queries without a relative, and the networks' probabilities.
import { Random } from '@kindred/kernels/arrays';
import { readGaf, parseFasta } from '@kindred/kernels/formats';
import { checkRelatives, checkSequence } from '@kindred/kernels/query-check';
import { aspects, evidenceGroups } from '@kindred/kernels/vocabulary';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { nearestRelatives, relativesAmong } from '../combined/neighbours.mjs';
import { openWindow } from '../combined/window-reference.mjs';
import { windows } from '../combined/windows.mjs';
import { drawn, pick, shuffled, shuffledByPairs, wrongFrame } from '../combined/nonsense-sequences.mjs';
import { readSequences } from './ask.mjs';

const examples = resolve(import.meta.dirname, '../../examples');
const perKind = 800;
const vectorLength = 512;

/** Returns what `make` gives, from the file if it was made before. */
export async function kept(path, make) {
  if (!existsSync(path)) writeFileSync(path, JSON.stringify(await make()));
  return JSON.parse(readFileSync(path, 'utf8'));
}

/**
 * Returns the answers of a network to sequences, from the file if they were computed before: for each a Float32 array, all 0 for a sequence
 * that is too short.
 *
 * @param part `probabilities` or `vector`
 */
export function keptAnswers(path, network, sequences, part = 'probabilities') {
  const length = part === 'vector' ? vectorLength : network.vocabulary.length;
  if (!existsSync(path)) {
    const all = new Float32Array(sequences.length * length);
    network.ask(sequences, part).forEach((answer, i) => answer && all.set(answer, i * length));
    writeFileSync(path, new Uint8Array(all.buffer));
  }
  const bytes = readFileSync(path);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return sequences.map((_, i) => all.subarray(i * length, (i + 1) * length));
}

/** Makes the noise that the floors are learnt on; the sequences that the product refuses by themselves are left out. */
export function noise(proteins) {
  const random = new Random(101);
  const some = (make) => Array.from({ length: perKind }, () => make(pick(proteins, random)));
  const kinds = {
    drawn: some(({ length }) => drawn(length, random)),
    reversed: some((protein) => [...protein].reverse().join('')),
    shuffled: some((protein) => shuffled(protein, random)),
    'shuffled by pairs': some((protein) => shuffledByPairs(protein, random)),
    'wrong frames': some((protein) => wrongFrame(protein, random)),
  };
  return Object.entries(kinds)
    .flatMap(([kind, sequences]) => sequences.map((sequence) => ({ kind, sequence })))
    .filter(({ sequence }) => checkSequence(sequence) === null);
}

/** Returns the places of the sequences that the product refuses for want of a relative, and no other reason. */
export function withoutRelatives(proteins, sequences, excluded) {
  const found = nearestRelatives(proteins, sequences, excluded);
  return [...sequences.keys()].filter(
    (i) => checkSequence(sequences[i]) === null && checkRelatives(found[i]) !== null,
  );
}

/** Numbers the families of sequences: those that are relatives of each other, directly or by others, have one number. */
export function familiesOf(sequences) {
  const proteins = sequences.map((sequence) => ({ sequence }));
  const family = [...sequences.keys()];
  const root = (i) => {
    while (family[i] !== i) i = family[i];
    return i;
  };
  relativesAmong(proteins, sequences, [...sequences.keys()]).forEach((hits, i) => {
    for (const { reference, logEValue } of hits)
      if (checkRelatives(logEValue) === null)
        family[Math.max(root(i), root(reference))] = Math.min(root(i), root(reference));
  });
  return sequences.map((_, i) => root(i));
}

/** Opens the starter reference: its proteins, and how frequent terms are in it by experiment. */
export async function openStarter(graph) {
  const folder = join(examples, 'starter');
  const unpacked = (name) => brotliDecompressSync(readFileSync(join(folder, name)));
  const proteins = ['organisms', 'families'].flatMap((name) => parseFasta(unpacked(`${name}.fasta.br`)));
  const closure = graph.ancestorClosure();
  const experimental = new Set(evidenceGroups.experimental);
  const termsOf = new Map();
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.gaf.br')))
    for await (const { records } of readGaf([unpacked(name)]))
      for (const { accession, goId, evidenceCode, negated } of records) {
        const term = graph.liveIndexOf(goId);
        if (negated || term < 0 || !experimental.has(evidenceCode)) continue;
        if (!termsOf.has(accession)) termsOf.set(accession, new Set());
        addWithAncestors(termsOf.get(accession), term, closure);
      }
  const aspect = aspectsOf(graph);
  const carriers = new Int32Array(graph.size);
  const speakers = new Int32Array(aspects.length);
  for (const terms of termsOf.values()) {
    const spoken = new Set();
    for (const term of terms) {
      carriers[term]++;
      spoken.add(aspect[term]);
    }
    for (const a of spoken) speakers[a]++;
  }
  return { proteins, frequencies: { carriers, speakers } };
}

/** Adds a term and what is above it, the roots left out. */
export function addWithAncestors(set, term, { start, terms }) {
  for (let at = start[term]; at < start[term + 1]; at++)
    if (start[terms[at] + 1] - start[terms[at]] > 1) set.add(terms[at]);
}

export const aspectsOf = (graph) =>
  Uint8Array.from(graph.aspects, (name) => (name === null ? 255 : aspects.indexOf(name)));

/** Reads the validation families of the shipped network that have no relative in the starter reference, with Swiss-Prot's terms. */
export async function validationOrphans({ data, out, graph, starter }) {
  const swissprot = readSequences(join(data, 'swissprot.fasta'));
  const names = readFileSync(resolve(import.meta.dirname, '../../models/network/validation.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  const place = new Map(starter.proteins.map(({ accession }, i) => [accession, i]));
  const lone = await kept(join(out, 'validation-orphans.json'), () => {
    const sequences = names.map((name) => swissprot.get(name));
    const excluded = names.map((name) => place.get(name) ?? -1);
    return withoutRelatives(starter.proteins, sequences, excluded).map((i) => names[i]);
  });
  const wanted = new Set(lone);
  const closure = graph.ancestorClosure();
  const termsOf = new Map(lone.map((name) => [name, new Set()]));
  const table = readFileSync(join(data, 'swissprot-go.tsv'), 'utf8');
  for (const line of table.split('\n')) {
    const [accession, goId] = line.split('\t', 2);
    if (!wanted.has(accession)) continue;
    const term = graph.liveIndexOf(goId);
    if (term >= 0) addWithAncestors(termsOf.get(accession), term, closure);
  }
  return {
    swissprot,
    asked: names.length,
    names: lone,
    sequences: lone.map((name) => swissprot.get(name)),
    termsOf,
  };
}

/** Returns the targets of the windows that have no relative among all other proteins of their organisms. */
export async function windowOrphans(data, out) {
  return kept(join(out, 'windows-orphans.json'), async () => {
    const all = new Set();
    for (const window of windows)
      for (const target of (await openWindow(data, window)).targets) all.add(target);
    const targets = [...all].sort((a, b) => a - b);
    const sequences = targets.map((target) => data.proteins[target].sequence);
    return withoutRelatives(data.proteins, sequences, targets).map((i) => targets[i]);
  });
}
