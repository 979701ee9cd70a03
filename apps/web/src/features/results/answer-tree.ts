/** A term with the terms that the answer folds under it. */
export interface TreeNode<Term> {
  term: Term;
  broader: TreeNode<Term>[];
}

/** Arranges terms as the answer folds them, in its order: each is under the term that implies it and is at least as certain. */
export function answerTree<Term extends { go_id: string; folded_under: string | null }>(
  terms: readonly Term[],
): TreeNode<Term>[] {
  const nodes = new Map(terms.map((term) => [term.go_id, { term, broader: [] as TreeNode<Term>[] }]));
  const top: TreeNode<Term>[] = [];
  for (const node of nodes.values()) {
    const under = nodes.get(node.term.folded_under ?? '');
    (under === undefined ? top : under.broader).push(node);
  }
  return top;
}

/** A line of the tree that is in view. */
export interface TreeLine<Term> {
  term: Term;
  /** The level in the tree, from 1. */
  level: number;
  /** The number of broader terms below the line, at any depth. */
  broader: number;
  unfolded: boolean;
  /** The place of the line that this line is below; null at the top. */
  parent: number | null;
}

/** Returns the lines in view, from top to bottom. */
export function treeLines<Term extends { go_id: string }>(
  trees: readonly TreeNode<Term>[],
  isUnfolded: (goId: string) => boolean,
): TreeLine<Term>[] {
  const lines: TreeLine<Term>[] = [];
  const add = ({ term, broader }: TreeNode<Term>, level: number, parent: number | null) => {
    const unfolded = broader.length > 0 && isUnfolded(term.go_id);
    const at = lines.length;
    lines.push({ term, level, broader: sizeOf(broader), unfolded, parent });
    if (unfolded) for (const node of broader) add(node, level + 1, at);
  };
  for (const tree of trees) add(tree, 1, null);
  return lines;
}

/** Returns the terms that must be unfolded for a term to be in view, from the top; none for a term at the top or outside the tree. */
export function wayTo<Term extends { go_id: string }>(
  trees: readonly TreeNode<Term>[],
  goId: string | undefined,
): string[] {
  for (const { term, broader } of trees) {
    if (broader.some((node) => node.term.go_id === goId)) return [term.go_id];
    const below = wayTo(broader, goId);
    if (below.length > 0) return [term.go_id, ...below];
  }
  return [];
}

function sizeOf<Term>(nodes: readonly TreeNode<Term>[]): number {
  return nodes.reduce((sum, { broader }) => sum + 1 + sizeOf(broader), 0);
}

/** The effect of a key on a line: where the focus goes, which term is folded or unfolded, and which one shows its evidence. */
export interface KeyMove {
  focus?: number;
  fold?: string;
  toggle?: string;
}

/** Returns the effect of a key, as in a tree of files; null for a key without a meaning here. */
export function keyMove(
  key: string,
  lines: readonly TreeLine<{ go_id: string }>[],
  at: number,
): KeyMove | null {
  const line = lines[at];
  if (line === undefined) return null;
  const last = lines.length - 1;
  switch (key) {
    case 'ArrowDown':
      return { focus: Math.min(at + 1, last) };
    case 'ArrowUp':
      return { focus: Math.max(at - 1, 0) };
    case 'Home':
      return { focus: 0 };
    case 'End':
      return { focus: last };
    case 'ArrowRight':
      if (line.broader === 0) return {};
      return line.unfolded ? { focus: at + 1 } : { fold: line.term.go_id };
    case 'ArrowLeft':
      if (line.unfolded) return { fold: line.term.go_id };
      return line.parent === null ? {} : { focus: line.parent };
    case 'Enter':
      return { toggle: line.term.go_id };
    default:
      return null;
  }
}
