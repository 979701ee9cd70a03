interface KnnChoices {
  runner: string | null;
  runner_parameters: object | null;
  distance_threshold: number | null;
  metric: string;
  aspect_separated_knn: boolean;
  include_self: boolean;
  compute_alignments: boolean;
  compute_taxonomy: boolean;
  compute_reranker_features: boolean;
  search: string;
}
/** The choices that only the transfer from nearest neighbours has, with a test of whether each has its default. */
export const onlyKnn: Record<keyof KnnChoices, (payload: KnnChoices) => boolean> = {
  runner: ({ runner }) => runner === null,
  runner_parameters: ({ runner_parameters }) => runner_parameters === null,
  distance_threshold: ({ distance_threshold }) => distance_threshold === null,
  metric: ({ metric }) => metric === 'cosine',
  aspect_separated_knn: ({ aspect_separated_knn }) => aspect_separated_knn,
  include_self: ({ include_self }) => !include_self,
  compute_alignments: ({ compute_alignments }) => !compute_alignments,
  compute_taxonomy: ({ compute_taxonomy }) => !compute_taxonomy,
  compute_reranker_features: ({ compute_reranker_features }) => !compute_reranker_features,
  search: ({ search }) => search === 'exact',
};
