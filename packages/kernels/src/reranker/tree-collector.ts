import { missingNan, type TreeEnsemble } from './model.js';
import type { TreeSection } from './tree-section.js';

/** Appends the trees of a model to flat arrays. */
export class TreeCollector {
  readonly #sections: TreeSection[] = [];

  get count(): number {
    return this.#sections.length;
  }

  add(section: TreeSection): void {
    this.#sections.push(section);
  }

  arrays(): Pick<TreeEnsemble, 'nodes' | 'roots' | 'leafValues' | 'leafStart' | 'leafCounts'> {
    const total = (length: (section: TreeSection) => number) =>
      this.#sections.reduce((sum, section) => sum + length(section), 0);
    const nodeCount = total((section) => section.feature.length);
    const nodes = {
      feature: new Int32Array(nodeCount),
      threshold: new Float64Array(nodeCount),
      decision: new Uint8Array(nodeCount),
      left: new Int32Array(nodeCount),
      right: new Int32Array(nodeCount),
      categoryStart: new Int32Array(nodeCount),
      categoryLength: new Int32Array(nodeCount),
      categoryWords: new Uint32Array(total((section) => section.categoryWords.length)),
    };
    const leafValues = new Float64Array(total((section) => section.leafValue.length));
    const counted = this.#sections.every(
      ({ leafCount, leafValue }) => leafCount !== null || leafValue.length === 1,
    );
    const leafCounts = counted ? new Float64Array(leafValues.length) : null;
    const roots = new Int32Array(this.count);
    const leafStart = new Int32Array(this.count);
    const at = { node: 0, leaf: 0, word: 0 };
    this.#sections.forEach((section, tree) => {
      roots[tree] = section.feature.length === 0 ? -1 - at.leaf : at.node;
      leafStart[tree] = at.leaf;
      const child = (value: number) => (value >= 0 ? value + at.node : value - at.leaf);
      section.feature.forEach((feature, split) => {
        const node = at.node + split;
        nodes.feature[node] = feature;
        nodes.left[node] = child(section.left[split]);
        nodes.right[node] = child(section.right[split]);
        this.#setDecision(nodes, node, { section, split, firstWord: at.word });
      });
      leafValues.set(section.leafValue, at.leaf);
      if (section.leafCount !== null) leafCounts?.set(section.leafCount, at.leaf);
      nodes.categoryWords.set(section.categoryWords, at.word);
      at.node += section.feature.length;
      at.leaf += section.leafValue.length;
      at.word += section.categoryWords.length;
    });
    return { nodes, roots, leafValues, leafStart, leafCounts };
  }

  #setDecision(
    nodes: TreeEnsemble['nodes'],
    node: number,
    { section, split, firstWord }: { section: TreeSection; split: number; firstWord: number },
  ): void {
    const decision = section.decision[split];
    nodes.decision[node] = decision;
    if ((decision & 1) === 0) {
      nodes.threshold[node] = section.threshold[split];
      return;
    }
    // A missing category always goes right, so the file's missing type is ignored here.
    nodes.decision[node] = 1 | (missingNan << 2);
    const set = section.threshold[split];
    const { categoryBounds } = section;
    nodes.threshold[node] = Number.NaN;
    nodes.categoryStart[node] = firstWord + categoryBounds[set];
    nodes.categoryLength[node] = categoryBounds[set + 1] - categoryBounds[set];
  }
}
