import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingFloat32, GrowingFloat64, GrowingInt32, GrowingUint8 } from './index.js';

const step = fc.oneof(
  fc.record({ kind: fc.constant('push' as const), value: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('truncate' as const), value: fc.nat(20) }),
  fc.record({ kind: fc.constant('extend' as const), value: fc.nat(40) }),
  fc.record({ kind: fc.constant('set' as const), value: fc.integer({ min: 1, max: 255 }) }),
);

describe('growing arrays', () => {
  it.each([GrowingUint8, GrowingInt32, GrowingFloat32, GrowingFloat64])(
    'hold what a list holds',
    (Growing) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 3 }), (steps, capacity) => {
          const growing = new Growing(capacity);
          const list: number[] = [];
          for (const { kind, value } of steps) {
            if (kind === 'push') {
              growing.push(value);
              list.push(value);
            } else if (kind === 'truncate') {
              growing.truncate(Math.min(value, growing.length));
              list.length = Math.min(value, list.length);
            } else if (kind === 'extend') {
              growing.extend(value);
              while (list.length < value) list.push(0);
            } else if (list.length > 0) {
              growing.set(value % list.length, value);
              list[value % list.length] = value;
            }
          }
          expect(growing.length).toBe(list.length);
          expect([...growing.view()]).toEqual(list);
          expect([...growing.finish()]).toEqual(list);
          list.forEach((value, i) => expect(growing.at(i)).toBe(value));
          if (list.length > 0) expect(growing.last()).toBe(list.at(-1));
        }),
      );
    },
  );

  it('a finished copy is not touched by what follows', () => {
    const growing = new GrowingInt32(1);
    growing.push(7);
    const copy = growing.finish();
    growing.set(0, 8);
    expect([...copy]).toEqual([7]);
  });
});
