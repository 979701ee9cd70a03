import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestAbove } from './index.js';

it('leads over terms that are not given, and ends at the nearest', () => {
  // 1 root, 2 binding, 3 not given, 4 metal, 5 heme below 4 and 3
  const parents = new Map([
    [2, [1]],
    [3, [2]],
    [4, [3]],
    [5, [4, 3]],
  ]);
  expect(nearestAbove([5, 4, 2], parents)).toEqual(
    new Map([
      [5, [4, 2]],
      [4, [2]],
    ]),
  );
  expect(nearestAbove([5, 1], parents)).toEqual(new Map([[5, [1]]]));
  expect(nearestAbove([3, 9], parents)).toEqual(new Map());
});

it('finds exactly the implied terms, also where terms go round', () => {
  const node = fc.integer({ min: 0, max: 7 });
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 20 }), (edges) => {
      const parents = new Map<number, number[]>();
      for (const [child, parent] of edges) parents.set(child, [...(parents.get(child) ?? []), parent]);
      const terms = [0, 2, 4, 6];
      const isAbove = (from: number, to: number) => {
        const seen = new Set(parents.get(from));
        for (const at of seen) for (const next of parents.get(at) ?? []) seen.add(next);
        return seen.has(to);
      };
      const implied = terms.filter((one) => terms.some((other) => other !== one && isAbove(other, one)));
      const found = new Set([...nearestAbove(terms, parents).values()].flat());
      expect([...found].sort()).toEqual(implied);
    }),
  );
});
