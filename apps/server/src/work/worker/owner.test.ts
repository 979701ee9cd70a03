import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { isGone, newOwner } from './owner.js';

const place = '0123456789ab';
const ownerOf = (pid: number, where = place) => `${hostname()}:${pid}:${where}-89abcdef`;

it('distinguishes ended from live processes, in its own place only', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
  const pid = child.pid as number;
  expect(isGone(ownerOf(pid), place)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isGone(ownerOf(pid), place)).toBe(true);
  expect(isGone(ownerOf(pid, 'ba9876543210'), place)).toBe(false);
  expect(isGone(ownerOf(pid), null)).toBe(false);
});

it('never reports itself, or an unknown name, as gone', () => {
  expect(isGone(newOwner())).toBe(false);
  expect(isGone(newOwner(null))).toBe(false);
  expect(isGone('ghost')).toBe(false);
});
