import { registryRoutes } from '@kindred/contracts/resources/registry';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { presentPlugin } from './present.js';

/** Serves the registry, which is read again at every call. */
export function serveRegistry(api: Api, { plugins }: RouteDeps): void {
  serve(api, registryRoutes.backends, async () => (await plugins.backends()).map(presentPlugin));
  serve(api, registryRoutes.sources, async () => (await plugins.sources()).map(presentPlugin));
  serve(api, registryRoutes.runners, async () => (await plugins.runners()).map(presentPlugin));
}
