import { noQuery } from '@kindred/contracts/fields';
import { pluginReply } from '@kindred/contracts/resources/registry';
import { z } from 'zod';
import type { Api, RouteDeps } from '../../deps.js';
import { presentPlugin } from './present.js';

/** Looked up anew at every call. */
export function registryRoutes(api: Api, { plugins }: RouteDeps): void {
  const schema = { querystring: noQuery, response: { 200: z.array(pluginReply) } };
  api.get('/backends', { schema }, async () => (await plugins.backends()).map(presentPlugin));
  api.get('/sources', { schema }, async () => (await plugins.sources()).map(presentPlugin));
  api.get('/runners', { schema }, async () => (await plugins.runners()).map(presentPlugin));
}
