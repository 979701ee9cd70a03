import type { TreeEnsemble } from '@kindred/kernels/reranker';

/**
 * The ways in which wasm/trees.c prepares a column: which number replaces a missing value, so that a comparison sends it in its default
 * direction.
 */
const columnMode = { nanAsZero: 0, nanLeft: 1, nanRight: 2, zeroLeft: 3, zeroRight: 4, code: 5 } as const;
const categoryMark = 0x8000_0000;
const nodeBytes = 16;
const splitBytes = 24;
/** The number of rows of a block, which is also the number of values of a prepared column. */
export const blockRows = 32;
/**
 * The maximum number of leaves of a tree whose splits are all compared. A tree with more leaves, or with a categorical split, is walked.
 */
export const maxComparedLeaves = 64;
const treeKind = { numeric: 0, mixed: 1, compared: 2 } as const;

/** The arrays that wasm/trees.c reads. Offsets of nodes and prepared columns are in bytes. */
export interface TreeLayout {
  /** An array of node_t [places]: threshold (or first word and bits of a set), column, children. */
  nodes: Uint8Array;
  /** An array of split_t [splits of compared trees]: threshold, leaves outside the left branch, column. */
  splits: Uint8Array;
  /** The leaf values by node position. */
  values: Float64Array;
  /** The leaf values of compared trees, from left to right. */
  leaves: Float64Array;
  words: Uint32Array;
  /** An array of tree_t: root or first split, levels or splits, kind, output, first leaf. Uint32 [trees x 5] */
  trees: Uint32Array;
  /** An array of column_t: feature, mode. Uint32 [columns x 2] */
  columns: Uint32Array;
  columnCount: number;
}

/**
 * Lays out an ensemble for the WebAssembly walker: the two children of a node are adjacent, and there is one column for each
 * combination of feature and treatment of missing values.
 */
export function layOut(model: TreeEnsemble): TreeLayout {
  const builder = new LayoutBuilder(model);
  model.roots.forEach((root, tree) => {
    builder.addTree(root, tree % model.treesPerIteration);
  });
  return builder.layout();
}

class LayoutBuilder {
  readonly #nodes: ArrayBuffer;
  readonly #doubles: Float64Array;
  readonly #integers: Uint32Array;
  readonly #values: Float64Array;
  readonly #splits: ComparedSplit[] = [];
  readonly #leaves: number[] = [];
  readonly #trees: number[] = [];
  readonly #columns: number[] = [];
  readonly #columnOf = new Map<number, number>();
  #free = 0;

  readonly #model: TreeEnsemble;

  constructor(model: TreeEnsemble) {
    this.#model = model;
    const places = model.nodes.feature.length + model.leafValues.length;
    this.#nodes = new ArrayBuffer(places * nodeBytes);
    this.#doubles = new Float64Array(this.#nodes);
    this.#integers = new Uint32Array(this.#nodes);
    this.#values = new Float64Array(places);
  }

  addTree(root: number, output: number): void {
    const leaves = this.#comparedLeaves(root);
    if (leaves === null) this.#addWalked(root, output);
    else this.#addCompared(root, { leaves, output });
  }

