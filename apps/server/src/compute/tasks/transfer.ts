import { aspects } from '@kindred/contracts';
import { ranksInGroups } from '@kindred/kernels/arrays';
import { candidateColumns } from '@kindred/kernels/features';
import type { QueryBank } from '@kindred/kernels/knn';
import { type NeighbourList, transferTerms } from '@kindred/kernels/scoring';
import { type BankAnswer, type BankSearchOptions, type NeighbourIndex, openGraphBank } from '@kindred/native';
import { openGraph } from '../neighbour-graph.js';
import { allEmbeddings, searchMerged } from '../merged-search.js';
import { entryOf, type OpenBank, openedBank, searchView } from '../open-bank.js';
import type { TaskControl } from '../pool.js';
import type { BankArrays } from '../reference-bank.js';
import type { GraphSearch, Recall, TransferInput, TransferOutput } from '../tasks.js';

/** Function comes before location and process. */
const molecularFunction = aspects.indexOf('F');

/** Neighbours of the queries (per aspect, unless unified), and the terms that they carry over. */
export async function transfer(input: TransferInput, control: TaskControl): Promise<TransferOutput> {
  const bank = await openedBank(input.bank);
  const subsets = input.aspectSeparated ? bank.sequencesOfAspect : [bank.allSequences];
  // An aspect without references gives no list, because the search refuses an empty subset.
  const searched = subsets
    .map((members, aspect) => ({ members, aspect }))
    .filter(({ members }) => members.length > 0);
  const { vectors, queryOfRow: query, nQuery: count, querySequence: sequence } = input;
  const queries = { vectors, query, count, sequence };
  const options = {
    metric: input.metric,
    k: input.k,
    includeSelf: input.includeSelf,
    subsets: searched.map(({ members }) => members),
    isAborted: () => control.aborted(),
    ...(input.distanceThreshold === null ? {} : { distanceThreshold: input.distanceThreshold }),
  };
  const answer = await searchedLists(input, { bank, queries, options });
  const recall =
    input.graph === null
      ? null
      : recallOf(
          answer,
          await searchView(bank.search, sampled(input, input.graph.sample), options, bank),
          input.graph,
        );
  const lists = answer.lists.map(
    (list, index): NeighbourList => ({
      neighbours: list.neighbours.map((sequence) => (sequence < 0 ? -1 : bank.firstReference[sequence])),
      distances: list.distances,
      ...(input.aspectSeparated ? { aspect: searched[index].aspect } : {}),
    }),
  );
  const { arrays } = input.bank;
  const { candidates, transfers } = transferTerms({
    nQuery: input.nQuery,
    k: input.k,
    metric: input.metric,
    lists,
    annotations: { start: arrays.termStart, term: arrays.terms, evidence: arrays.evidence },
    termCount: arrays.termRowId.length,
    termAspect: arrays.termAspect,
    termFrequency: bank.termFrequency,
    firstAspect: molecularFunction,
    sharing: { sequence: arrays.referenceSequence, groups: bank.groups },
  });
  const similar = neighboursOf(lists, input);
  return {
    ...columns(candidates, transfers, bank, arrays),
    similar_proteins: transfers.candidate.map((at) =>
      similar(candidates.query[at], arrays.termAspect[candidates.term[at]]),
    ),
    supporters: transfers.candidate.map((at) => candidates.voteCount[at]),
    uncertified: answer.uncertified,
    recall,
  };
}

/** By the main embedding, exactly or through its graph, or by all embeddings. */
async function searchedLists(
  input: TransferInput,
  { bank, queries, options }: SearchedQueries,
): Promise<BankAnswer> {
  const { graph, merged, metric, nQuery: count, querySequence: sequence } = input;
  if (merged !== null)
    return searchMerged(
      { bank, sequenceIds: input.bank.arrays.sequenceIds },
      { embeddings: allEmbeddings(input.bank, input, merged), count, sequence },
      options,
    );
  const index = graph === null ? bank.search : await openedGraph(bank, graph, metric);
  return searchView(index, queries, options, bank);
}

interface SearchedQueries {
  bank: OpenBank;
  queries: QueryBank;
  options: BankSearchOptions & { subsets: readonly Int32Array[] };
}

