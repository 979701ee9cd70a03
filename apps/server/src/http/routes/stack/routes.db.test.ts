import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSourceOpener, noRetry } from '../../../ground/sources/opener.js';
import { startStubServer, type StubServer } from '../../../testing/stub-server.js';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { type Stack, StackPulls } from '../../stack-pulls.js';

let stub: StubServer;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let stack: Stack;

const pull = (number: number, updated = `2026-01-0${number}T00:00:00Z`) => ({
  number,
  title: `Change ${number}`,
  html_url: `https://github.com/o/r/pull/${number}`,
  user: { login: 'ada' },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: updated,
  body: 'not shown',
});

beforeAll(async () => {
  stub = await startStubServer((request, response) => answer(request, response));
});
afterAll(() => stub.close());
beforeEach(() => {
  stub.requests.length = 0;
  const opener = createSourceOpener({
    importDirs: [],
    allowedHosts: [stub.host],
    retry: noRetry,
  });
  stack = {
    repositories: [
      { slug: 'o/first', role: 'the service' },
      { slug: 'o/second', role: null },
    ],
    apiUrl: `${stub.url}/`,
    token: 'secret',
    cacheSeconds: 300,
    open: (url, options) => opener.open(url, options),
  };
  answer = (request, response) => {
    expect(request.headers.authorization).toBe('Bearer secret');
    const [, , , name] = (request.url ?? '').split('/');
    response.setHeader('x-ratelimit-remaining', name === 'first' ? '41' : '40');
    response.end(JSON.stringify(name === 'first' ? [pull(1), pull(3)] : [pull(2)]));
  };
});

describe('pull requests', () => {
  it('gathers those of all repositories, the last changed first, and keeps them', async () => {
    const pulls = new StackPulls(stack);
    const [first, beside] = await Promise.all([pulls.get(1000), pulls.get(1000)]);
    expect(first).toMatchObject({
      cached: false,
      repos_queried: 2,
      rate_limit_remaining: 40,
      errors: {},
      fetched_at: '1970-01-01T00:00:01.000Z',
    });
    expect(first.pulls.map(({ number, repository }) => [number, repository])).toEqual([
      [3, 'o/first'],
      [2, 'o/second'],
      [1, 'o/first'],
    ]);
    expect(beside.pulls).toEqual(first.pulls);
    expect(stub.requests).toEqual([
      '/repos/o/first/pulls?state=open&per_page=100',
      '/repos/o/second/pulls?state=open&per_page=100',
    ]);
    expect((await pulls.get(300_999)).cached).toBe(true);
    expect(stub.requests).toHaveLength(2);
    expect((await pulls.get(301_000)).cached).toBe(false);
    expect(stub.requests).toHaveLength(4);
  });

  it('shows what one repository has when the other fails', async () => {
    const serve = answer;
    answer = (request, response) => {
      if (request.url?.includes('second')) response.writeHead(403).end('{"message":"rate limit"}');
      else serve(request, response);
    };
    const { pulls, errors } = await new StackPulls(stack).get();
    expect(pulls).toHaveLength(2);
    expect(Object.keys(errors)).toEqual(['o/second']);
    expect(errors['o/second']).toContain('403');
  });

  it('gives what it kept when upstream fails, or a reason', async () => {
    const pulls = new StackPulls(stack);
    const before = await pulls.get(0);
    answer = (_request, response) => response.end('<html>');
    expect(await pulls.get(1e6)).toEqual({ ...before, cached: true });
    await expect(new StackPulls(stack).get()).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('SVC_GITHUB_TOKEN'),
    });
  });
});

describe('routes', () => {
  let test: TestApp;
  let bare: TestApp;
  beforeAll(async () => {
    bare = await startTestApp();
  });
  afterAll(async () => {
    await test?.close();
    await bare?.close();
  });

  it('list the configured repositories, at both mounts from one fetch', async () => {
    test = await startTestApp({}, null, { stack });
    expect((await test.call({ url: '/v1/stack' })).body).toEqual({
      repos: [
        { name: 'first', slug: 'o/first', role: 'the service', github_url: 'https://github.com/o/first' },
        { name: 'second', slug: 'o/second', role: null, github_url: 'https://github.com/o/second' },
      ],
    });
    expect((await test.call({ url: '/v1/stack/pulls' })).body).toMatchObject({
      cached: false,
      repos_queried: 2,
    });
    expect((await test.call({ url: '/stack/pulls' })).body).toMatchObject({ cached: true, repos_queried: 2 });
    expect(problemIn(await test.call({ url: '/v1/stack?x=1' })).status).toBe(422);
  });

  it('are empty where nothing is configured', async () => {
    expect((await bare.call({ url: '/v1/stack' })).body).toEqual({ repos: [] });
    expect((await bare.call({ url: '/v1/stack/pulls' })).body).toMatchObject({ repos_queried: 0, pulls: [] });
  });
});
