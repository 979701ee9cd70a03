import { encodeResidues } from '@kindred/kernels/alignment';
import { indexOfSorted } from '@kindred/kernels/arrays';
import {
  type AlignedSources,
  type CombinedQuery,
  type DatabaseCurve,
  type NearSources,
  ownTermsOrNull,
  type ProbabilityCurve,
} from '@kindred/kernels/combined';
import { findRelatives, type RelativeTable, type SeedIndex } from '@kindred/kernels/homology';
import { checkRelatives, checkSequence } from '@kindred/kernels/query-check';
import type { EmptyReason } from '@kindred/kernels/vocabulary';
import { createCandidateFinder } from '@kindred/native';
import { type ForeignHit, joinHits, type Relative } from './joined-hits.js';
import { allEmbeddings, type MergedWith, searchMerged } from './merged-search.js';
import { nativeKernels } from './native-kernels.js';
import { type OpenBank, openedBank, searchView } from './open-bank.js';
import type { SearchedBank } from './reference-bank.js';
import type { SharedReference } from './tasks/combined-reference.js';
import type { NetworkOutputsOfOntology } from './sequence-alone.js';
import { type Unlike, withoutRelatives } from './without-relatives.js';

/** A thread needs these sources to score queries. */
export interface CombinedSources {
  bank: SearchedBank;
  shared: SharedReference;
  /** The index has the words of the bank's sequences, which keep their numbers. */
  index: SeedIndex;
  /** The key identifies `shared`: a thread keeps what it built for the last key. */
  key: string;
}

export interface CombinedInput extends CombinedSources {
  /** The search takes k sources by alignment, and k by distance. */
  k: number;
  /** The aspects with 1 are predicted. [3] */
  aspects: Uint8Array;
  curves: readonly ProbabilityCurve[];
  /** The curves of what databases hold, if they were measured on references of this kind; else none. */
  databaseCurves: readonly DatabaseCurve[];
  sequences: string[];
  /** The vectors are Float32 [rows x dimension], and each row names its query. */
  vectors: Float32Array;
  queryOfRow: Int32Array;
  /** The neighbours are merged with those in these embeddings; null means one embedding. */
  merged: MergedWith | null;
  /** Each query has an index into the bank's sequences, -1 if the bank lacks the sequence: [queries]. */
  querySequence: Int32Array;
  /** The query is this reference, -1 for none: [queries]. */
  self: Int32Array;
  /** The query has this NCBI taxon, 0 if unknown: [queries]. */
  taxon: Int32Array;
  /** The query belongs to this superkingdom, null if unknown: [queries]. */
  kingdom: readonly (string | null)[];
  /** The queries with 1 are scored by a model of eukaryotes, of known proteins or of bare sequences: [queries]. */
  hasModel: Uint8Array;
  /** Hits of each query by another program join its relatives: [queries]; null means that there are none. */
  hits: readonly (readonly ForeignHit[])[] | null;
  /** The outputs of the sequence network, if queries without a relative may get terms from it; else null. */
  sequenceAlone: NetworkOutputsOfOntology | null;
}

/** An alignment with E-value 100 has weight 0, so the search stops there. */
const maxLogEValue = 2;

type Asked = Pick<
  CombinedInput,
  | keyof CombinedSources
  | ('k' | 'sequences' | 'vectors' | 'queryOfRow' | 'merged' | 'querySequence' | 'self' | 'taxon' | 'hits')
>;

/** A reference is too far from the query to predict from; the E-value is a log10. */
export interface DistantRelative {
  reference: number;
  logEValue: number;
}

/** A query either has the form that the combination reads, or a reason why it can have no answer. */
export type PreparedQuery =
  | { query: CombinedQuery; noAnswer: null; distant: null }
  | { query: null; noAnswer: EmptyReason; distant: DistantRelative | null };

/** Finds the sources of each query by alignment and by distance, and the known terms of the query itself. */
export async function prepareQueries(input: Asked, isAborted: () => boolean): Promise<PreparedQuery[]> {
  const bank = await openedBank(input.bank);
  const near = await nearSources(input, bank, isAborted);
  const { reference, organismTaxa } = input.shared;
  const own = Array.from(input.self, (self) => ownTermsOrNull(reference, self));
  // A protein of the reference is accepted even if it is short or unusual.
  const refused = input.sequences.map((sequence, q) => (own[q] === null ? checkSequence(sequence) : null));
  const isRelated = (q: number) =>
    input.hits?.[q].some(({ logEValue }) => checkRelatives(logEValue) === null) ?? false;
  const asked = own.map((terms, q) => terms === null && refused[q] === null && !isRelated(q));
  const { aligned, unlike } = alignedSources(input, { bank, asked }, isAborted);
  return input.sequences.map((_, q): PreparedQuery => {
    const reason = refused[q];
    if (reason !== null) return { query: null, noAnswer: reason, distant: null };
    const alone = unlike[q];
    if (alone !== null)
      return { query: null, noAnswer: 'no_similar_protein', distant: distantOf(alone, bank) };
    const self = input.self[q];
    return {
      noAnswer: null,
      distant: null,
      query: {
        aligned: aligned[q],
        near: near[q],
        self,
        own: own[q],
        organism: own[q] === null ? indexOfSorted(organismTaxa, input.taxon[q]) : reference.organism[self],
      },
    };
  });
}

