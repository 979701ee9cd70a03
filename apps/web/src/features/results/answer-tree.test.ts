import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerTree, keyMove, type TreeNode, treeLines, wayTo } from './answer-tree.js';

const term = (go_id: string) => ({ go_id });
const treeOf = (ids: string[], broader: Record<string, string[]>) => answerTree(ids.map(term), broader);
const shape = (nodes: readonly TreeNode<{ go_id: string }>[]): unknown[] =>
  nodes.map((node) =>
    node.broader.length === 0 ? node.term.go_id : [node.term.go_id, ...shape(node.broader)],
  );

describe('the tree of an answer', () => {
  it('begins with the most specific terms, in their order', () => {
    const broader = { heme: ['metal'], metal: ['binding'] };
    expect(shape(treeOf(['binding', 'enzyme', 'metal', 'heme'], broader))).toEqual([
      'enzyme',
      ['heme', ['metal', 'binding']],
    ]);
  });

  it('shows a term once, under the first that leads to it', () => {
    expect(shape(treeOf(['b', 'a', 'top'], { a: ['top'], b: ['top'] }))).toEqual([['b', 'top'], 'a']);
  });

  it('loses no term, whatever is said to be broader', () => {
    const node = fc.integer({ min: 0, max: 6 }).map(String);
    fc.assert(
      fc.property(fc.dictionary(node, fc.array(node, { maxLength: 4 })), (broader) => {
        const ids = ['0', '1', '2', '3', '4'];
        const lines = treeLines(treeOf(ids, broader), () => true);
        expect(lines.map((line) => line.term.go_id).sort()).toEqual(ids);
      }),
    );
  });

  it('folds what is below a line, and counts it', () => {
    const trees = treeOf(['c', 'b', 'a'], { c: ['b'], b: ['a'] });
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
    ]);
  });
});

it('finds the way to a term that is folded', () => {
  const trees = treeOf(['d', 'c', 'b', 'a'], { c: ['b'], b: ['a'] });
  expect(wayTo(trees, 'a')).toEqual(['c', 'b']);
  expect(wayTo(trees, 'd')).toEqual([]);
  expect(wayTo(trees, undefined)).toEqual([]);
});

describe('keys on the tree', () => {
  const trees = treeOf(['c', 'b', 'd'], { c: ['b'] });
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
