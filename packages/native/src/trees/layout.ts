import type { TreeEnsemble } from '@kindred/kernels/reranker';

/**
 * How wasm/trees.c prepares a column: which number replaces a missing value, so that a comparison sends it in its default
 * direction.
 */
const columnMode = { nanAsZero: 0, nanLeft: 1, nanRight: 2, zeroLeft: 3, zeroRight: 4, code: 5 } as const;
const categoryMark = 0x8000_0000;
const nodeBytes = 16;

/** The arrays that wasm/trees.c reads; all offsets are in bytes from the first node or the start of the row. */
export interface TreeLayout {
  /** node_t [places]: threshold (or first word and bits of a set), column, children. */
  nodes: ArrayBuffer;
  /** Leaf values by node position. */
  values: Float64Array;
  words: Uint32Array;
  /** tree_t: root, depth, mixed, output. Uint32 [trees x 4] */
  trees: Uint32Array;
  /** column_t: feature, mode. Uint32 [columns x 2] */
  columns: Uint32Array;
  columnCount: number;
}

/**
 * Lays out an ensemble for the WebAssembly walker: the two children of a node are adjacent, and there is one column for each
 * combination of feature and treatment of missing values.
 */
export function layOut(model: TreeEnsemble): TreeLayout {
  const places = model.nodes.feature.length + model.leafValues.length;
  const builder = new LayoutBuilder(model, places);
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
  readonly #trees: number[] = [];
  readonly #columns: number[] = [];
  readonly #columnOf = new Map<number, number>();
  #free = 0;

  readonly #model: TreeEnsemble;

  constructor(model: TreeEnsemble, places: number) {
    this.#model = model;
    this.#nodes = new ArrayBuffer(places * nodeBytes);
    this.#doubles = new Float64Array(this.#nodes);
    this.#integers = new Uint32Array(this.#nodes);
    this.#values = new Float64Array(places);
  }

  /** Breadth first: the nodes of a level are adjacent, so the nodes that most rows visit are close together. */
  addTree(root: number, output: number): void {
    const rootPlace = this.#free++;
    let depth = 0;
    let mixed = false;
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
        mixed = this.#putSplit(place, node, pair) || mixed;
        below.push({ node: this.#model.nodes.left[node], place: pair });
        below.push({ node: this.#model.nodes.right[node], place: pair + 1 });
      }
      if (below.length > 0) depth++;
      level = below;
    }
    this.#trees.push(rootPlace * nodeBytes, depth, mixed ? 1 : 0, output);
  }

  layout(): TreeLayout {
    // A row needs at least one column: leaves also read one, and ignore it.
    if (this.#columns.length === 0) this.#columns.push(0, columnMode.nanAsZero);
    return {
      nodes: this.#nodes,
      values: this.#values,
      words: this.#model.nodes.categoryWords,
      trees: Uint32Array.from(this.#trees),
      columns: Uint32Array.from(this.#columns),
      columnCount: this.#columns.length / 2,
    };
  }

  #putLeaf(place: number, leaf: number): void {
    this.#doubles[place * 2] = Number.NaN;
    this.#integers[place * 4 + 2] = 0;
    // Right of "one before" is the leaf itself.
    this.#integers[place * 4 + 3] = (place - 1) * nodeBytes;
    this.#values[place] = this.#model.leafValues[leaf];
  }

  /** Returns true for a categorical split. */
  #putSplit(place: number, node: number, pair: number): boolean {
    const { nodes } = this.#model;
    const isCategory = (nodes.decision[node] & 1) !== 0;
    const column = this.#column(nodes.feature[node], modeOf(nodes.decision[node])) * 8;
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

  #column(feature: number, mode: number): number {
    const key = feature * 8 + mode;
    let column = this.#columnOf.get(key);
    if (column === undefined) {
      column = this.#columns.length / 2;
      this.#columns.push(feature, mode);
      this.#columnOf.set(key, column);
    }
    return column;
  }
}

function modeOf(decision: number): number {
  if ((decision & 1) !== 0) return columnMode.code;
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
