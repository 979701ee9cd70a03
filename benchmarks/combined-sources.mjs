// Makes what the default method needs of a set of references, in memory and in a folder: bank of vectors, index of words, arrays of terms.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeResidues } from '@kindred/kernels/alignment';
import { buildSeedIndex } from '@kindred/kernels/homology';
import { BankWriter, loadNative } from '@kindred/native';
import { numberSequences } from '../apps/server/dist/predict/compute/reference-bank.js';
import { combinedModelsFolder } from '../apps/server/dist/ground/folders.js';
import { kmerVectors } from '../training/combined/neighbours.mjs';

const dimension = 1024;
const vectorsAtOnce = 10_000;

/** The control of a task that nobody ends or watches. */
export const control = {
  aborted: () => false,
  progress: () => {},
  transfer: () => {},
  bounded: async (_limit, work) => work(),
};

async function writeBank(vectorsFile, distinct) {
  const rows = Int32Array.from(distinct.keys());
  const writer = new BankWriter(vectorsFile, {
    dimension,
    rows: rows.length,
    reference: rows,
    sequence: rows,
    rank: rows,
  });
  for (let from = 0; from < distinct.length; from += vectorsAtOnce)
    writer.append(await kmerVectors(distinct.slice(from, from + vectorsAtOnce)));
  await writer.finishInTurns();
}

/** Numbers the distinct sequences in the order in which they come. */
function numbered(sequences) {
  const numberOf = new Map();
  const referenceSequence = Int32Array.from(sequences, (sequence) => {
    if (!numberOf.has(sequence)) numberOf.set(sequence, numberOf.size);
    return numberOf.get(sequence);
  });
  return { distinct: [...numberOf.keys()], referenceSequence };
}

/**
 * @param proteins those of `combined-data.mjs`
 * @param {string} folder where the file of vectors goes
 */
export async function openCombined({ sequences, graph, reference }, folder) {
  const { distinct, referenceSequence } = numbered(sequences);
  const vectorsFile = join(folder, 'vectors.bank');
  await writeBank(vectorsFile, distinct);
  const index = buildSeedIndex(
    distinct.map((sequence) => encodeResidues(sequence)),
    { allocate: (bytes) => loadNative()?.allocateShared(bytes) ?? new SharedArrayBuffer(bytes) },
  );
  const { annotated } = reference;
  const arrays = {
    ...numberSequences(distinct.keys()),
    referenceSequence,
    referenceTaxon: new Int32Array(sequences.length),
    termStart: annotated.start,
    terms: annotated.terms,
    evidence: new Int32Array(annotated.terms.length),
    qualifier: new Uint8Array(annotated.terms.length),
    kindSet: new Int32Array(annotated.terms.length),
    groups: annotated.groups,
    termRowId: Int32Array.from(graph.termIds.keys()),
    termAspect: reference.aspect.map((aspect) => (aspect === 255 ? 0 : aspect)),
  };
  const curves = JSON.parse(readFileSync(join(combinedModelsFolder, 'calibration.json'), 'utf8'));
  const sources = {
    bank: { vectorsFile, arrays, selection: null },
    shared: { reference, closure: graph.ancestorClosure(), organismTaxa: new Int32Array(0) },
    index,
    key: 'benchmark',
  };

  /**
   * Makes the input of the task with some of the references as queries.
   * @param numbers the references
   * @param vectors of these references, or of more that begin with them
   * @param kind whether the reference knows the queries, and whether their model of bare sequences scores them
   */
  const inputOf = (numbers, vectors, { isKnown, hasModel }) => ({
    ...sources,
    k: 50,
    aspects: Uint8Array.of(1, 1, 1),
    curves,
    databaseCurves: [],
    sequenceAlone: null,
    sequences: numbers.map((protein) => sequences[protein]),
    merged: null,
    vectors: vectors.subarray(0, numbers.length * dimension),
    queryOfRow: Int32Array.from(numbers.keys()),
    querySequence: Int32Array.from(numbers, (protein) => referenceSequence[protein]),
    self: Int32Array.from(numbers, (protein) => (isKnown ? protein : -1)),
    taxon: new Int32Array(numbers.length),
    kingdom: numbers.map(() => 'Eukaryota'),
    hasModel: new Uint8Array(numbers.length).fill(Number(hasModel)),
    hits: null,
  });
  return { sequences, distinct, index, vectorsFile, sources, inputOf };
}
