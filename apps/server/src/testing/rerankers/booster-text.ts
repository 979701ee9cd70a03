import { featureNames } from '@kindred/kernels/features';

export interface BoosterChoices {
  features?: readonly string[];
  objective?: string;
  /** The value of the leaf for near sources distinguishes models. */
  near?: number;
}

const evidence = ['EXP', 'IDA', 'IEA'];
const aspects = ['bpo', 'cco', 'mfo'];

/**
 * Writes a model of two trees: near sources (distance <= 0.3) and evidence codes EXP or IDA raise the score.
 * Category values are written as LightGBM does for pandas tables.
 */
export function boosterText(choices: BoosterChoices = {}): string {
  const features = choices.features ?? featureNames;
  const categories: Record<string, string[]> = {
    qualifier: ['enables'],
    evidence_code: evidence,
    taxonomic_relation: ['same'],
    aspect: aspects,
  };
  const lists = features.filter((name) => name in categories).map((name) => categories[name]);
  const infos = features.map((name) => (name in categories ? '0:1' : '[0:2]'));
  const distance = features.indexOf('distance');
  const code = features.indexOf('evidence_code');
  const tree = (lines: string[]) => ['num_leaves=2', ...lines, 'left_child=-1', 'right_child=-2'];
  return [
    ...['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'label_index=0'],
    `max_feature_idx=${features.length - 1}`,
    `objective=${choices.objective ?? 'binary sigmoid:1'}`,
    `feature_names=${features.join(' ')}`,
    `feature_infos=${infos.join(' ')}`,
    'tree_sizes=1 1',
    '',
    'Tree=0',
    ...tree(['num_cat=0', `split_feature=${distance}`, 'threshold=0.3', 'decision_type=10']),
    `leaf_value=${choices.near ?? 1} -1`,
    '',
    'Tree=1',
    ...tree(['num_cat=1', `split_feature=${code}`, 'threshold=0', 'decision_type=1']),
    ...['cat_boundaries=0 1', 'cat_threshold=3', 'leaf_value=0.5 -0.5'],
    '',
    'end of trees',
    '',
    `pandas_categorical:${JSON.stringify(lists)}`,
    '',
  ].join('\n');
}
