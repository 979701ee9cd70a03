// Counts how many meaningless queries get no answer, and how many real ones get one, with the kernels by which the product decides to
// give no answer.
//
//   node training/combined/nonsense.mjs --shared <folder> --out <folder>
//   node training/combined/nonsense.mjs --shared <folder> --fasta <file>     writes the queries alone, to ask a service
import { encodeResidues } from '@kindred/kernels/alignment';
import { Random } from '@kindred/kernels/arrays';
import { compositionCorrection, correctedLogEValue } from '@kindred/kernels/homology';
import { checkRelatives, checkSequence, withoutLowComplexity } from '@kindred/kernels/query-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { neighboursOf } from './features.mjs';
import { relativesAmong } from './neighbours.mjs';
import { openData } from './windows.mjs';

const perKind = 200;
const random = new Random(2);
const pick = (list) => list[random.integer(list.length)];
const residues = 'ACDEFGHIKLMNPQRSTVWY';

/**
 * Makes a sequence with the same first and last residue and the same pairs of neighbours in another order, by an Euler walk of its pairs.
 */
function shuffledByPairs(sequence) {
  const edges = new Map();
  for (let i = 0; i + 1 < sequence.length; i++) {
    if (!edges.has(sequence[i])) edges.set(sequence[i], []);
    edges.get(sequence[i]).push(sequence[i + 1]);
  }
  const last = sequence.at(-1);
  for (;;) {
    // The walk is valid only if, for every residue except the last one, the path of last edges ends at the last residue.
    const finals = new Map();
    for (const [from, to] of edges) if (from !== last) finals.set(from, random.integer(to.length));
    const reaches = (from) => {
      const seen = new Set();
      for (let at = from; at !== last; at = edges.get(at)[finals.get(at)]) {
        if (seen.has(at)) return false;
        seen.add(at);
      }
      return true;
    };
    if (![...finals.keys()].every(reaches)) continue;
    const order = new Map();
    for (const [from, to] of edges) {
      const final = finals.has(from) ? to[finals.get(from)] : null;
      const others = to.filter((_, i) => i !== finals.get(from));
      for (let i = others.length - 1; i > 0; i--) {
        const j = random.integer(i + 1);
        [others[i], others[j]] = [others[j], others[i]];
      }
      order.set(from, final === null ? others : [...others, final]);
    }
    const next = new Map([...edges.keys()].map((from) => [from, 0]));
    let walk = sequence[0];
    while (walk.length < sequence.length) {
      const at = walk.at(-1);
      const place = next.get(at);
      next.set(at, place + 1);
      walk += order.get(at)[place];
    }
    return walk;
  }
}

const bases = 'TCAG';
const code = 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG';
const codonsOf = new Map();
[...code].forEach((residue, i) => {
  const codon = bases[i >> 4] + bases[(i >> 2) & 3] + bases[i & 3];
  codonsOf.set(residue, [...(codonsOf.get(residue) ?? []), codon]);
});

/** Returns one of the five reading frames of a gene that are not its own, without stops. */
function wrongFrame(sequence) {
  let dna = [...sequence].map((residue) => pick(codonsOf.get(residue) ?? ['NNN'])).join('');
  const frame = 1 + random.integer(5);
  if (frame > 2)
    dna = [...dna]
      .reverse()
      .map((base) => ({ A: 'T', T: 'A', C: 'G', G: 'C' })[base] ?? 'N')
      .join('');
  let protein = '';
  for (let i = frame % 3; i + 3 <= dna.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => bases.indexOf(dna[i + j]));
    const residue = a < 0 || b < 0 || c < 0 ? 'X' : code[a * 16 + b * 4 + c];
    if (residue !== '*') protein += residue;
  }
  return protein;
}

