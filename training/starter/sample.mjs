// The proteins of Swiss-Prot 2014-01 that are not in the starter reference, in one random order: the first are the test of measure.mjs, the
// next ones a sample that curves are learnt on (training/databases), and those after it a second test.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';

export const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');
export const databases = { MFO: 'F', BPO: 'P', CCO: 'C' };
export const testCount = 1000;
/** The places of the proteins that measure.mjs asks of; nothing is learnt on them. */
export const tests = {
  first: { from: 0, to: testCount },
  second: { from: 2500, to: 2500 + testCount },
};
const seed = 20140122;

const linesOf = (path) => readFileSync(path, 'latin1').split('\n').filter(Boolean);

/** Text of a file of the starter reference. */
export function starterText(name) {
  return brotliDecompressSync(readFileSync(join(examples, 'starter', `${name}.br`))).toString();
}

/** Sequence of each accession that the starter does not have, by sequence; `work` is the folder of make.mjs. */
export function otherProteins(work) {
  const ours = ['organisms.fasta', 'families.fasta'].map(starterText);
  const taken = new Set(
    ours.flatMap((text) => text.split('\n').filter((line) => line !== '' && line[0] !== '>')),
  );
  const found = new Map();
  for (const name of Object.keys(databases))
    for (const line of linesOf(join(work, `swissprot-${name}.txt`))) {
      const sequence = line.slice(line.lastIndexOf(' ') + 1);
      if (!taken.has(sequence)) found.set(line.slice(0, line.indexOf('|')), sequence);
    }
  return found;
}

/** Accessions from one place to another of the order of random numbers. */
export function sample(proteins, from, to) {
  const random = new Random(seed);
  const numbered = [...proteins.keys()].sort().map((accession) => [random.float(), accession]);
  return numbered
    .sort(([a], [b]) => a - b)
    .slice(from, to)
    .map(([, accession]) => accession);
}

/** The terms that Swiss-Prot gave to each of the proteins, by any evidence; not propagated. */
export function termsOf(work, chosen) {
  const folder = 'md/usr/share/metastudent-data/dataset_201401';
  const found = new Map([...chosen].map((accession) => [accession, new Set()]));
  for (const name of Object.keys(databases))
    for (const line of linesOf(join(work, folder, name, 'goasp_annot.dat'))) {
      const [accession, ...terms] = line.trim().split(/\s+/);
      for (const term of terms) found.get(accession)?.add(term);
    }
  return found;
}
