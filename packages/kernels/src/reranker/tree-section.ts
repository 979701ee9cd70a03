import {
  fault,
  finiteNumber,
  type KeyValue,
  numberOrInfinity,
  required,
  wholeNumber,
  words,
} from './text-lines.js';

/** One tree that was checked: every index is in range, and every node and leaf is reached exactly once. */
export interface TreeSection {
  feature: number[];
  threshold: number[];
  decision: number[];
  /** The left child of each node: a node of this tree, or -1 - leaf. */
  left: number[];
  right: number[];
  leafValue: number[];
  /** The number of training rows in each leaf; null if the file does not have them. */
  leafCount: number[] | null;
  /** The bounds of the category sets: the bits of set c are categoryWords[categoryBounds[c] .. categoryBounds[c+1]). */
  categoryBounds: number[];
  categoryWords: number[];
}

const maxLeaves = 131_072;
const maxRows = 2 ** 40;
const categoricalBit = 1;

/**
 * Reads the fields of one `Tree=` section.
 * @throws FormatError with the line, for a missing or short list, an index out of range, a linear tree, or a node that is
 * reached twice or never
 */
export function readTree(
  fields: Map<string, KeyValue>,
  featureCount: number,
  firstLine: number,
): TreeSection {
  refuseLinear(fields);
  const leavesField = required(fields, 'num_leaves', firstLine);
  const leaves = wholeNumber(leavesField.value, leavesField.line, {
    low: 1,
    high: maxLeaves,
    what: 'num_leaves',
  });
  const list = (key: string, length: number) => {
    const field = required(fields, key, firstLine);
    const parts = words(field);
    if (parts.length !== length) {
      throw fault(
        field.line,
        `${key} has ${parts.length} values; expected ${length} (num_leaves is ${leaves})`,
      );
    }
    return { parts, line: field.line };
  };
  const whole = (key: string, length: number, low: number, high: number) => {
    const { parts, line } = list(key, length);
    return parts.map((text) => wholeNumber(text, line, { low, high, what: key }));
  };
  const real = (key: string, length: number, read = finiteNumber) => {
    const { parts, line } = list(key, length);
    return parts.map((text) => read(text, line, key));
  };
  const leafValue = real('leaf_value', leaves);
  const splits = leaves - 1;
  // A tree with one leaf may omit the count, or have 0.
  const leafCount = splits > 0 && fields.has('leaf_count') ? whole('leaf_count', leaves, 0, maxRows) : null;
  if (splits === 0) {
    return { ...emptyTree(), leafValue };
  }
  const tree: TreeSection = {
    feature: whole('split_feature', splits, 0, featureCount - 1),
    // A split that only separates known from missing values has the threshold inf.
    threshold: real('threshold', splits, numberOrInfinity),
    decision: whole('decision_type', splits, 0, 11),
    left: whole('left_child', splits, -leaves, splits - 1),
    right: whole('right_child', splits, -leaves, splits - 1),
    leafValue,
    leafCount,
    ...categorySets(fields, firstLine, { whole }),
  };
  requireKnownSets(tree, required(fields, 'threshold', firstLine).line);
  requireTree(tree, leaves, required(fields, 'left_child', firstLine).line);
  return tree;
}

function emptyTree(): TreeSection {
  return {
    feature: [],
    threshold: [],
    decision: [],
    left: [],
    right: [],
    leafValue: [],
    leafCount: null,
    categoryBounds: [0],
    categoryWords: [],
  };
}

function refuseLinear(fields: Map<string, KeyValue>): void {
  const linear = fields.get('is_linear');
  if (linear !== undefined && linear.value !== '0') {
    throw fault(
      linear.line,
      'the model has linear trees, which are not supported; train with linear_tree=false',
    );
  }
}

type WholeList = (key: string, length: number, low: number, high: number) => number[];

function categorySets(
  fields: Map<string, KeyValue>,
  firstLine: number,
  { whole }: { whole: WholeList },
): Pick<TreeSection, 'categoryBounds' | 'categoryWords'> {
  const field = fields.get('num_cat');
  const sets =
    field === undefined
      ? 0
      : wholeNumber(field.value, field.line, { low: 0, high: maxLeaves, what: 'num_cat' });
  if (sets === 0) return { categoryBounds: [0], categoryWords: [] };
  const wordsField = required(fields, 'cat_threshold', firstLine);
  const wordCount = words(wordsField).length;
  const categoryBounds = whole('cat_boundaries', sets + 1, 0, wordCount);
  const { line } = required(fields, 'cat_boundaries', firstLine);
  const ascends = categoryBounds.every((bound, i) => i === 0 || bound > categoryBounds[i - 1]);
  if (!ascends || categoryBounds[0] !== 0 || categoryBounds[sets] !== wordCount) {
    throw fault(line, `cat_boundaries must rise from 0 to the ${wordCount} values of cat_threshold`);
  }
  return { categoryBounds, categoryWords: whole('cat_threshold', wordCount, 0, 0xffff_ffff) };
}

/** Checks that the threshold of each categorical split, which stores the number of its set, names a set. */
function requireKnownSets(tree: TreeSection, line: number): void {
  const sets = tree.categoryBounds.length - 1;
  tree.decision.forEach((decision, node) => {
    if ((decision & categoricalBit) === 0) return;
    const set = tree.threshold[node];
    if (!(Number.isInteger(set) && set >= 0 && set < sets)) {
      throw fault(line, `split ${node} uses category set ${set}, but num_cat says that there are ${sets}`);
    }
  });
}

/** Checks that every leaf and every node except the root is the child of exactly one node, so that all paths end. */
function requireTree(tree: TreeSection, leaves: number, line: number): void {
  const splits = tree.feature.length;
  const parents = new Uint8Array(splits + leaves);
  for (const child of [...tree.left, ...tree.right]) {
    const place = child >= 0 ? child : splits - 1 - child;
    const what = child >= 0 ? `split ${child}` : `leaf ${-1 - child}`;
    if (child === 0) throw fault(line, 'split 0 is the root and cannot be a child');
    if (parents[place]++ > 0) throw fault(line, `${what} is the child of two splits`);
  }
  // Every place is a child once, and the root is not a child, so a node that is not reached from the root can only be on a cycle.
  const reached = new Uint8Array(splits);
  const open = [0];
  let count = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    reached[node] = 1;
    count++;
    for (const child of [tree.left[node], tree.right[node]]) if (child >= 0) open.push(child);
  }
  if (count !== splits) throw fault(line, `split ${reached.indexOf(0)} is not reached from the root`);
}