const { values: options } = parseArgs({
  options: { shared: { type: 'string' }, out: { type: 'string' }, fasta: { type: 'string' } },
});
const data = openData(join(options.shared, 'data'));
const some = (make) => Array.from({ length: perKind }, make);
const proteins = data.proteins.filter(({ sequence }) => sequence.length >= 60 && sequence.length <= 1000);
const kinds = {
  'only X': some(() => 'X'.repeat(5 + random.integer(300))),
  'one residue': some(() => pick(residues).repeat(5 + random.integer(300))),
  '3 to 10 residues': some(() =>
    Array.from({ length: 3 + random.integer(8) }, () => pick(residues)).join(''),
  ),
  DNA: some(() => Array.from({ length: 60 + random.integer(900) }, () => pick('ACGT')).join('')),
  'wrong frames of genes': some(() => wrongFrame(pick(proteins).sequence)),
  'proteins shuffled by pairs': some(() => shuffledByPairs(pick(proteins).sequence)),
};
if (options.fasta !== undefined) {
  const records = Object.values(kinds).flatMap((sequences, kind) =>
    sequences.map((sequence, i) => `>nonsense_${kind}_${i}\n${sequence}\n`),
  );
  writeFileSync(options.fasta, records.join(''));
  process.exit(0);
}
const space = {
  residues: data.proteins.reduce((sum, { sequence }) => sum + sequence.length, 0),
  sequences: data.proteins.length,
};
/** The number of relatives that the product aligns with the correction for composition. */
const correctedRelatives = 4;

/** The E-value of the nearest relative of each sequence without its low-complexity regions, or else with the correction for composition. */
function nearestRelatives(sequences, excluded) {
  const masked = relativesAmong(data.proteins, sequences.map(withoutLowComplexity), excluded);
  const best = masked.map((hits) => hits[0]?.logEValue ?? Number.POSITIVE_INFINITY);
  const open = [...sequences.keys()].filter((i) => checkRelatives(best[i]) !== null);
  const whole = relativesAmong(
    data.proteins,
    open.map((i) => sequences[i]),
    excluded && open.map((i) => excluded[i]),
  );
  open.forEach((i, at) => {
    const query = encodeResidues(sequences[i]);
    const correction = compositionCorrection(query);
    const near = whole[at].filter(({ logEValue }) => checkRelatives(logEValue) === null);
    for (const { reference } of near.slice(0, correctedRelatives)) {
      const target = encodeResidues(data.proteins[reference].sequence);
      best[i] = Math.min(best[i], correctedLogEValue(query, target, { correction, space }));
    }
  });
  return best;
}

const neighbours = await neighboursOf(data, options.out);
console.log('| queries | no answer | by reason |\n|---|---|---|');
for (const [kind, sequences] of Object.entries(kinds)) {
  const reasons = sequences.map(checkSequence);
  const asked = sequences.filter((_, i) => reasons[i] === null);
  const found = nearestRelatives(asked);
  let at = 0;
  const all = reasons.map((reason) => reason ?? checkRelatives(found[at++]));
  const counts = {};
  for (const reason of all) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  const refused = all.filter((reason) => reason !== null).length;
  console.log(
    `| ${kind} (${sequences.length}) | ${refused} | ${Object.entries(counts)
      .map(([reason, n]) => `${reason} ${n}`)
      .join(', ')} |`,
  );
}
const targets = [...neighbours.aligned].filter((_, i) => i % 6 === 0);
const similar = targets.filter(([, hits]) =>
  hits.some(({ identity, share }) => identity > 0.3 && share > 0.2),
);
for (const [name, some] of [
  ['real proteins with a relative above 30 % identity and a fifth of their own score', similar],
  ['every sixth target of the windows', targets],
]) {
  const numbers = some.map(([protein]) => protein);
  const sequences = numbers.map((protein) => data.proteins[protein].sequence);
  const found = nearestRelatives(sequences, numbers);
  const lost = found.filter(
    (logEValue, i) => checkSequence(sequences[i]) !== null || checkRelatives(logEValue) !== null,
  );
  console.log(`| ${name} (${some.length}) | ${lost.length} | |`);
}