  /** Returns the leaves below a node from left to right; null if their tree must be walked. */
  #comparedLeaves(root: number): number[] | null {
    const { left, right, decision } = this.#model.nodes;
    const leaves: number[] = [];
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop())
      if (node < 0) leaves.push(-1 - node);
      else if (isCategorical(decision[node]) || leaves.length === maxComparedLeaves) return null;
      else open.push(right[node], left[node]);
    return leaves.length > maxComparedLeaves ? null : leaves;
  }

  #addCompared(root: number, { leaves, output }: { leaves: readonly number[]; output: number }): void {
    const { left, right, feature, threshold, decision } = this.#model.nodes;
    const firstSplit = this.#splits.length;
    const all = 2n ** BigInt(maxComparedLeaves) - 1n;
    let met = 0;
    /** Adds the splits at a node and below it. */
    const add = (node: number): void => {
      if (node < 0) {
        met++;
        return;
      }
      const from = met;
      add(left[node]);
      const inLeft = ((1n << BigInt(met - from)) - 1n) << BigInt(from);
      const column = this.#column(feature[node], modeOf(decision[node]));
      this.#splits.push({ threshold: threshold[node], right: all ^ inLeft, column });
      add(right[node]);
    };
    add(root);
    const splits = this.#splits.length - firstSplit;
    this.#trees.push(firstSplit, splits, treeKind.compared, output, this.#leaves.length);
    this.#leaves.push(...leaves.map((leaf) => this.#model.leafValues[leaf]));
  }

  /** Adds a tree breadth first: the nodes of a level are adjacent, so the nodes that most rows visit are close together. */
  #addWalked(root: number, output: number): void {
    const rootPlace = this.#free++;
    let depth = 0;
    let kind: number = treeKind.numeric;
    let level = [{ node: root, place: rootPlace }];
    while (level.length > 0) {
      const below: typeof level = [];
      for (const { node, place } of level) {
        if (node < 0) {
          this.#putLeaf(place, -1 - node);
          continue;
        }
        const pair = this.#free;
        this.#free += 2;
        if (this.#putSplit(place, node, pair)) kind = treeKind.mixed;
        below.push({ node: this.#model.nodes.left[node], place: pair });
        below.push({ node: this.#model.nodes.right[node], place: pair + 1 });
      }
      if (below.length > 0) depth++;
      level = below;
    }
    this.#trees.push(rootPlace * nodeBytes, depth, kind, output, 0);
  }

  layout(): TreeLayout {
    // Leaves of a walked tree also read a column, and ignore it.
    if (this.#columns.length === 0) this.#columns.push(0, columnMode.nanAsZero);
    const splits = new DataView(new ArrayBuffer(this.#splits.length * splitBytes));
    this.#splits.forEach(({ threshold, right, column }, i) => {
      splits.setFloat64(i * splitBytes, threshold, true);
      splits.setBigUint64(i * splitBytes + 8, right, true);
      splits.setUint32(i * splitBytes + 16, column, true);
    });
    return {
      nodes: new Uint8Array(this.#nodes, 0, this.#free * nodeBytes),
      splits: new Uint8Array(splits.buffer),
      values: this.#values.subarray(0, this.#free),
      leaves: Float64Array.from(this.#leaves),
      words: this.#model.nodes.categoryWords,
      trees: Uint32Array.from(this.#trees),
      columns: Uint32Array.from(this.#columns),
      columnCount: this.#columns.length / 2,
    };
  }

  #putLeaf(place: number, leaf: number): void {
    this.#doubles[place * 2] = Number.NaN;
    this.#integers[place * 4 + 2] = 0;
    // The right child of a leaf is one node after `place - 1`, which is the leaf itself.
    this.#integers[place * 4 + 3] = (place - 1) * nodeBytes;
    this.#values[place] = this.#model.leafValues[leaf];
  }

  /** Writes a split. Returns true if it is categorical. */
  #putSplit(place: number, node: number, pair: number): boolean {
    const { nodes } = this.#model;
    const isCategory = isCategorical(nodes.decision[node]);
    const column = this.#column(nodes.feature[node], modeOf(nodes.decision[node]));
    if (isCategory) {
      this.#integers[place * 4] = nodes.categoryStart[node];
      this.#integers[place * 4 + 1] = nodes.categoryLength[node] * 32;
    } else {
      this.#doubles[place * 2] = nodes.threshold[node];
    }
    this.#integers[place * 4 + 2] = isCategory ? column + categoryMark : column;
    this.#integers[place * 4 + 3] = pair * nodeBytes;
    return isCategory;
  }

  /** Returns the offset of a prepared column. */
  #column(feature: number, mode: number): number {
    const key = feature * 8 + mode;
    let column = this.#columnOf.get(key);
    if (column === undefined) {
      column = this.#columns.length / 2;
      this.#columns.push(feature, mode);
      this.#columnOf.set(key, column);
    }
    return column * blockRows * Float64Array.BYTES_PER_ELEMENT;
  }
}

interface ComparedSplit {
  threshold: number;
  /** A bit for each leaf outside the split's left branch. */
  right: bigint;
  /** The byte offset of the column. */
  column: number;
}

function isCategorical(decision: number): boolean {
  return (decision & 1) !== 0;
}

function modeOf(decision: number): number {
  if (isCategorical(decision)) return columnMode.code;
  const left = (decision & 2) !== 0;
  switch (decision >> 2) {
    case 0:
      return columnMode.nanAsZero;
    case 1:
      return left ? columnMode.zeroLeft : columnMode.zeroRight;
    default:
      return left ? columnMode.nanLeft : columnMode.nanRight;
  }
}
