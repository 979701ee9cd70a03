import { describe, expect, it } from 'vitest';
import { randomSecret } from './tokens.js';

describe('randomSecret', () => {
  it('gives other characters each time, none of which a command line would take for an option', () => {
    const secrets = Array.from({ length: 2000 }, () => randomSecret(32));
    expect(secrets.filter((secret) => !/^\w[\w-]{42}$/.test(secret))).toEqual([]);
    expect(new Set(secrets).size).toBe(secrets.length);
  });
});
