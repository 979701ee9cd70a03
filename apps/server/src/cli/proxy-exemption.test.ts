import { expect, it } from 'vitest';
import { exemptLoopback } from './proxy-exemption.js';

it.each([
  [{}, undefined],
  [{ HTTP_PROXY: 'http://proxy:3128' }, 'localhost,127.0.0.1,[::1]'],
  [
    { https_proxy: 'http://proxy:3128', NO_PROXY: 'lab.example, localhost' },
    'lab.example,localhost,127.0.0.1,[::1]',
  ],
  [{ http_proxy: 'http://proxy:3128', no_proxy: 'a', NO_PROXY: 'b' }, 'a,localhost,127.0.0.1,[::1]'],
  [{ http_proxy: 'http://proxy:3128', no_proxy: '*' }, '*'],
])('of %o, leaves out %s', (given, expected) => {
  const environment: NodeJS.ProcessEnv = { ...given };
  exemptLoopback(environment);
  expect(environment.no_proxy).toBe(expected);
});
