/** A model of one tree, by the distance of the nearest source. */
export const rerankerFiles = {
  'model.txt': [
    ...[
      'tree',
      'version=v4',
      'num_class=1',
      'num_tree_per_iteration=1',
      'label_index=0',
      'max_feature_idx=0',
    ],
    ...['objective=binary sigmoid:1', 'feature_names=distance', 'feature_infos=[0:2]', 'tree_sizes=1', ''],
    ...['Tree=0', 'num_leaves=2', 'num_cat=0', 'split_feature=0', 'threshold=0.3', 'decision_type=10'],
    ...[
      'left_child=-1',
      'right_child=-2',
      'leaf_value=1 -1',
      '',
      'end of trees',
      '',
      'pandas_categorical:[]',
      '',
    ],
  ].join('\n'),
  'spec.yaml': 'training:\n  cell: pk-bpo\n',
  'run.json': JSON.stringify({ run_id: 'browser-run', metrics: { auc: 0.9 } }),
};
