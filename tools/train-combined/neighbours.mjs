// Finds the relatives of every target once: by local alignment among all proteins, and by the distance of kmer-1024
// vectors. Which of them may donate in a window depends on the annotations of its first date and is decided later.
import { plugin as kmer } from '@kindred/backend-kmer';
import { alphabetSize, encodeResidues } from '@kindred/kernels/alignment';
import {
  bitScore,
  blastScoring,
  blastStatistics,
  buildWordIndex,
  CandidateSearch,
  logEValue as logEValueOf,
} from '@kindred/kernels/homology';
import { search } from '@kindred/kernels/knn';
import { createAligner } from '@kindred/native';

const keptHits = 150;
const keptNeighbours = 150;
const queriesAtOnce = 32;

const selfScore = (codes) =>
  codes.reduce((sum, code) => sum + blastScoring.matrix[code * alphabetSize + code], 0);

/** Best local alignments of each query: reference, logEValue, bits, identity (0 to 1), share of its own score. */
export function alignmentNeighbours(proteins, queries) {
  const sequences = proteins.map(({ sequence }) => encodeResidues(sequence));
  const space = {
    residues: sequences.reduce((sum, { length }) => sum + length, 0),
    sequences: sequences.length,
  };
  const candidates = new CandidateSearch(buildWordIndex(sequences));
  const aligner = createAligner();
  const found = new Map();
  for (let from = 0; from < queries.length; from += queriesAtOnce) {
    const some = queries.slice(from, from + queriesAtOnce);
    const query = [];
    const target = [];
    for (const number of some) {
      const { sequence } = candidates.find(sequences[number], { limit: 2 * keptHits, minimumScore: 32 });
      for (const other of sequence) {
        if (other === number) continue;
        query.push(number);
        target.push(other);
      }
    }
    const pairs = { sequences, query: Int32Array.from(query), target: Int32Array.from(target) };
    const table = aligner.align(pairs, { mode: 'local', scoring: blastScoring });
    const hits = new Map([...some].map((number) => [number, []]));
    query.forEach((number, pair) => {
      const score = table.score[pair];
      const logEValue = logEValueOf(score, sequences[number].length, space, blastStatistics);
      if (logEValue > 2) return;
      hits.get(number).push({
        reference: target[pair],
        logEValue,
        bits: bitScore(score, blastStatistics),
        identity: table.identical[pair] / Math.max(1, table.length[pair]),
        share: Math.min(1, score / selfScore(sequences[number])),
      });
    });
    for (const [number, list] of hits) {
      list.sort((a, b) => b.bits - a.bits || a.reference - b.reference);
      found.set(number, list.slice(0, keptHits));
    }
    process.stderr.write(`\raligned ${found.size} of ${queries.length}`);
  }
  process.stderr.write('\n');
  return found;
}

/** Unit vectors of kmer-1024. */
export async function kmerVectors(sequences) {
  const backend = await kmer.load({ modelsDir: '', modelDevice: 'cpu' });
  const session = await backend.open({
    model_name: 'kmer-1024',
    model_backend: 'kmer',
    layer_indices: [0],
    layer_agg: 'mean',
    pooling: 'mean',
    normalize_residues: false,
    normalize: true,
    max_length: 1022,
    use_chunking: false,
    chunk_size: 512,
    chunk_overlap: 0,
  });
  const { vectors } = await session.embed(sequences);
  await session.close();
  return vectors;
}

/** Nearest proteins of each query by cosine distance. */
export async function distanceNeighbours(proteins, queries) {
  const dimension = 1024;
  const vectors = await kmerVectors(proteins.map(({ sequence }) => sequence));
  const numbers = Int32Array.from(proteins.keys());
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
  const bank = { vectors, dimension, reference: numbers, sequence, rank: numbers };
  const [{ neighbours, distances, k }] = search(
    bank,
    { vectors: own, sequence: Int32Array.from(queries, (number) => sequence[number]) },
    {
      metric: 'cosine',
      k: keptNeighbours,
      onProgress: (share) => process.stderr.write(`\rdistances ${(100 * share).toFixed(0)} %`),
    },
  );
  process.stderr.write('\n');
  return new Map(
    Array.from(queries, (number, q) => [
      number,
      Array.from({ length: k }, (_, i) => ({
        reference: neighbours[q * k + i],
        distance: distances[q * k + i],
      })).filter(({ reference }) => reference >= 0),
    ]),
  );
}