/** The queries of the sample, numbered in its order. */
function sampled(input: TransferInput, sample: Int32Array): QueryBank {
  const place = new Map(Array.from(sample, (query, index) => [query, index]));
  const dimension = input.vectors.length / Math.max(1, input.queryOfRow.length);
  const rows = Array.from(input.queryOfRow.keys()).filter((row) => place.has(input.queryOfRow[row]));
  const vectors = new Float32Array(rows.length * dimension);
  rows.forEach((row, at) => {
    vectors.set(input.vectors.subarray(row * dimension, (row + 1) * dimension), at * dimension);
  });
  return {
    vectors,
    query: Int32Array.from(rows, (row) => place.get(input.queryOfRow[row]) as number),
    count: sample.length,
    sequence: sample.map((query) => input.querySequence[query]),
  };
}

function recallOf(answer: BankAnswer, exact: BankAnswer, { sample }: GraphSearch): Recall {
  const recall: Recall = { queries: sample.length, neighbours: 0, found: 0 };
  exact.lists.forEach(({ neighbours, k }, list) => {
    sample.forEach((query, index) => {
      const given = new Set(answer.lists[list].neighbours.subarray(query * k, (query + 1) * k));
      for (const neighbour of neighbours.subarray(index * k, (index + 1) * k)) {
        if (neighbour < 0) continue;
        recall.neighbours++;
        if (given.has(neighbour)) recall.found++;
      }
    });
  });
  return recall;
}

/** How many neighbours of a query can vote for a term of an aspect. */
function neighboursOf(
  lists: readonly NeighbourList[],
  { nQuery, k }: TransferInput,
): (query: number, aspect: number) => number {
  const counts = lists.map(({ neighbours }) => {
    const found = new Int32Array(nQuery);
    neighbours.forEach((neighbour, at) => {
      if (neighbour >= 0) found[Math.floor(at / k)]++;
    });
    return found;
  });
  return (query, aspect) => {
    const list = lists.findIndex((one) => one.aspect === undefined || one.aspect === aspect);
    return list < 0 ? 0 : counts[list][query];
  };
}

type Result = ReturnType<typeof transferTerms>;

function columns(
  candidates: Result['candidates'],
  transfers: Result['transfers'],
  bank: OpenBank,
  arrays: BankArrays,
): Omit<TransferOutput, 'uncertified' | 'recall' | 'similar_proteins' | 'supporters'> {
  const rows = transfers.candidate;
  /** A value of each row's candidate. */
  const integers = (values: Int32Array) => rows.map((row) => values[row]);
  const reals = (values: ArrayLike<number>) => Float32Array.from(rows, (row) => values[row]);
  const { vote_count, k_position, neighbor_distance_std, neighbor_vote_fraction } =
    candidateColumns(candidates);
  return {
    query: integers(candidates.query),
    term: integers(candidates.term),
    reference: transfers.reference,
    distance: transfers.distance,
    score: reals(candidates.score),
    term_rank: integers(ranksInGroups(candidates.query)),
    is_nearest: Uint8Array.from(rows, (row, at) =>
      transfers.reference[at] === candidates.donor[row] ? 1 : 0,
    ),
    evidence_code: transfers.evidence,
    qualifier: Uint8Array.from(
      rows,
      (row, at) => arrays.qualifier[entryOf(arrays, transfers.reference[at], candidates.term[row])],
    ),
    vote_count: integers(vote_count),
    k_position: integers(k_position),
    go_term_frequency: rows.map((row) => bank.termFrequency[candidates.term[row]]),
    ref_annotation_density: transfers.reference.map(
      (reference) => arrays.termStart[reference + 1] - arrays.termStart[reference],
    ),
    neighbor_distance_std: reals(neighbor_distance_std),
    neighbor_vote_fraction: reals(neighbor_vote_fraction),
  };
}

async function openedGraph(
  bank: OpenBank,
  { file, expansion }: GraphSearch,
  metric: TransferInput['metric'],
): Promise<NeighbourIndex> {
  if (bank.graph?.file === file && bank.graph.expansion === expansion) return bank.graph.search;
  await bank.graph?.search.close();
  bank.graph = null;
  const graph = await openGraph(file, bank.search.header, metric);
  const search = openGraphBank(bank.path, graph, expansion);
  bank.graph = { file, expansion, search };
  return search;
}
