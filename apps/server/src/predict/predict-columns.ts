import { ProblemError } from '@kindred/contracts';
import { pairFeatureColumns } from '@kindred/kernels/features';
import { type ColumnArrays, columnsFrom, type ComputedColumnName } from '@kindred/kernels/prediction';
import { taxonomicRelations } from '@kindred/kernels/taxonomy';
import type { RunnerChoice } from './compute/runner-scores.js';
import { type GraphSearch, type TransferOutput, transferTask } from './compute/tasks/transfer.js';
import { type ReferenceBank, searchedBank, sequenceNumber } from './compute/reference-bank.js';
import type { BatchColumns, ColumnTexts } from '../store/predictions/prediction-writer.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import { alignNeighbours } from './align-neighbours.js';
import { compareSourceTaxa } from './compare-source-taxa.js';
import type { OperationContext } from '../work/operation/operation.js';
import { computePairFeatures } from './pair-features.js';
import { type Merging, mergedInput } from './banks/merged-embeddings.js';
import { queryVectors } from './banks/query-vectors.js';
import { termVectorsOf } from './term-vectors.js';

/** The choices say how terms are transferred and which columns are filled. */
export interface TransferChoices {
  metric: 'cosine' | 'l2';
  k: number;
  distanceThreshold: number | null;
  includeSelf: boolean;
  aspectSeparated: boolean;
  alignments: boolean;
  /** Taxa are compared with the taxonomy of this SHA-256; null if they are not compared. */
  taxonomySha256: string | null;
  rerankerFeatures: boolean;
  /** The runner scores the terms; null if only features of the neighbours are needed. */
  runner: RunnerChoice | null;
  /** An approximate search uses this graph; null means exact. */
  graph: GraphSearch | null;
  /** The neighbours in these other embeddings are merged in; null means none. */
  merging: Merging | null;
  /** The SHA-256 of the file of GO term vectors to compare with; null if terms are not compared. */
  termVectorsSha256: string | null;
}

export interface TransferSubject {
  queries: QueryRow[];
  bank: ReferenceBank;
  config: { number: number; dimension: number };
  /** The bank's annotation set has this snapshot. */
  snapshotId: string;
}

/** The columns are computed for a batch of queries. */
export interface PredictedColumns {
  rows: TransferOutput;
  /** The flag is true if a feature was requested, so that each pair has a feature vector. */
  hasFeatures: boolean;
  /** Each column has a name, and one value for each of its subjects; pairs have the order of their rows. */
  columns: BatchColumns;
  texts: ColumnTexts;
}

/** Computes the neighbours of the queries, the terms that they give, and the requested columns. */
export async function predictColumns(
  { queries, bank, config, snapshotId }: TransferSubject,
  choices: TransferChoices,
  context: OperationContext,
): Promise<PredictedColumns> {
  const vectors = await queryVectors(queries, config, context);
  const rows = await context.compute.run(
    transferTask,
    {
      bank: searchedBank(bank),
      metric: choices.metric,
      k: choices.k,
      distanceThreshold: choices.distanceThreshold,
      includeSelf: choices.includeSelf,
      aspectSeparated: choices.aspectSeparated,
      nQuery: queries.length,
      graph: choices.graph,
      runner: choices.runner,
      merged: choices.merging === null ? null : await mergedInput(choices.merging, queries, context),
      ...vectors,
      querySequence: Int32Array.from(queries, (query) => sequenceNumber(bank.arrays, query.sequence_id)),
    },
    { signal: context.signal },
  );
  const { taxonomySha256, rerankerFeatures, termVectorsSha256 } = choices;
  if (rerankerFeatures) requireSources(rows, choices.runner);
  const taxonomy =
    taxonomySha256 === null
      ? null
      : await compareSourceTaxa({ rows, queries, bank, taxonomySha256 }, context);
  const alignments = choices.alignments ? await alignNeighbours(rows, queries, bank, context) : null;
  const termVectors = rerankerFeatures ? await termVectorsOf(bank, termVectorsSha256, context) : null;
  const pairs = rerankerFeatures
    ? await computePairFeatures(
        { rows, queries, vectors, config, snapshotId, bank, taxonomy, termVectors },
        context,
      )
    : null;
  return {
    rows,
    hasFeatures: alignments !== null || taxonomy !== null || rerankerFeatures,
    columns: {
      ...pickColumns(rows, columnsFrom('transfer')),
      ...pickColumns(rows, ['similar_proteins', 'supporters']),
      ...alignments,
      ...taxonomy,
      ...(rerankerFeatures && pickColumns(rows, columnsFrom('aggregates'))),
      ...(pairs && pairFeatureColumns(pairs, queries.length)),
    },
    texts: {
      qualifier: bank.texts.qualifiers,
      evidence_code: bank.texts.evidenceCodes,
      taxonomic_relation: taxonomicRelations,
    },
  };
}

/** @throws ProblemError conflict if a term has no source, because the features describe it */
function requireSources({ reference }: TransferOutput, runner: RunnerChoice | null): void {
  if (runner === null || !reference.includes(-1)) return;
  throw new ProblemError(
    'conflict',
    `The runner ${runner.name} gives terms that no neighbour gave, so they have no features of a source: leave compute_reranker_features out.`,
  );
}

function pickColumns<Name extends ComputedColumnName>(
  from: ColumnArrays<Name>,
  names: readonly Name[],
): ColumnArrays<Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as ColumnArrays<Name>;
}
