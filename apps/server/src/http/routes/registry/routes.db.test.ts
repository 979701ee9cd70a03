import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

it('lists plugins with their parameters, and a broken one with the reason', async () => {
  const { body } = await test.call({ url: '/v1/backends' });
  expect(body[0]).toMatchObject({
    name: 'test',
    state: 'available',
    version: '1.0.0',
    package: '@kindred/backend-test',
  });
  expect(body[0].parameters.properties.k).toMatchObject({ type: 'integer', default: 3 });
  expect(body[1]).toMatchObject({
    name: 'broken',
    state: 'unavailable',
    reason: 'library missing',
    parameters: null,
  });
  expect((await test.call({ url: '/sources' })).body).toEqual([]);
  expect((await test.call({ url: '/v1/runners' })).body).toEqual([]);
});
