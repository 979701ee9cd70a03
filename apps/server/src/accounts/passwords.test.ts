import { afterEach, expect, it, vi } from 'vitest';
import { hashPassword, passwordMatches } from './passwords.js';

const verified = vi.hoisted(() => [] as string[]);
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  return {
    ...argon2,
    verify: (hash: string, password: string) => {
      verified.push(hash);
      return argon2.verify(hash, password);
    },
  };
});
afterEach(() => {
  verified.length = 0;
});

/** The work of a verification depends only on this part: `$argon2id$v=19$m=19456,t=2,p=1`. */
const workOf = (hash: string) => hash.split('$').slice(0, 4).join('$');

it('does the same work for an account that does not exist as for a wrong password', async () => {
  const stored = await hashPassword('the right password');
  expect(await passwordMatches(stored, 'a wrong password')).toBe(false);
  expect(await passwordMatches(undefined, 'a wrong password')).toBe(false);
  expect(verified).toHaveLength(2);
  expect(verified[0]).toBe(stored);
  expect(workOf(verified[1])).toBe(workOf(stored));
  expect(workOf(stored)).toBe('$argon2id$v=19$m=19456,t=2,p=1');
});

it('hashes the decoy once, not with every refusal', async () => {
  for (let n = 0; n < 3; n++) await passwordMatches(undefined, 'a password');
  expect(new Set(verified).size).toBe(1);
});

it('lets nobody in with the password of the decoy', async () => {
  expect(await passwordMatches(undefined, 'no account has this password')).toBe(false);
});
