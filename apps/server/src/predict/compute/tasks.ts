import type { EmbeddingRecipe } from '@kindred/contracts';
import type { ColumnArrays, ColumnsFrom } from '@kindred/kernels/prediction';
import type { MergedWith } from './merged-search.js';
import type { ComputeTask } from '../../ground/pool/pool.js';
import type { SearchedBank } from './reference-bank.js';

export interface EmbedInput {
  recipe: EmbeddingRecipe;
  sequences: string[];
}
export interface EmbedOutput {
  dimension: number;
  sequenceIndex: Int32Array;
  chunkStart: Int32Array;
  chunkEnd: Int32Array;
  /** float16 bits [rows x dimension] */
  vectors: Uint16Array;
  /** Components that did not fit float16 and were clipped. */
  clipped: number;
  /** The thread had the model already. */
  modelKept: boolean;
  /** Timings that the backend measured of its model. */
  measured: Record<string, number>;
}
export const embedTask: ComputeTask<EmbedInput, EmbedOutput> = {
  file: new URL('./tasks/embed.js', import.meta.url),
  export: 'embed',
  keepsMuch: true,
};

export interface TransferInput {
  bank: SearchedBank;
  metric: 'cosine' | 'l2';
  k: number;
  distanceThreshold: number | null;
  includeSelf: boolean;
  aspectSeparated: boolean;
  nQuery: number;
  /** float32 [rows x dimension] and the query of each row. */
  vectors: Float32Array;
  queryOfRow: Int32Array;
  /** Index into the bank's sequences, -1 where it has none: [nQuery]. */
  querySequence: Int32Array;
  /** Search the graph instead of the bank; null: exactly. */
  graph: GraphSearch | null;
  /** Merge the neighbours with those in other embeddings; null: one embedding. */
  merged: MergedWith | null;
  /** Scores the terms of the neighbours; null: by the distance of the nearest, for those who need no scores. */
  runner: RunnerChoice | null;
}

/** A runner as a job began with it. */
export interface RunnerChoice {
  name: string;
  version: string;
  parameters: Record<string, unknown>;
}

export interface GraphSearch {
  file: string;
  /** Number of candidates in the first search. */
  expansion: number;
  /** Queries that are searched exactly too, ascending. */
  sample: Int32Array;
}

/** Recall of an approximate search, measured on a sample of its queries. */
export interface Recall {
  /** Number of queries compared. */
  queries: number;
  /** Number of exact neighbours over all lists of the sample, and how many of them were found. */
  neighbours: number;
  found: number;
}

export interface BuildGraphInput {
  vectorsFile: string;
  graphFile: string;
  metric: 'cosine' | 'l2';
}
export const buildGraphTask: ComputeTask<BuildGraphInput, { rows: number }> = {
  file: new URL('./tasks/build-graph.js', import.meta.url),
  export: 'buildGraph',
};

/** Columns of one length, a row per (query, term, reference): by query, then the term's rank, then distance, then accession. */
export interface TransferOutput
  extends ColumnArrays<
    ColumnsFrom<'transfer'> | ColumnsFrom<'aggregates'> | 'similar_proteins' | 'supporters'
  > {
  query: Int32Array;
  /** Index into the bank's terms. */
  term: Int32Array;
  /** -1 where a runner gave the term without a donor. */
  reference: Int32Array;
  /** Queries whose integer bounds did not decide, so that they were searched in float32. */
  uncertified: number;
  /** Null after an exact search. */
  recall: Recall | null;
}
export const transferTask: ComputeTask<TransferInput, TransferOutput> = {
  file: new URL('./tasks/transfer.js', import.meta.url),
  export: 'transfer',
};

export interface AlignInput {
  sequences: string[];
  /** Pair p: sequences[query[p]] with sequences[target[p]]. */
  query: Int32Array;
  target: Int32Array;
}
/** Columns [pairs]: `nw` of the global, `sw` of the local alignment. */
export type AlignOutput = ColumnArrays<Exclude<ColumnsFrom<'alignment'>, 'length_query' | 'length_ref'>>;
export const alignTask: ComputeTask<AlignInput, AlignOutput> = {
  file: new URL('./tasks/align.js', import.meta.url),
  export: 'align',
};
