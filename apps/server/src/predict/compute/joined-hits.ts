import { encodeResidues, type PairAligner } from '@kindred/kernels/alignment';
import { alignmentOrigins } from '@kindred/kernels/combined';
import { blastScoring, selfScore, type SeedIndex } from '@kindred/kernels/homology';
import { createAligner } from '@kindred/native';
import { nativeKernels } from './native-kernels.js';

/** A hit of another program with a sequence of the bank. */
export interface ForeignHit {
  sequence: number;
  logEValue: number;
  identity: number;
}

/** A sequence of the bank that is similar to a query. */
export interface Relative {
  sequence: number;
  logEValue: number;
  identity: number;
  /** The score is given as a share of the query's score with itself, 0 to 1. */
  share: number;
  /** The value is an index into `alignmentOrigins`. */
  origin: number;
}

export interface QueryWithHits {
  residues: string;
  /** The own search found these, the best first. */
  found: readonly Relative[];
  hits: readonly ForeignHit[];
  /** The query is this sequence of the bank, which is no relative; -1 for none. */
  excluded: number;
}

const [search, hit, both] = alignmentOrigins.keys();

let aligner: PairAligner | null = null;

/**
 * Joins hits of another program with the relatives of each query. A sequence that both found has the values with the smaller E-value.
 * The best `k` by E-value are kept. Programs count bits differently, so the score of a hit is that of our own alignment of the pair.
 */
export function joinHits(
  queries: readonly QueryWithHits[],
  { index, k, isAborted }: { index: SeedIndex; k: number; isAborted: () => boolean },
): Relative[][] {
  const joined = queries.map((query) => bestOf(query, k));
  const codes = queries.map(({ residues }) => encodeResidues(residues));
  const pairs = joined.flatMap((relatives, query) =>
    relatives.filter(({ origin }) => origin !== search).map((relative) => ({ query, relative })),
  );
  if (pairs.length === 0) return joined;
  aligner ??= createAligner(nativeKernels());
  const { score } = aligner.align(
    {
      sequences: [
        ...codes,
        ...pairs.map(({ relative: { sequence } }) =>
          index.codes.subarray(index.start[sequence], index.start[sequence + 1] - 1),
        ),
      ],
      query: Int32Array.from(pairs, ({ query }) => query),
      target: Int32Array.from(pairs.keys(), (pair) => queries.length + pair),
    },
    { mode: 'local', scoring: blastScoring, isAborted },
  );
  pairs.forEach(({ query, relative }, pair) => {
    relative.share = Math.fround(Math.min(1, score[pair] / Math.max(1, selfScore(codes[query]))));
  });
  return joined;
}

function bestOf({ found, hits, excluded }: QueryWithHits, k: number): Relative[] {
  const relatives = new Map(found.map((relative) => [relative.sequence, relative]));
  for (const { sequence, logEValue, identity } of hits) {
    const known = relatives.get(sequence);
    if (sequence === excluded || (known !== undefined && known.logEValue <= logEValue)) continue;
    const origin = known === undefined || known.origin === hit ? hit : both;
    relatives.set(sequence, { sequence, logEValue, identity, share: 0, origin });
  }
  // The sort is stable, so relatives of equal E-values keep the order of their scores.
  return [...relatives.values()].sort((a, b) => a.logEValue - b.logEValue).slice(0, k);
}
