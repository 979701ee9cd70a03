// Counts how many meaningless queries get no answer, and how many real ones get one, with the kernels by which the product decides to
// give no answer.
//
//   node training/combined/nonsense.mjs --shared <folder> --out <folder>
//   node training/combined/nonsense.mjs --shared <folder> --fasta <file>     writes the queries alone, to ask a service
import { Random } from '@kindred/kernels/arrays';
import { checkRelatives, checkSequence } from '@kindred/kernels/query-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { neighboursOf } from './features.mjs';
import { nearestRelatives } from './neighbours.mjs';
import { pick, residues, shuffledByPairs, wrongFrame } from './nonsense-sequences.mjs';
import { openData } from './windows.mjs';

const perKind = 200;
const random = new Random(2);

const { values: options } = parseArgs({
  options: { shared: { type: 'string' }, out: { type: 'string' }, fasta: { type: 'string' } },
});
const data = openData(join(options.shared, 'data'));
const some = (make) => Array.from({ length: perKind }, make);
const proteins = data.proteins.filter(({ sequence }) => sequence.length >= 60 && sequence.length <= 1000);
const kinds = {
  'only X': some(() => 'X'.repeat(5 + random.integer(300))),
  'one residue': some(() => pick(residues, random).repeat(5 + random.integer(300))),
  '3 to 10 residues': some(() =>
    Array.from({ length: 3 + random.integer(8) }, () => pick(residues, random)).join(''),
  ),
  DNA: some(() => Array.from({ length: 60 + random.integer(900) }, () => pick('ACGT', random)).join('')),
  'wrong frames of genes': some(() => wrongFrame(pick(proteins, random).sequence, random)),
  'proteins shuffled by pairs': some(() => shuffledByPairs(pick(proteins, random).sequence, random)),
};
if (options.fasta !== undefined) {
  const records = Object.values(kinds).flatMap((sequences, kind) =>
    sequences.map((sequence, i) => `>nonsense_${kind}_${i}\n${sequence}\n`),
  );
  writeFileSync(options.fasta, records.join(''));
  process.exit(0);
}
const neighbours = await neighboursOf(data, options.out);
console.log('| queries | no answer | by reason |\n|---|---|---|');
for (const [kind, sequences] of Object.entries(kinds)) {
  const reasons = sequences.map(checkSequence);
  const asked = sequences.filter((_, i) => reasons[i] === null);
  const found = nearestRelatives(data.proteins, asked);
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
  const found = nearestRelatives(data.proteins, sequences, numbers);
  const lost = found.filter(
    (logEValue, i) => checkSequence(sequences[i]) !== null || checkRelatives(logEValue) !== null,
  );
  console.log(`| ${name} (${some.length}) | ${lost.length} | |`);
}
