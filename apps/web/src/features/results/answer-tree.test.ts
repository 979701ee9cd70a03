import { describe, expect, it } from 'vitest';
import { answerTree, keyMove, type TreeNode, treeLines, wayTo } from './answer-tree.js';

const term = (go_id: string, folded_under: string | null = null) => ({ go_id, folded_under });
const shape = (nodes: readonly TreeNode<{ go_id: string }>[]): unknown[] =>
  nodes.map((node) =>
    node.broader.length === 0 ? node.term.go_id : [node.term.go_id, ...shape(node.broader)],
  );

describe('the tree of an answer', () => {
  it('has each term under the one that the answer folds it under, in the order of the answer', () => {
    const terms = [term('enzyme'), term('binding', 'heme'), term('heme'), term('metal', 'heme')];
    expect(shape(answerTree(terms))).toEqual(['enzyme', ['heme', 'binding', 'metal']]);
  });

  it('shows a term at the top where the one that hides it is not in the list', () => {
    expect(shape(answerTree([term('b', 'a')]))).toEqual(['b']);
  });

  it('folds what is below a line, and counts it', () => {
    const trees = answerTree([term('c'), term('b', 'c'), term('a', 'c')]);
    expect(treeLines(trees, () => false)).toEqual([
      { term: term('c'), level: 1, broader: 2, unfolded: false, parent: null },
    ]);
    expect(
      treeLines(trees, (id) => id === 'c').map(({ term: { go_id }, level, parent }) => [
        go_id,
        level,
        parent,
      ]),
    ).toEqual([
      ['c', 1, null],
      ['b', 2, 0],
      ['a', 2, 0],
    ]);
  });
});

it('finds the way to a term that is folded', () => {
  const trees = answerTree([term('d'), term('c'), term('b', 'c'), term('a', 'c')]);
  expect(wayTo(trees, 'a')).toEqual(['c']);
  expect(wayTo(trees, 'd')).toEqual([]);
  expect(wayTo(trees, undefined)).toEqual([]);
});

describe('keys on the tree', () => {
  const trees = answerTree([term('c'), term('b', 'c'), term('d')]);
  const folded = treeLines(trees, () => false);
  const open = treeLines(trees, () => true);

  it('move between lines and stay at the ends', () => {
    expect(keyMove('ArrowDown', folded, 0)).toEqual({ focus: 1 });
    expect(keyMove('ArrowDown', folded, 1)).toEqual({ focus: 1 });
    expect(keyMove('ArrowUp', folded, 0)).toEqual({ focus: 0 });
    expect(keyMove('Home', open, 2)).toEqual({ focus: 0 });
    expect(keyMove('End', open, 0)).toEqual({ focus: 2 });
  });

  it('unfold to the right, fold to the left, and lead in and out', () => {
    expect(keyMove('ArrowRight', folded, 0)).toEqual({ fold: 'c' });
    expect(keyMove('ArrowRight', open, 0)).toEqual({ focus: 1 });
    expect(keyMove('ArrowRight', open, 1)).toEqual({});
    expect(keyMove('ArrowLeft', open, 1)).toEqual({ focus: 0 });
    expect(keyMove('ArrowLeft', open, 0)).toEqual({ fold: 'c' });
    expect(keyMove('ArrowLeft', folded, 0)).toEqual({});
  });

  it('show the evidence of a line, and leave other keys alone', () => {
    expect(keyMove('Enter', folded, 1)).toEqual({ toggle: 'd' });
    expect(keyMove('x', folded, 0)).toBeNull();
    expect(keyMove('Enter', folded, 9)).toBeNull();
  });
});
