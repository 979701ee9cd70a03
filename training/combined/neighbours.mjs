// Finds the relatives of every target once: by local alignment among all proteins, and by the distance of kmer-1024
// vectors. Later, the annotations at the first date of a window decide which of them can be sources.
import { plugin as kmer } from '@kindred/backend-kmer';
import { encodeResidues } from '@kindred/kernels/alignment';
import {
  buildSeedIndex,
  compositionCorrection,
  correctedLogEValue,
  findRelatives,
} from '@kindred/kernels/homology';
import { checkRelatives, withoutLowComplexity } from '@kindred/kernels/query-check';
import { BankWriter, createCandidateFinder, openBank } from '@kindred/native';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';

const keptHits = 150;
const keptNeighbours = 150;
const queriesAtOnce = 32;

/**
 * Finds relatives of sequences among the proteins, best first, with an E-value of at most 100. `excluded` is the protein of the sequence
 * itself.
 */
export function relativesAmong(proteins, sequences, excluded = sequences.map(() => -1)) {
  const index = buildSeedIndex(proteins.map(({ sequence }) => encodeResidues(sequence)));
  const relatives = { index, finder: createCandidateFinder(index) };
  const found = sequences.map(() => []);
  for (let from = 0; from < sequences.length; from += queriesAtOnce) {
    const some = sequences.slice(from, from + queriesAtOnce);
    const table = findRelatives(relatives, some.map(encodeResidues), {
      maxTargets: keptHits,
      maxLogEValue: 2,
      excluded: Int32Array.from(excluded.slice(from, from + queriesAtOnce)),
    });
    table.query.forEach((query, i) =>
      found[from + query].push({
        reference: table.sequence[i],
        logEValue: table.logEValue[i],
        bits: table.bits[i],
        identity: table.identity[i],
        share: table.normalisedScore[i],
      }),
    );
    process.stderr.write(
      `\raligned ${Math.min(from + queriesAtOnce, sequences.length)} of ${sequences.length}`,
    );
  }
  process.stderr.write('\n');
  return found;
}

/** The number of relatives that the product aligns with the correction for composition. */
const correctedRelatives = 4;

/**
 * Returns the decimal logarithm of the E-value by which the product decides whether a sequence has a relative: of the nearest one without
 * its low-complexity regions, or else with the correction for composition.
 */
export function nearestRelatives(proteins, sequences, excluded) {
  const space = {
    residues: proteins.reduce((sum, { sequence }) => sum + sequence.length, 0),
    sequences: proteins.length,
  };
  const masked = relativesAmong(proteins, sequences.map(withoutLowComplexity), excluded);
  const best = masked.map((hits) => hits[0]?.logEValue ?? Number.POSITIVE_INFINITY);
  const open = [...sequences.keys()].filter((i) => checkRelatives(best[i]) !== null);
  const whole = relativesAmong(
    proteins,
    open.map((i) => sequences[i]),
    excluded && open.map((i) => excluded[i]),
  );
  open.forEach((i, at) => {
    const query = encodeResidues(sequences[i]);
    const correction = compositionCorrection(query);
    const near = whole[at].filter(({ logEValue }) => checkRelatives(logEValue) === null);
    for (const { reference } of near.slice(0, correctedRelatives)) {
      const target = encodeResidues(proteins[reference].sequence);
      best[i] = Math.min(best[i], correctedLogEValue(query, target, { correction, space }));
    }
  });
  return best;
}

/** Finds the best local alignments of each protein in `queries` with the others. */
export function alignmentNeighbours(proteins, queries) {
  const numbers = [...queries];
  const sequences = numbers.map((number) => proteins[number].sequence);
  const found = relativesAmong(proteins, sequences, numbers);
  return new Map(numbers.map((number, q) => [number, found[q]]));
}

const alignmentFile = 'alignment.json';
const distanceFile = 'distance.json';

/**
 * Returns relatives of proteins by alignment and by distance, from the work folder if they were found before.
 *
 * @param prefix beginning of the names of their files
 * @param proteinsOf the numbers of the proteins; called only if relatives must be searched
 */
export async function keptRelatives({ proteins }, { out, prefix = '' }, proteinsOf) {
  const kept = async (name, find) => {
    const path = join(out, `${prefix}${name}`);
    if (!existsSync(path)) {
      const wanted = Int32Array.from(await proteinsOf()).sort();
      writeFileSync(path, JSON.stringify([...(await find(proteins, wanted))]));
    }
    return new Map(JSON.parse(readFileSync(path, 'utf8')));
  };
  return {
    aligned: await kept(alignmentFile, alignmentNeighbours),
    near: await kept(distanceFile, distanceNeighbours),
  };
}

/** Removes all kept relatives, because the search may have changed since. */
export function forgetRelatives(out) {
  for (const name of readdirSync(out))
    if (name.endsWith(alignmentFile) || name.endsWith(distanceFile)) rmSync(join(out, name));
}

/** Computes unit vectors of kmer-1024. */
export async function kmerVectors(sequences) {
  const backend = await kmer.load({ dataDir: '', settings: {} });
  const session = await backend.open(completeRecipe({ model_name: 'kmer-1024', model_backend: 'kmer' }));
  const { vectors } = await session.embed(sequences);
  await session.close();
  return vectors;
}

/** Finds the nearest proteins of each query by cosine distance, by the search of the product. */
export async function distanceNeighbours(proteins, queries) {
  const dimension = 1024;
  const vectors = await kmerVectors(proteins.map(({ sequence }) => sequence));
  const numberOfSequence = new Map();
  const sequence = Int32Array.from(proteins, (protein) => {
    if (!numberOfSequence.has(protein.sequence))
      numberOfSequence.set(protein.sequence, numberOfSequence.size);
    return numberOfSequence.get(protein.sequence);
  });
  const own = new Float32Array(queries.length * dimension);
  queries.forEach((number, q) =>
    own.set(vectors.subarray(number * dimension, (number + 1) * dimension), q * dimension),
  );
  const folder = mkdtempSync(join(tmpdir(), 'kindred-neighbours-'));
  try {
    const bank = openBank(writeBank(join(folder, 'vectors.bank'), { vectors, dimension, sequence }));
    const { lists } = await bank.search(
      {
        vectors: own,
        query: Int32Array.from(queries.keys()),
        count: queries.length,
        sequence: Int32Array.from(queries, (number) => sequence[number]),
      },
      { metric: 'cosine', k: keptNeighbours, includeSelf: false },
    );
    const [{ neighbours, distances, k }] = lists;
    return new Map(
      Array.from(queries, (number, q) => [
        number,
        Array.from({ length: k }, (_, i) => ({
          reference: neighbours[q * k + i],
          distance: distances[q * k + i],
        })).filter(({ reference }) => reference >= 0),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a file of the vectors of all proteins, each as a reference of its own number. */
function writeBank(path, { vectors, dimension, sequence }) {
  const numbers = Int32Array.from(sequence.keys());
  const shape = { dimension, rows: numbers.length, reference: numbers, sequence, rank: numbers };
  const writer = new BankWriter(path, shape);
  writer.append(vectors);
  writer.finish();
  return path;
}
