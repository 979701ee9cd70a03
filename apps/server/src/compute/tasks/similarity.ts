import { type AlignmentTable, alphabetSize, encodeResidues } from '@kindred/kernels/alignment';
import {
  bitScore,
  blastScoring,
  blastStatistics,
  buildWordIndex,
  CandidateSearch,
  logExpectValue,
} from '@kindred/kernels/homology';
import { createAligner } from '@kindred/native';
import { nativeKernels } from '../native-kernels.js';
import type { TaskControl } from '../pool.js';
import type { SimilarityInput, SimilarityOutput } from '../similarity-tasks.js';

const aligner = createAligner(nativeKernels);
/** Candidates to be aligned, for each relative that is wanted: most have no alignment to speak of. */
const candidatesPerTarget = 2;
const leastUngappedScore = 32;

/** What a thread keeps of the references that it searched last. */
interface OpenReferences {
  key: string;
  sequences: Uint8Array[];
  search: CandidateSearch;
}
let open: OpenReferences | null = null;

/** Relatives of each query by local alignment with BLAST's scoring, among the sequences that share a segment with it. */
export function similarity(input: SimilarityInput, control: TaskControl): SimilarityOutput {
  const references = opened(input);
  const queries = input.queries.map((query) => encodeResidues(query));
  const pairQuery: number[] = [];
  const pairTarget: number[] = [];
  queries.forEach((query, number) => {
    if (control.aborted()) throw new DOMException('the search was cancelled', 'AbortError');
    const { sequence } = references.search.find(query, {
      limit: input.maxTargets * candidatesPerTarget + 1,
      minimumScore: leastUngappedScore,
    });
    for (const target of sequence) {
      if (target === input.excluded[number]) continue;
      pairQuery.push(number);
      pairTarget.push(target);
    }
  });
  const pairs = {
    sequences: [...queries, ...references.sequences],
    query: Int32Array.from(pairQuery),
    target: Int32Array.from(pairTarget, (target) => queries.length + target),
  };
  const table = aligner.align(pairs, {
    mode: 'local',
    scoring: blastScoring,
    isAborted: () => control.aborted(),
  });
  return columns(chosen(table, { queries, pairQuery, pairTarget, input }), table, {
    queries,
    pairQuery,
    pairTarget,
  });
}

interface Pairs {
  queries: Uint8Array[];
  pairQuery: number[];
  pairTarget: number[];
}

/** Pairs within the E-value, of each query the best. */
function chosen(
  table: AlignmentTable,
  { queries, pairQuery, pairTarget, input }: Pairs & { input: SimilarityInput },
): number[] {
  const space = { residues: input.codes.length, sequences: input.start.length - 1 };
  const of = queries.map((): number[] => []);
  pairQuery.forEach((query, pair) => {
    const expected = logExpectValue(table.score[pair], queries[query].length, space, blastStatistics);
    if (expected <= input.logExpect) of[query].push(pair);
  });
  return of.flatMap((pairs) =>
    pairs
      .sort((a, b) => table.score[b] - table.score[a] || pairTarget[a] - pairTarget[b])
      .slice(0, input.maxTargets),
  );
}

function columns(
  kept: number[],
  table: AlignmentTable,
  { queries, pairQuery, pairTarget }: Pairs,
): SimilarityOutput {
  const own = queries.map(selfScore);
  return {
    query: Int32Array.from(kept, (pair) => pairQuery[pair]),
    sequence: Int32Array.from(kept, (pair) => pairTarget[pair]),
    identity: Float32Array.from(kept, (pair) => table.identical[pair] / Math.max(1, table.length[pair])),
    normalisedScore: Float32Array.from(kept, (pair) =>
      Math.min(1, table.score[pair] / Math.max(1, own[pairQuery[pair]])),
    ),
    bits: Float32Array.from(kept, (pair) => bitScore(table.score[pair], blastStatistics)),
  };
}

/** Score of a sequence against itself without gaps. */
function selfScore(codes: Uint8Array): number {
  return codes.reduce((sum, code) => sum + blastScoring.matrix[code * alphabetSize + code], 0);
}

function opened({ key, codes, start }: SimilarityInput): OpenReferences {
  if (open?.key === key) return open;
  open = null;
  const sequences = Array.from({ length: start.length - 1 }, (_, s) =>
    codes.subarray(start[s], start[s + 1]),
  );
  open = { key, sequences, search: new CandidateSearch(buildWordIndex(sequences)) };
  return open;
}
