import { aspects } from '@kindred/contracts';
import { GrowingInt32, ranksInGroups } from '@kindred/kernels/arrays';
import { candidateColumns } from '@kindred/kernels/features';
import type { QueryBank } from '@kindred/kernels/knn';
import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import {
  type Candidates,
  type NeighbourList,
  type TransferInput as KernelInput,
  transferTerms,
  type Transfers,
} from '@kindred/kernels/scoring';
import { type BankAnswer, type BankSearchOptions, type NeighbourIndex, openGraphBank } from '@kindred/native';
import { openGraph } from '../neighbour-graph.js';
import { allEmbeddings, type MergedWith, searchMerged } from '../merged-search.js';
import { entryOf, type OpenBank, openedBank, searchView } from '../open-bank.js';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { noQualifier, type SearchedBank } from '../reference-bank.js';
import { type RunnerChoice, runnerScores, type ScoredCandidates } from '../runner-scores.js';

export interface TransferInput {
  bank: SearchedBank;
  metric: 'cosine' | 'l2';
  k: number;
  distanceThreshold: number | null;
  includeSelf: boolean;
  aspectSeparated: boolean;
  nQuery: number;
  /** The vectors are float32 [rows x dimension], and each row names its query. */
  vectors: Float32Array;
  queryOfRow: Int32Array;
  /** Each query has an index into the bank's sequences, -1 if the bank lacks the sequence: [nQuery]. */
  querySequence: Int32Array;
  /** The search uses this graph instead of the bank; null means an exact search. */
  graph: GraphSearch | null;
  /** The neighbours are merged with those in these embeddings; null means one embedding. */
  merged: MergedWith | null;
  /**
   * The runner scores the terms of the neighbours. Null orders them by the distance of the nearest, for
   * callers who need no scores.
   */
  runner: RunnerChoice | null;
}

export interface GraphSearch {
  file: string;
  /** The first search finds this number of candidates. */
  expansion: number;
  /** These queries are searched exactly, too, in ascending order. */
  sample: Int32Array;
}

/** The recall of an approximate search is measured on a sample of its queries. */
export interface Recall {
  queries: number;
  /** The number of exact neighbours over all lists of the sample, and how many of them were found. */
  neighbours: number;
  found: number;
}

/**
 * The columns have one length, with a row per (query, term, reference): by query, then the term's rank, then
 * distance, then accession.
 */
export interface TransferOutput
  extends ColumnArrays<
    ColumnsFrom<'transfer'> | ColumnsFrom<'aggregates'> | 'similar_proteins' | 'supporters'
  > {
  query: Int32Array;
  /** Each row has an index into the bank's terms. */
  term: Int32Array;
  /** Each row has the index of its reference; -1 if a runner gave the term without a source. */
  reference: Int32Array;
  /** This number of queries was searched in float32, because integer bounds did not decide. */
  uncertified: number;
  /** The recall is null after an exact search. */
  recall: Recall | null;
}

/** Function comes before location and process. */
const molecularFunction = aspects.indexOf('F');

/** Finds the neighbours of the queries (per aspect, unless unified), and the terms that they carry over. */
async function transfer(input: TransferInput, control: TaskControl): Promise<TransferOutput> {
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
  const { arrays } = bank;
  const subject: KernelInput = {
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
  };
  const found = transferTerms(subject);
  const scored =
    input.runner === null
      ? byDistance(found.candidates)
      : await runnerScores(input.runner, { transfer: subject, candidates: found.candidates }, control);
  const rows = sourceRows(scored, found.transfers);
  const similar = neighboursOf(lists, input);
  return {
    ...columns({ ...found, scored, rows }, bank),
    similar_proteins: rows.scored.map((at) => similar(scored.query[at], arrays.termAspect[scored.term[at]])),
    supporters: rows.scored.map((at) => found.candidates.voteCount[scored.candidate[at]] ?? 0),
    uncertified: answer.uncertified,
    recall,
  };
}

