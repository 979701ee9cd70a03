import { expect, it } from 'vitest';
import { Memory } from './memory.js';

const list = (): string[] => [];

it('keeps a value of each maker until it is closed, apart from other memories', () => {
  const memory = new Memory();
  memory.part(list).push('kept');
  expect(memory.part(list)).toEqual(['kept']);
  expect(memory.part(() => [])).toEqual([]);
  expect(new Memory().part(list)).toEqual([]);
  memory.close();
  expect(memory.part(list)).toEqual([]);
});

it('makes a value that is undefined only once', () => {
  let made = 0;
  const nothing = () => void made++;
  const memory = new Memory();
  memory.part(nothing);
  memory.part(nothing);
  expect(made).toBe(1);
});
