import type { CombinedQuery, CombinedReference, ProbabilityCurve } from '@kindred/kernels/combined';
import type { SeedIndex } from '@kindred/kernels/homology';
import type { OntologyColumns, TermRows } from '@kindred/kernels/ontology';
import type { EmptyReason } from '@kindred/kernels/query-check';
import type { MergedWith } from './merged-search.js';
import type { ComputeTask } from '../../ground/pool/pool.js';
import type { BankArrays, SearchedBank } from './reference-bank.js';

export interface CombinedReferenceInput {
  bank: Pick<BankArrays, 'termStart' | 'terms' | 'groups' | 'referenceTaxon'>;
  /** Live terms, numbered as in the bank. */
  ontology: OntologyColumns;
}

/** Data that the combination has about a bank, in memory that all threads see. */
export interface SharedReference {
  reference: CombinedReference;
  /** Each term itself and everything above it. */
  closure: TermRows;
  /** Taxon of each organism's number, ascending. */
  organismTaxa: Int32Array;
}

export const combinedReferenceTask: ComputeTask<CombinedReferenceInput, SharedReference> = {
  file: new URL('./tasks/combined-reference.js', import.meta.url),
  export: 'combinedReference',
};

/** Everything that a thread needs to score queries. */
export interface CombinedSources {
  bank: SearchedBank;
  shared: SharedReference;
  /** Words of the bank's sequences, numbered as there. */
  index: SeedIndex;
  /** Identifies `shared` and `index`: a thread keeps what it built for the last key. */
  key: string;
}

export interface CombinedInput extends CombinedSources {
  /** Number of donors by alignment, and the same number by distance. */
  k: number;
  /** Aspects that are predicted: 1 for yes. [3] */
  aspects: Uint8Array;
  curves: readonly ProbabilityCurve[];
  /** Residues of each query. */
  sequences: string[];
  /** Float32 [rows x dimension] and the query of each row. */
  vectors: Float32Array;
  queryOfRow: Int32Array;
  /** Merge the neighbours with those in other embeddings; null: one embedding. */
  merged: MergedWith | null;
  /** Index into the bank's sequences, -1 where it has none: [queries]. */
  querySequence: Int32Array;
  /** The reference that the query is, -1 for none: [queries]. */
  self: Int32Array;
  /** NCBI taxon, 0 where unknown: [queries]. */
  taxon: Int32Array;
  /** Superkingdom, null where unknown: [queries]. */
  kingdom: readonly (string | null)[];
}

/** Kinds of support for a term: only its frequency or the terms it occurs with, a donor, or the protein's own annotation. */
export const combinedSources = ['none', 'protein', 'own_annotation'] as const;

/** Columns of one length, a row per (query, term): by query, then by falling score. */
export interface CombinedOutput {
  query: Int32Array;
  term: Int32Array;
  /** The best donor with the term; the query itself where its own annotation speaks; -1 for none. */
  reference: Int32Array;
  /** Indices into `combinedSources`. */
  source: Uint8Array;
  /** Index into the bank's evidence codes where the source has the term itself, else -1. */
  evidence: Int32Array;
  score: Float32Array;
  /** Probability; NaN: not calibrated. */
  probability: Float32Array;
  low: Float32Array;
  high: Float32Array;
  /** Index into the curves, -1 where a row has none. */
  curve: Int32Array;
  /** Distance of the nearest donor with the term, NaN without one. */
  distance: Float32Array;
  /** Identity of the alignment with the source, NaN without one. */
  identity: Float32Array;
  /** Similar proteins with a term of the aspect, and those of them with the term. */
  similar: Int32Array;
  supporters: Int32Array;
  /** Place in the answer, from 1; -1: only the term's frequency supports it. */
  answerRank: Int32Array;
  /** Why a query has no rows: [queries]. */
  noAnswer: (EmptyReason | null)[];
  /** The donors that count in the scores, null for a query without an answer: [queries]. */
  donors: (Pick<CombinedQuery, 'aligned' | 'near'> | null)[];
}

export const combinedTask: ComputeTask<CombinedInput, CombinedOutput> = {
  file: new URL('./tasks/combined.js', import.meta.url),
  export: 'combined',
};