/** Finds lists by the main embedding, exactly or through its graph, or by all embeddings. */
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

/** Gives the queries of the sample, numbered in its order. */
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

/** Counts the neighbours of a query that can vote for a term of an aspect. */
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

/** Passes the candidates of the neighbours on unchanged. */
function byDistance({ query, term, score, source }: Candidates): ScoredCandidates {
  return { query, term, score, source, candidate: Int32Array.from(query.keys()) };
}

/** A row belongs to each reference that gave a term, or to a term without a reference. */
interface SourceRows {
  /** The row comes from this row of the scored terms. */
  scored: Int32Array;
  /** The row comes from this row of the transfers; -1 without a source. */
  transfer: Int32Array;
}

function sourceRows({ source, candidate }: ScoredCandidates, transfers: Transfers): SourceRows {
  const scored = new GrowingInt32();
  const transfer = new GrowingInt32();
  const firstOf = firstTransfers(transfers.candidate);
  const add = (at: number, row: number): void => {
    scored.push(at);
    transfer.push(row);
  };
  source.forEach((reference, at) => {
    if (reference < 0) add(at, -1);
    else
      for (let row = firstOf[candidate[at]]; transfers.candidate[row] === candidate[at]; row++) add(at, row);
  });
  return { scored: scored.finish(), transfer: transfer.finish() };
}

/** Finds the first row of each candidate; the rows of a candidate are adjacent. */
function firstTransfers(candidate: Int32Array): number[] {
  const first: number[] = [];
  candidate.forEach((of, row) => {
    first[of] ??= row;
  });
  return first;
}

interface Found {
  candidates: Candidates;
  transfers: Transfers;
  scored: ScoredCandidates;
  rows: SourceRows;
}

function columns(
  { candidates, transfers, scored, rows }: Found,
  bank: OpenBank,
): Omit<TransferOutput, 'uncertified' | 'recall' | 'similar_proteins' | 'supporters'> {
  const { arrays } = bank;
  const ofTerm = (values: Int32Array) => rows.scored.map((at) => values[at]);
  /** Each row names its candidate if neighbours have its term, else -1. */
  const ofCandidate = rows.scored.map((at) => scored.candidate[at]);
  const integers = (values: Int32Array) => ofCandidate.map((at) => (at < 0 ? -1 : values[at]));
  const reals = (values: Float32Array) =>
    Float32Array.from(ofCandidate, (at) => (at < 0 ? Number.NaN : values[at]));
  const ofSource = (values: Int32Array) => rows.transfer.map((at) => (at < 0 ? -1 : values[at]));
  const term = ofTerm(scored.term);
  const reference = ofSource(transfers.reference);
  const { vote_count, k_position, neighbor_distance_std, neighbor_vote_fraction } =
    candidateColumns(candidates);
  return {
    query: ofTerm(scored.query),
    term,
    reference,
    distance: Float32Array.from(rows.transfer, (at) => (at < 0 ? Number.NaN : transfers.distance[at])),
    score: Float32Array.from(rows.scored, (at) => scored.score[at]),
    term_rank: ofTerm(ranksInGroups(scored.query)),
    is_nearest: Uint8Array.from(rows.scored, (at, row) => (reference[row] === scored.source[at] ? 1 : 0)),
    evidence_code: ofSource(transfers.evidence),
    qualifier: Uint8Array.from(reference, (of, row) =>
      of < 0 ? noQualifier : arrays.qualifier[entryOf(arrays, of, term[row])],
    ),
    vote_count: integers(vote_count),
    k_position: integers(k_position),
    go_term_frequency: term.map((one) => bank.termFrequency[one]),
    ref_annotation_density: reference.map((of) =>
      of < 0 ? -1 : arrays.termStart[of + 1] - arrays.termStart[of],
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

export const transferTask = task(import.meta.url, transfer);
