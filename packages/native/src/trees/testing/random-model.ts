import { Random } from '@kindred/kernels/arrays';

const features = 6;

/** Writes a model in LightGBM's text format with random trees that have every missing type, default direction and kind of split. */
export function randomModelText(seed: number): string {
  const random = new Random(seed);
  const outputs = 1 + random.integer(3);
  const trees = outputs * (1 + random.integer(4));
  const lines = [
    'tree',
    'version=v4',
    `num_class=${outputs}`,
    `num_tree_per_iteration=${outputs}`,
    `max_feature_idx=${features - 1}`,
    `feature_names=${Array.from({ length: features }, (_, i) => `f${i}`).join(' ')}`,
    `feature_infos=${Array.from({ length: features }, () => '[-3:3]').join(' ')}`,
    '',
  ];
  for (let tree = 0; tree < trees; tree++) lines.push(`Tree=${tree}`, ...treeLines(random), '', '');
  lines.push('end of trees', '');
  return lines.join('\n');
}

function treeLines(random: Random): string[] {
  const leaves = 1 + random.integer(random.float() < 0.2 ? 120 : 40);
  const categoricalShare = random.float() < 0.5 ? 0.3 : 0;
  const leafValue = Array.from({ length: leaves }, () => random.float() - 0.5);
  if (leaves === 1) return ['num_leaves=1', 'num_cat=0', `leaf_value=${leafValue[0]}`];
  const left: number[] = [];
  const right: number[] = [];
  // The tree grows leaf by leaf: each split replaces a leaf, which becomes its left child.
  for (let split = 0; split < leaves - 1; split++) {
    const old = split === 0 ? 0 : random.integer(split + 1);
    for (const children of [left, right]) {
      const at = children.indexOf(-1 - old);
      if (at >= 0) children[at] = split;
    }
    left.push(-1 - old);
    right.push(-2 - split);
  }
  const sets: number[][] = [];
  const decision: number[] = [];
  const threshold = left.map(() => {
    if (random.float() < categoricalShare) {
      decision.push(1);
      return sets.push(Array.from({ length: 1 + random.integer(2) }, () => random.integer(2 ** 31))) - 1;
    }
    decision.push(random.integer(3) * 4 + random.integer(2) * 2);
    return random.float() < 0.2 ? [0, 1e-35, Number.MAX_VALUE][random.integer(3)] : random.float() * 4 - 2;
  });
  const bounds = sets.reduce((ends, set) => [...ends, ends[ends.length - 1] + set.length], [0]);
  return [
    `num_leaves=${leaves}`,
    `num_cat=${sets.length}`,
    `split_feature=${left.map(() => random.integer(features)).join(' ')}`,
    `threshold=${threshold.join(' ')}`,
    `decision_type=${decision.join(' ')}`,
    `left_child=${left.join(' ')}`,
    `right_child=${right.join(' ')}`,
    `leaf_value=${leafValue.join(' ')}`,
    ...(sets.length > 0
      ? [`cat_boundaries=${bounds.join(' ')}`, `cat_threshold=${sets.flat().join(' ')}`]
      : []),
  ];
}
