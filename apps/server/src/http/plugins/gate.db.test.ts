import fastify from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { expect, it } from 'vitest';
import type { Api, RouteDeps } from '../deps.js';
import { testSettings } from '../../testing/test-app.js';
import { guardRoutes } from './gate.js';
import { UploadsAtOnce } from './uploads-at-once.js';

const guarded = () => {
  const app = fastify();
  app.setSerializerCompiler(serializerCompiler);
  guardRoutes(app as unknown as Api, { settings: testSettings } as RouteDeps, true, new UploadsAtOnce());
  return app;
};

it('refuses a route that the table of floors does not have', () => {
  expect(() => guarded().post('/secret', async () => 'open')).toThrow(/POST \/secret has no row/);
});

it('refuses to start while a row has no route', async () => {
  const app = guarded();
  app.get('/jobs', async () => []);
  await expect(app.ready()).rejects.toThrow(/rows without a route: POST \/jobs/);
});
