/** Flags of predict_go_terms that fill feature columns. */
export const featureFlags = ['compute_alignments', 'compute_taxonomy', 'compute_reranker_features'] as const;
export type FeatureFlag = (typeof featureFlags)[number];

/** `boolean` counts as 0 and 1 where a number is needed; `category` is text. */
export type FeatureType = 'real' | 'integer' | 'boolean' | 'category';

export interface FeatureColumn {
  name: string;
  type: FeatureType;
  /** What is counted or measured, with the range where it is bounded; null for categories. */
  unit: string | null;
  meaning: string;
  /** The column is null unless all of these were given; none: always filled. */
  flags: readonly FeatureFlag[];
  /** Null as well while the service has no file of GO term vectors. */
  needsTermVectors?: true;
}

type Described = Omit<FeatureColumn, 'name' | 'flags'>;
const real = (unit: string, meaning: string): Described => ({ type: 'real', unit, meaning });
const integer = (unit: string, meaning: string): Described => ({ type: 'integer', unit, meaning });
const boolean = (meaning: string): Described => ({ type: 'boolean', unit: '0 or 1', meaning });
const category = (meaning: string): Described => ({ type: 'category', unit: null, meaning });
const fromVectors = (column: Described): Described => ({ ...column, needsTermVectors: true });

const named = (flags: readonly FeatureFlag[], columns: Record<string, Described>): FeatureColumn[] =>
  Object.entries(columns).map(([name, column]) => ({ name, ...column, flags }));

const aligned = (suffix: 'nw' | 'sw', kind: string): Record<string, Described> => ({
  [`identity_${suffix}`]: real('share, 0 to 1', `Identical columns of the ${kind} alignment with the donor`),
  [`similarity_${suffix}`]: real(
    'share, 0 to 1',
    `Columns of the ${kind} alignment with a positive BLOSUM62 score`,
  ),
  [`alignment_score_${suffix}`]: real('BLOSUM62 score', `Raw score of the ${kind} alignment`),
  [`gaps_pct_${suffix}`]: real('share, 0 to 1', `Gap columns of the ${kind} alignment`),
  [`alignment_length_${suffix}`]: real('columns', `Length of the ${kind} alignment`),
});

/** Axes of the query's vector that the rows carry. */
export const projectionAxes = 16;

/**
 * The feature vector of a (query, term) pair, in order: the table go_prediction_features, the downloads, the exports,
 * the models' schema and the reference page are made from this list. Values belong to the nearest donor of the term
 * unless the meaning says otherwise; frequencies and densities are those of the whole reference set.
 */
export const featureColumns: readonly FeatureColumn[] = [
  ...named([], {
    distance: real('cosine distance, 0 to 2, or squared l2', 'Distance to the nearest donor'),
  }),
  ...named(['compute_alignments'], {
    ...aligned('nw', 'global'),
    ...aligned('sw', 'local'),
    length_query: integer('residues', 'Length of the query'),
    length_ref: integer('residues', 'Length of the donor'),
  }),
  ...named(['compute_taxonomy'], {
    taxonomic_distance: integer(
      'edges',
      'Path between the taxa of query and donor; null where one is unknown',
    ),
    taxonomic_common_ancestors: integer('taxa', 'Taxa that both lineages hold'),
  }),
  ...named(['compute_reranker_features'], {
    vote_count: integer('neighbours, 1 to k', 'Neighbours (distinct sequences) that carry the term'),
    k_position: integer('place, 1 to k', 'Place of the nearest neighbour that carries the term'),
    go_term_frequency: integer('proteins', 'Proteins of the reference set that carry the term'),
    ref_annotation_density: integer('terms', 'Terms that the donor carries in the reference set'),
    neighbor_distance_std: real(
      'as distance',
      'Standard deviation of the distances of all neighbours of the query',
    ),
    neighbor_vote_fraction: real('share, 0 to 1', 'vote_count / k'),
    neighbor_min_distance: real('as distance', 'Least distance among the neighbours that carry the term'),
    neighbor_mean_distance: real('as distance', 'Mean distance of the neighbours that carry the term'),
    anc2vec_neighbor_cos: fromVectors(
      real('cosine, -1 to 1', "Term against the mean direction of the neighbours' other terms of its aspect"),
    ),
    anc2vec_neighbor_maxcos: fromVectors(
      real('cosine, -1 to 1', "Term against the most similar of the neighbours' other terms of its aspect"),
    ),
    anc2vec_has_emb: fromVectors(boolean('The term has a vector')),
    anc2vec_query_known_cos: fromVectors(
      real(
        'cosine, -1 to 1',
        "Term against the mean direction of the query's other known terms of its aspect",
      ),
    ),
    anc2vec_query_known_maxcos: fromVectors(
      real('cosine, -1 to 1', "Term against the most similar of the query's other known terms of its aspect"),
    ),
    anc2vec_query_known_count: fromVectors(
      integer('terms', "The query's known terms of the aspect that have a vector"),
    ),
  }),
  ...named(['compute_reranker_features', 'compute_taxonomy'], {
    tax_voters_same_frac: real('share, 0 to 1', 'Donors of the term that are of the taxon of the query'),
    tax_voters_close_frac: real(
      'share, 0 to 1',
      'Donors of the term whose taxon is that of the query, above it, below it or close to it',
    ),
    tax_voters_mean_common_ancestors: real(
      'taxa',
      'Mean taxonomic_common_ancestors of the donors of the term',
    ),
  }),
  ...named(['compute_reranker_features'], {
    ...Object.fromEntries(
      Array.from({ length: projectionAxes }, (_, axis) => [
        `emb_pca_query_${axis}`,
        real(
          'as the vector',
          `Vector of the query along principal axis ${axis + 1} of the embedding configuration`,
        ),
      ]),
    ),
    lineage_is_ancestor_of_known: boolean('The term lies above a known term of the query'),
    lineage_is_descendant_of_known: boolean('The term lies below a known term of the query'),
    lineage_ancestor_of_count: integer('terms', 'Known terms of the query that lie below the term'),
    lineage_descendant_of_count: integer('terms', 'Known terms of the query that lie above the term'),
  }),
  ...named([], {
    qualifier: category('Qualifier of the annotation of the donor'),
    evidence_code: category('Strongest evidence of the donor for the term'),
  }),
  ...named(['compute_taxonomy'], {
    taxonomic_relation: category('How the taxon of the query stands to that of the donor'),
  }),
  ...named([], { aspect: category('bpo, mfo or cco') }),
];

export const featureNames: readonly string[] = featureColumns.map((column) => column.name);
export const numericFeatures: readonly string[] = featureColumns
  .filter((column) => column.type !== 'category')
  .map((column) => column.name);
export const categoryFeatures: readonly string[] = featureColumns
  .filter((column) => column.type === 'category')
  .map((column) => column.name);

const byName = new Map(featureColumns.map((column) => [column.name, column]));
/** The column of a name, or undefined. */
export function featureColumn(name: string): FeatureColumn | undefined {
  return byName.get(name);
}

/** Aspect letters of the ontology as they stand in the column `aspect`. */
export const featureAspects: Readonly<Record<'P' | 'F' | 'C', string>> = { P: 'bpo', F: 'mfo', C: 'cco' };