async function nearSources(input: Asked, bank: OpenBank, isAborted: () => boolean): Promise<NearSources[]> {
  const count = input.sequences.length;
  const { vectors, queryOfRow: query, querySequence: sequence, merged } = input;
  const options = {
    metric: 'cosine' as const,
    k: input.k,
    includeSelf: false,
    subsets: [bank.allSequences],
    isAborted,
  };
  const { lists } =
    merged === null
      ? await searchView(bank.search, { vectors, query, count, sequence }, options, bank)
      : await searchMerged(
          { bank, sequenceIds: input.bank.arrays.sequenceIds },
          { embeddings: allEmbeddings(input.bank, input, merged), count, sequence },
          options,
        );
  const [{ neighbours, distances, k }] = lists;
  return input.sequences.map((_, q) => {
    const sources: { reference: number; distance: number }[] = [];
    for (let i = q * k; i < (q + 1) * k; i++)
      if (neighbours[i] >= 0)
        for (const reference of membersOf(bank, neighbours[i]))
          sources.push({ reference, distance: distances[i] });
    return {
      reference: Int32Array.from(sources, (source) => source.reference),
      distance: Float64Array.from(sources, (source) => source.distance),
      isMerged: merged !== null,
    };
  });
}

/**
 * Finds relatives by local alignment, and tells for each query whether any is left without its low-complexity
 * regions.
 */
function alignedSources(
  input: Asked,
  { bank, asked }: { bank: OpenBank; asked: readonly boolean[] },
  isAborted: () => boolean,
): { aligned: AlignedSources[]; unlike: (Unlike | null)[] } {
  const search = { index: input.index, finder: createCandidateFinder(input.index, nativeKernels()) };
  const count = input.sequences.length;
  const table = findRelatives(
    search,
    input.sequences.map((sequence) => encodeResidues(sequence)),
    {
      maxTargets: input.k,
      maxLogEValue,
      excluded: input.querySequence,
      isAborted,
    },
  );
  const hits = Array.from({ length: count }, (): number[] => []);
  table.query.forEach((query, hit) => {
    hits[query].push(hit);
  });
  const found = hits.map((ofQuery) => ofQuery.map((row) => relativeOf(table, row)));
  const { hits: foreign } = input;
  const relatives =
    foreign === null
      ? found
      : joinHits(
          found.map((ofQuery, q) => ({
            residues: input.sequences[q],
            found: ofQuery,
            hits: foreign[q],
            excluded: input.querySequence[q],
          })),
          { index: input.index, k: input.k, isAborted },
        );
  return {
    aligned: relatives.map((ofQuery) => sourcesOf(ofQuery, { bank, withOrigins: foreign !== null })),
    unlike: withoutRelatives(
      { sequences: input.sequences, excluded: input.querySequence, table, hits, maxLogEValue, asked },
      search,
      isAborted,
    ),
  };
}

/** References of one sequence are alike, so the first stands for them. */
function distantOf({ distant }: Unlike, bank: OpenBank): DistantRelative | null {
  if (distant === null) return null;
  return { reference: membersOf(bank, distant.sequence)[0], logEValue: distant.logEValue };
}

function relativeOf(table: RelativeTable, row: number): Relative {
  return {
    sequence: table.sequence[row],
    logEValue: table.logEValue[row],
    identity: table.identity[row],
    share: table.normalisedScore[row],
    origin: 0,
  };
}

/** Lists all references of the sequences that were found. */
function sourcesOf(
  relatives: readonly Relative[],
  { bank, withOrigins }: { bank: OpenBank; withOrigins: boolean },
): AlignedSources {
  const rows = relatives.flatMap((relative) =>
    Array.from(membersOf(bank, relative.sequence), (reference) => ({ reference, relative })),
  );
  const column = (name: 'logEValue' | 'identity' | 'share') =>
    Float64Array.from(rows, ({ relative }) => relative[name]);
  return {
    reference: Int32Array.from(rows, ({ reference }) => reference),
    logEValue: column('logEValue'),
    identity: column('identity'),
    share: column('share'),
    ...(withOrigins && { origin: Uint8Array.from(rows, ({ relative }) => relative.origin) }),
  };
}

function membersOf({ groups }: OpenBank, sequence: number): Int32Array {
  return groups.members.subarray(groups.start[sequence], groups.start[sequence + 1]);
}
