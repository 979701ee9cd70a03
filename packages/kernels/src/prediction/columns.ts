/**
 * The single list of the columns of a prediction and its features. Each column is defined only here: the types of the
 * tables, the writer, the frame between threads, the downloads, the reply, the feature vector, the models' schema and the
 * reference page are derived from it, and a test compares the migrated tables with it. docs/how-to/extend.md says how to add
 * a column.
 */

/** The flags of predict_go_terms that enable columns. */
export const featureFlags = ['compute_alignments', 'compute_taxonomy', 'compute_reranker_features'] as const;
export type FeatureFlag = (typeof featureFlags)[number];

/**
 * The sources of a column's values, each with the flags that it needs; without all of them the column is null. `key`: the query and the
 * term; `ontology`: joined from the term; `transfer`: the method itself; `source`: what gave the term; `calibration`: the meaning of the
 * score, measured on known proteins; `writer`: made from the other columns when they are stored.
 */
const stages = {
  key: [],
  ontology: [],
  transfer: [],
  source: [],
  calibration: [],
  alignment: ['compute_alignments'],
  taxonomy: ['compute_taxonomy'],
  aggregates: ['compute_reranker_features'],
  neighbours: ['compute_reranker_features'],
  termVectors: ['compute_reranker_features'],
  voterTaxa: ['compute_reranker_features', 'compute_taxonomy'],
  projection: ['compute_reranker_features'],
  lineage: ['compute_reranker_features'],
  writer: [],
} as const satisfies Record<string, readonly FeatureFlag[]>;
export type ColumnStage = keyof typeof stages;

/** The tables that store a column. A column of neither table is derived when it is read. */
export type ColumnTable = 'go_prediction' | 'go_prediction_pair_features';

/**
 * The outputs that have a column: `tsv` is predictions.tsv, `reply` the predictions of a protein, `feature` the feature vector. Within an
 * output, columns keep the order of the list; in the feature vector numbers come before categories.
 */
export type ColumnOutput = 'tsv' | 'reply' | 'feature';

/** The possible sources of a term: a protein of the reference, an InterPro entry, the query's own annotation, or none. */
export const sourceKinds = ['protein', 'interpro_entry', 'own_annotation', 'none'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The types in PostgreSQL. */
export type StorageType = 'int4' | 'float4' | 'bool' | 'text' | 'jsonb';

/** The subject that a value describes: a pair is (query, term), a row is (query, term, source). */
export type ColumnSubject = 'set' | 'query' | 'source' | 'row' | 'pair';

export interface PredictionColumn {
  storage: StorageType;
  nullable: boolean;
  subject: ColumnSubject;
  stage: ColumnStage;
  tables: readonly ColumnTable[];
  outputs: readonly ColumnOutput[];
  /** The unit of the value, with its range if it is bounded; null for flags and texts. */
  unit: string | null;
  meaning: string;
  /** The allowed values of a text; a column without them allows any text. */
  values?: readonly string[];
  /** Whether a `float4` has integer values, which are written without decimals. */
  whole?: true;
  /** Whether the column is null while the service has no file of GO term vectors. */
  needsTermVectors?: true;
  /** The name in the reply, if it differs. */
  replyName?: string;
}

type Described = Pick<PredictionColumn, 'storage' | 'nullable' | 'unit' | 'meaning'>;
const described = <S extends StorageType>(storage: S, unit: string | null, meaning: string) => ({
  storage,
  nullable: true as const,
  unit,
  meaning,
});
const real = (unit: string, meaning: string) => described('float4', unit, meaning);
const integer = (unit: string, meaning: string) => described('int4', unit, meaning);
const bool = (meaning: string) => described('bool', '0 or 1', meaning);
const text = (meaning: string) => described('text', null, meaning);
const oneOf = <const V extends string>(values: readonly V[], meaning: string) => ({
  ...text(meaning),
  values,
});
const required = <C extends Described>(column: C): Omit<C, 'nullable'> & { nullable: false } => ({
  ...column,
  nullable: false,
});
const whole = <C extends Described>(column: C) => ({ ...column, whole: true as const });
const fromTermVectors = <C extends Described>(column: C) => ({ ...column, needsTermVectors: true as const });
const renamed = <C extends Described, const N extends string>(replyName: N, column: C) => ({
  ...column,
  replyName,
});

type Place = Pick<PredictionColumn, 'stage' | 'subject' | 'tables' | 'outputs'>;
/** Adds the place (source, tables, outputs) to several columns at once. */
function placed<const P extends Place, const C extends Record<string, Described>>(
  place: P,
  columns: C,
): { [Name in keyof C]: C[Name] & P } {
  const entries = Object.entries(columns).map(([name, column]) => [name, { ...column, ...place }]);
  return Object.fromEntries(entries) as { [Name in keyof C]: C[Name] & P };
}

const row = { subject: 'row', tables: ['go_prediction'] } as const;
const pair = { subject: 'pair', tables: ['go_prediction_pair_features'] } as const;
const everywhere = { outputs: ['tsv', 'reply', 'feature'] } as const;
const onlyShown = { outputs: ['tsv', 'reply'] } as const;
const onlyReply = { outputs: ['reply'] } as const;
const onlyFeature = { outputs: ['feature'] } as const;
const bothTables = { tables: ['go_prediction', 'go_prediction_pair_features'] } as const;

const share = 'share, 0 to 1';

function aligned<const Suffix extends 'nw' | 'sw'>(suffix: Suffix, kind: string) {
  return {
    [`identity_${suffix}`]: real(share, `Identical columns of the ${kind} alignment with the source`),
    [`similarity_${suffix}`]: real(share, `Columns of the ${kind} alignment with a positive BLOSUM62 score`),
    [`alignment_score_${suffix}`]: whole(real('BLOSUM62 score', `Raw score of the ${kind} alignment`)),
    [`gaps_pct_${suffix}`]: real(share, `Gap columns of the ${kind} alignment`),
    [`alignment_length_${suffix}`]: whole(real('columns', `Length of the ${kind} alignment`)),
  } as Record<`${'identity' | 'similarity' | 'gaps_pct'}_${Suffix}`, ReturnType<typeof real>> &
    Record<`${'alignment_score' | 'alignment_length'}_${Suffix}`, ReturnType<typeof real> & { whole: true }>;
}

/** The number of principal axes of the query's vector in each row. */
export const projectionAxes = 16;
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Axis = Digit | `1${0 | 1 | 2 | 3 | 4 | 5}`;
const axes = Object.fromEntries(
  Array.from({ length: projectionAxes }, (_, axis) => [
    `emb_pca_query_${axis}`,
    real(
      'as the vector',
      `Vector of the query along principal axis ${axis + 1} of the embedding configuration`,
    ),
  ]),
) as Record<`emb_pca_query_${Axis}`, ReturnType<typeof real>>;

export const predictionColumns = {
  ...placed(
    { ...bothTables, stage: 'key', subject: 'set', outputs: [] },
    {
      prediction_set_number: required(integer('number', 'Prediction set')),
    },
  ),
  ...placed(
    { ...bothTables, stage: 'key', subject: 'query', outputs: ['tsv'] },
    {
      protein_accession: required(text('Query protein')),
    },
  ),
  ...placed(
    { ...bothTables, stage: 'key', subject: 'row', outputs: [] },
    {
      go_term_id: required(integer('number', 'Row of the term in go_term')),
    },
  ),
  ...placed(
    { ...onlyShown, stage: 'ontology', subject: 'row', tables: [] },
    {
      go_id: required(text('Predicted GO term')),
      go_name: renamed('name', required(text('Name of the term'))),
      go_aspect: renamed('aspect', required(oneOf(['P', 'F', 'C'], 'Aspect of the term'))),
    },
  ),
  ...placed(
    { ...row, ...onlyReply, stage: 'transfer' },
    {
      score: required(real('0 to 1', 'Score of the term for the query')),
    },
  ),
  ...placed(
    { ...row, ...onlyReply, stage: 'calibration' },
    {
      probability: real('0 to 1', 'Calibrated probability that the term is right; null: not calibrated'),
      probability_low: real('0 to 1', 'Lower bound of the 95 % interval of the probability'),
      probability_high: real('0 to 1', 'Upper bound of the 95 % interval of the probability'),
      calibrated_on: text('Data that the probability was measured on'),
      answer_rank: integer(
        'place, from 1',
        'Place of the term in the answer, where probable and informative terms come first; null: not in it',
      ),
      source_found_by: text(
        'File of uploaded hits, with its program, where a hit of it is the alignment with the source; null: the own search found the source',
      ),
      contradiction: text('Taxon constraint or NOT annotation that speaks against the term; null: none'),
    },
  ),
  ...placed(
    { ...row, ...everywhere, stage: 'transfer' },
    {
      distance: real('cosine distance, 0 to 2, or squared l2', 'Distance to the nearest source'),
    },
  ),
  ...placed(
    { ...row, stage: 'transfer', outputs: [] },
    {
      term_rank: required(integer('place, from 1', 'Place of the term among those of the query')),
    },
  ),
  ...placed(
    { ...row, ...onlyReply, stage: 'transfer' },
    {
      is_nearest: required(bool('The nearest source with the term; score and features belong to it')),
    },
  ),
  ...placed(
    { ...onlyReply, stage: 'source', subject: 'source', tables: ['go_prediction'] },
    {
      source_kind: required(oneOf(sourceKinds, 'What gave the term')),
      source_id: text('Accession or InterPro entry of the source; null: the term has none'),
    },
  ),
  ...placed(
    { ...row, ...onlyReply, stage: 'source' },
    {
      source_identity: real(
        share,
        'Identical columns of the alignment with the source by which it was found',
      ),
      similar_proteins: integer(
        'proteins',
        'Similar proteins with a term of the aspect: of the 50 best by alignment, those with an E-value of at most 0.001 (combined), or the nearest neighbours, each sequence once (knn)',
      ),
      supporters: integer(
        'proteins, 0 to similar_proteins',
        'Those of the similar proteins that have the term',
      ),
    },
  ),
  ...placed(
    { ...onlyShown, stage: 'source', subject: 'source', tables: [] },
    {
      ref_protein_accession: text('Accession of the source, where it is a protein'),
    },
  ),
  ...placed(
    { ...row, ...everywhere, stage: 'transfer' },
    {
      qualifier: text('Qualifier of the annotation of the source'),
      evidence_code: text('Strongest evidence of the source for the term'),
    },
  ),
  ...placed(
    { ...row, ...everywhere, stage: 'alignment' },
    {
      ...aligned('nw', 'global'),
      ...aligned('sw', 'local'),
      length_query: integer('residues', 'Length of the query'),
      length_ref: integer('residues', 'Length of the source'),
    },
  ),
  ...placed(
    { ...onlyShown, stage: 'key', subject: 'query', tables: ['go_prediction'] },
    {
      query_taxonomy_id: integer('NCBI taxon', 'Taxon of the query'),
    },
  ),
  ...placed(
    { ...onlyShown, stage: 'source', subject: 'source', tables: ['go_prediction'] },
    {
      ref_taxonomy_id: integer('NCBI taxon', 'Taxon of the source'),
    },
  ),
  ...placed(
    { ...row, ...onlyShown, stage: 'taxonomy' },
    {
      taxonomic_lca: integer('NCBI taxon', 'Last common ancestor of query and source'),
    },
  ),
  ...placed(
    { ...row, ...everywhere, stage: 'taxonomy' },
    {
      taxonomic_distance: integer(
        'edges',
        'Path between the taxa of query and source; null where one is unknown',
      ),
      taxonomic_common_ancestors: integer('taxa', 'Taxa that both lineages hold; null where one is unknown'),
      taxonomic_relation: text(
        'The relation of the taxon of the query to that of the source; null where one is unknown',
      ),
    },
  ),
  ...placed(
    { ...row, ...everywhere, stage: 'aggregates' },
    {
      vote_count: integer('neighbours, 1 to k', 'Neighbours (distinct sequences) that carry the term'),
      k_position: integer('place, 1 to k', 'Place of the nearest neighbour that carries the term'),
      go_term_frequency: integer('proteins', 'Proteins of the reference that carry the term'),
      ref_annotation_density: integer('terms', 'Terms that the source carries in the reference'),
      neighbor_distance_std: real(
        'as distance',
        'Standard deviation of the distances of all neighbours of the query',
      ),
      neighbor_vote_fraction: real(share, 'vote_count / k'),
    },
  ),
  ...placed(
    { ...pair, ...onlyFeature, stage: 'neighbours' },
    {
      neighbor_min_distance: real('as distance', 'Least distance among the neighbours that carry the term'),
      neighbor_mean_distance: real('as distance', 'Mean distance of the neighbours that carry the term'),
    },
  ),
  ...placed(
    { ...pair, ...onlyFeature, stage: 'termVectors' },
    {
      anc2vec_neighbor_cos: fromTermVectors(
        real(
          'cosine, -1 to 1',
          "Term against the mean direction of the neighbours' other terms of its aspect",
        ),
      ),
      anc2vec_neighbor_maxcos: fromTermVectors(
        real('cosine, -1 to 1', "Term against the most similar of the neighbours' other terms of its aspect"),
      ),
      anc2vec_has_emb: fromTermVectors(bool('The term has a vector')),
      anc2vec_query_known_cos: fromTermVectors(
        real(
          'cosine, -1 to 1',
          "Term against the mean direction of the query's other known terms of its aspect",
        ),
      ),
      anc2vec_query_known_maxcos: fromTermVectors(
        real(
          'cosine, -1 to 1',
          "Term against the most similar of the query's other known terms of its aspect",
        ),
      ),
      anc2vec_query_known_count: fromTermVectors(
        integer('terms', "The query's known terms of the aspect that have a vector"),
      ),
    },
  ),
  ...placed(
    { ...pair, ...onlyFeature, stage: 'voterTaxa' },
    {
      tax_voters_same_frac: real(share, 'Sources of known taxon that are of the taxon of the query'),
      tax_voters_close_frac: real(
        share,
        'Sources of known taxon whose taxon is that of the query, above it, below it or close to it',
      ),
      tax_voters_mean_common_ancestors: real(
        'taxa',
        'Mean taxonomic_common_ancestors of the sources of known taxon',
      ),
    },
  ),
  ...placed({ ...pair, ...onlyFeature, subject: 'query', stage: 'projection' }, axes),
  ...placed(
    { ...pair, ...onlyFeature, stage: 'lineage' },
    {
      lineage_is_ancestor_of_known: bool('The term is above a known term of the query'),
      lineage_is_descendant_of_known: bool('The term is below a known term of the query'),
      lineage_ancestor_of_count: integer('terms', 'Known terms of the query that lie below the term'),
      lineage_descendant_of_count: integer('terms', 'Known terms of the query that lie above the term'),
    },
  ),
  ...placed(
    { ...onlyFeature, stage: 'ontology', subject: 'pair', tables: [] },
    {
      aspect: required(oneOf(['bpo', 'mfo', 'cco'], 'bpo, mfo or cco')),
    },
  ),
  ...placed(
    { ...row, stage: 'writer', outputs: [] },
    {
      predictions_jsonb: described(
        'jsonb',
        null,
        'The feature vector as an object, if the operator asked for it',
      ),
    },
  ),
} satisfies Record<string, PredictionColumn>;

type Columns = typeof predictionColumns;
export type PredictionColumnName = keyof Columns;

/** The names of the columns whose property `Key` equals `Value`, or contains it if the property is a list. */
type NamesWith<Key extends keyof PredictionColumn, Value> = {
  [Name in PredictionColumnName]: Columns[Name] extends Record<Key, infer Held>
    ? Value extends (Held extends readonly (infer Item)[] ? Item : Held)
      ? Name
      : never
    : never;
}[PredictionColumnName];

export type ColumnsIn<Output extends ColumnOutput> = NamesWith<'outputs', Output>;
export type ColumnsOf<Table extends ColumnTable> = NamesWith<'tables', Table>;
export type ColumnsFrom<Stage extends ColumnStage> = NamesWith<'stage', Stage>;

interface Values {
  int4: number;
  float4: number;
  bool: boolean;
  text: string;
  jsonb: unknown;
}
export type ColumnValue<Name extends PredictionColumnName> =
  | (Columns[Name] extends { values: readonly (infer Value)[] } ? Value : Values[Columns[Name]['storage']])
  | (Columns[Name]['nullable'] extends true ? null : never);

interface Arrays {
  int4: Int32Array;
  float4: Float32Array;
  bool: Uint8Array;
  text: Uint8Array | Int32Array;
}
/**
 * The values of columns as the stages compute them. A null is NaN in a `float4` and negative in an `int4`. A `text` is an index into a
 * list of texts, which stands for null if it is negative or beyond the end. A `bool` is 1 or 0.
 */
export type ColumnArrays<Name extends ComputedColumnName = ComputedColumnName> = {
  [Key in Name]: Arrays[Columns[Key]['storage']];
};
export type ComputedColumnName = Exclude<PredictionColumnName, 'predictions_jsonb'>;

export const predictionColumnNames = Object.keys(predictionColumns) as PredictionColumnName[];

const named = (takes: (column: PredictionColumn) => boolean) =>
  predictionColumnNames.filter((name) => takes(predictionColumns[name]));

/** Returns the names of the columns of an output, in order. */
export function columnsIn<Output extends ColumnOutput>(output: Output): ColumnsIn<Output>[] {
  return named(({ outputs }) => outputs.includes(output)) as ColumnsIn<Output>[];
}

export function columnsOf<Table extends ColumnTable>(table: Table): ColumnsOf<Table>[] {
  return named(({ tables }) => tables.includes(table)) as ColumnsOf<Table>[];
}

export function columnsFrom<Stage extends ColumnStage>(stage: Stage): ColumnsFrom<Stage>[] {
  return named((column) => column.stage === stage) as ColumnsFrom<Stage>[];
}

export type ReplyName<Name extends PredictionColumnName> = Columns[Name] extends {
  replyName: infer Reply extends string;
}
  ? Reply
  : Name;

export function replyNameOf(name: PredictionColumnName): string {
  return predictionColumn(name).replyName ?? name;
}

export function predictionColumn(name: PredictionColumnName): PredictionColumn {
  return predictionColumns[name];
}

/** Returns the flags that a column needs; without all of them it is null. */
export function flagsOf({ stage }: PredictionColumn): readonly FeatureFlag[] {
  return stages[stage];
}
